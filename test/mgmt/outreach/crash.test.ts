/** Sends while answers are lost, processes die and people say STOP: what is promised of every one of them. */
import fc from 'fast-check'
import t from 'tap'
import { minute, second } from '../../../core/durations.js'
import { isRefusal, refuse } from '../../../core/errors.js'
import { isFinal } from '../../../core/outreach/statemachine.js'
import { eventually } from '../../contract/shards/fixture.js'
import { isSent, newNumber, openSendsFixture, type Script, toNumber } from './fixture.js'

const failed = (retry: 'later' | 'never'): Script => ({
  deliveryReports: [{ state: 'failed', reason: 'providerError', retry }],
})
const scripts: Readonly<Record<string, Script>> = {
  sent: isSent,
  'sent, told twice': { deliveryReports: [{ state: 'sent' }, { state: 'sent' }, { state: 'delivered' }] },
  'failed for now': failed('later'),
  'failed for good': failed('never'),
  'not asked': { answer: refuse('service.unavailable'), isTaken: false },
  'taken, answer lost': { answer: refuse('service.unavailable', { detail: 'x' }), isTaken: true, ...isSent },
  'taken, answer lost, told late': {
    answer: refuse('service.unavailable', { detail: 'x' }),
    isTaken: true,
    isLate: true,
    ...isSent,
  },
  'not taken, answer lost': { answer: refuse('service.unavailable', { detail: 'x' }), isTaken: false },
}

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('send' as const),
      who: fc.nat({ max: 3 }),
      script: fc.constantFrom(...Object.keys(scripts)),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), seconds: fc.nat({ max: 200 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cancel' as const), which: fc.nat({ max: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('stop' as const), who: fc.nat({ max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('news' as const) }) },
)

t.test('Every accepted send ends once; none goes out after a cancel, after a STOP, or twice', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const sends = await openSendsFixture(t)
      const numbers = Array.from({ length: 4 }, newNumber)
      const ids: string[] = []
      /** How much had been taken when a cancel or a STOP was acknowledged. */
      const cancelled = new Map<string, number>()
      const stopped = new Map<string, number>()
      for (const [nth, each] of steps.entries()) {
        if (each.do === 'send') {
          const to = toNumber(numbers[each.who])
          const made = await sends.create({ ...to, idempotencyKey: String(nth) })
          if (made.status === 'queued') {
            ids.push(String(made.sendId))
            sends.scripts.push(scripts[each.script]!)
          } else if (!stopped.has(to.recipient.address) || made.refused !== 'agent.outreach.opted_out') return false
        } else if (each.do === 'wait') await sends.fixture.time.advance(each.seconds * second)
        else if (each.do === 'news') await sends.reportLate()
        else if (each.do === 'crash') await sends.crash()
        else if (each.do === 'cancel' && ids[each.which] !== undefined) {
          const id = ids[each.which]!
          const answer = await sends.cancel(id)
          if (!isRefusal(answer) && !cancelled.has(id)) cancelled.set(id, sends.acceptedOpenings.length)
        } else if (each.do === 'stop') {
          const address = numbers[each.who]!
          sends.optedOut.add(`usr_rcs_${address}`)
          if (!stopped.has(address)) stopped.set(address, sends.acceptedOpenings.length)
        }
      }
      for (const id of ids) {
        await eventually(
          sends.fixture,
          async () => {
            await sends.reportLate()
            return isFinal((await sends.read(id)).state)
          },
          minute,
        )
      }
      await sends.fixture.time.advance(40 * minute)
      const endsOf = (id: string) =>
        sends.events.filter(({ data }) => data.sendId === id && isFinal(data.state as never))
      await eventually(sends.fixture, () => ids.every((id) => endsOf(id).length > 0), second)
      for (const id of ids) {
        const ends = endsOf(id)
        if (new Set(ends.map(({ data }) => data.state)).size !== 1) return false
        const { state, attempts } = await sends.read(id)
        if (state !== ends[0]?.data.state || attempts > 4) return false
      }
      for (const [id, at] of cancelled) {
        if (sends.acceptedOpenings.slice(at).some(({ sendId }) => sendId === id)) return false
        if ((await sends.read(id)).state !== 'cancelled') return false
      }
      for (const [address, at] of stopped) {
        if (sends.acceptedOpenings.slice(at).some((opening) => opening.address === address)) return false
      }
      const tries = sends.acceptedOpenings.map(({ sendId, attempt }) => `${sendId}/${attempt}`)
      const isOnce = new Set(tries).size === tries.length && new Set(sends.sentIds).size === sends.sentIds.length
      if (sends.sentIds.some((id) => cancelled.has(id))) return false
      await sends.fixture.crash()
      return isOnce
    }),
    { numRuns: 15, endOnFailure: true },
  )
  t.pass()
})
