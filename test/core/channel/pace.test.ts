/** How fast messages in bulk leave for a binding. */
import fc from 'fast-check'
import t from 'tap'
import { bulkPace, bulkStep } from '../../../core/channel/pace.js'
import { bulk as limits } from '../../../core/limits.js'

t.test(
  'A provider that says nothing is sent as much as any, one that says a number that, and one without a limit all',
  async (t) => {
    t.equal(bulkPace({}), limits.perSecond)
    t.equal(bulkPace({ bulkPerSecond: 80 }), 80)
    t.equal(bulkPace({ bulkPerSecond: 'unlimited' }), undefined)
  },
)

t.test('Steps are never faster than the pace, nor slower by more than the rounding of a step', async (t) => {
  fc.assert(
    fc.property(fc.double({ min: 0.01, max: 10_000, noNaN: true }), (perSecond) => {
      const { messages, ms } = bulkStep(perSecond)
      const pace = (messages * 1_000) / ms
      return (
        Number.isInteger(messages) &&
        Number.isInteger(ms) &&
        pace <= perSecond * 1.000_001 &&
        messages >= 1 &&
        (messages * 1_000) / perSecond > ms - 1
      )
    }),
  )
  t.same(bulkStep(limits.perSecond), { messages: (limits.perSecond * limits.everyMs) / 1_000, ms: limits.everyMs })
  t.same(bulkStep(1), { messages: 1, ms: 1_000 })
})
