/** Counters of recipients: whatever they go through, they are what a count of the recipients would be. */
import fc from 'fast-check'
import t from 'tap'
import {
  addCount,
  type Counts,
  emptyTally,
  moveCount,
  openCount,
  tallyOf,
  tallyView,
} from '../../../core/campaign/counts.js'
import {
  exclusions,
  type RecipientStatus,
  recipientStates,
  recipientStatusOf,
} from '../../../core/campaign/recipient.js'
import { sendReasons, sendStates } from '../../../core/outreach/send.js'

const recipientStatus: fc.Arbitrary<RecipientStatus> = fc
  .tuple(fc.constantFrom(...recipientStates), fc.option(fc.constantFrom(...sendReasons), { nil: undefined }))
  .map(([state, reason]) => (reason ? { state, reason } : { state }))

t.test('Counts that follow each step equal a full count', async () => {
  fc.assert(
    fc.property(
      fc.array(recipientStatus, { minLength: 1, maxLength: 20 }),
      fc.array(fc.tuple(fc.nat(), recipientStatus), { maxLength: 60 }),
      (start, steps) => {
        const all = [...start]
        let tally = all.reduce((sum, each) => addCount(sum, each, 1), emptyTally)
        for (const [pick, to] of steps) {
          const at = pick % all.length
          tally = moveCount(tally, all[at]!, to)
          all[at] = to
        }
        const counted = all.reduce((sum, each) => addCount(sum, each, 1), emptyTally)
        const [view, expected] = [tallyView(tally), tallyView(counted)]
        if (JSON.stringify(view.states) !== JSON.stringify(expected.states)) throw new Error('states differ')
        for (const reason of sendReasons) {
          if (view.reasons[reason] !== expected.reasons[reason]) throw new Error(`${reason} differs`)
        }
        if (view.total !== all.length || openCount(tally) !== openCount(counted)) throw new Error('sums differ')
      },
    ),
  )
})

t.test('The counts after staging are the first: total = sendable + exclusions', async () => {
  const numbers = fc.record(Object.fromEntries(exclusions.map((name) => [name, fc.nat(1_000)])))
  fc.assert(
    fc.property(numbers, fc.nat(1_000), (left, sendable) => {
      const total = sendable + Object.values(left).reduce((sum, count) => sum + count, 0)
      const view = tallyView(tallyOf({ total, sendable, exclusions: left as Counts['exclusions'] }))
      return view.total === total && view.states.pending === sendable && view.states.excluded === total - sendable
    }),
  )
})

t.test('Receipts promote only recipients that were sent', async (t) => {
  for (const state of sendStates) {
    const send = { state, receipts: { sentAt: 1, deliveredAt: 2, readAt: 3 } }
    t.equal(recipientStatusOf(send).state, state === 'sent' ? 'read' : state)
  }
  t.same(recipientStatusOf({ state: 'sent' }), { state: 'sent' })
  t.same(recipientStatusOf({ state: 'sent', receipts: { deliveredAt: 1 } }), { state: 'delivered' })
  t.same(recipientStatusOf({ state: 'sent', receipts: { failedAt: 1 } }), {
    state: 'failed',
    reason: 'delivery_failed',
  })
  t.same(recipientStatusOf({ state: 'sent', receipts: { failedAt: 1, deliveredAt: 2 } }), { state: 'delivered' })
  t.same(recipientStatusOf({ state: 'queued', reason: 'dispatch_failed' }), { state: 'queued' }, 'it may yet work')
})
