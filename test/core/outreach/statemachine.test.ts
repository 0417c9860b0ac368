/** The table of a send's states, and what news of its message make of it. */
import fc from 'fast-check'
import t from 'tap'
import type { DeliveryReport } from '../../../core/conversation/deliveryreport.js'
import { minute } from '../../../core/durations.js'
import { outreachSend as limits } from '../../../core/limits/index.js'
import { applyReport } from '../../../core/outreach/deliveryreports.js'
import { sendIdAt, sendIdsFrom } from '../../../core/outreach/ids.js'
import { finalStates, type Send, sendReasons, sendStates } from '../../../core/outreach/send.js'
import {
  applyTransition,
  failureOf,
  failures,
  isFinal,
  maxAttempts,
  nextState,
  pickupAt,
  retryWaitMs,
  type SendTrigger,
  transitions,
} from '../../../core/outreach/statemachine.js'

const triggers: SendTrigger[] = [
  'pickedUp',
  'handedOver',
  'refused',
  'notAttempted',
  'failedTemporarily',
  'deferred',
  'cancelled',
]

const send = (over: Partial<Send> = {}): Send => ({
  id: 'sd_1',
  outreachId: 'hello',
  origin: 'named',
  personId: 'pr_1',
  state: 'queued',
  asid: 'usr_1',
  channel: 'rcs',
  address: '+14155550100',
  queuedAt: 1_000,
  attempts: 0,
  ...over,
})

/** Written out by hand, so that a slip in the table is found. */
const expected: Readonly<Record<string, string>> = {
  'queued pickedUp': 'sending',
  'queued cancelled': 'cancelled',
  'queued handedOver': 'sent',
  'sending handedOver': 'sent',
  'sending refused': 'failed',
  'sending notAttempted': 'suppressed',
  'sending failedTemporarily': 'queued, failed after the last attempt',
  'sending deferred': 'queued',
}

t.test('A send changes its state only as the contract’s table says', async (t) => {
  for (const from of sendStates) {
    for (const on of triggers) {
      const outcome = expected[`${from} ${on}`]
      for (let attempts = 0; attempts <= maxAttempts; attempts++) {
        const [first, last] = outcome?.split(', failed after the last attempt') ?? []
        const to = last !== undefined && attempts >= maxAttempts ? 'failed' : first
        t.equal(nextState(from, on, attempts), to, `${from}, ${on}, after ${attempts}`)
      }
    }
  }
  for (const state of finalStates) {
    t.ok(isFinal(state))
    t.notOk(
      transitions.some(({ from }) => from === state),
      `no transition leaves ${state}`,
    )
  }
})

t.test('There are four attempts, the last about thirty minutes after the first', async (t) => {
  t.equal(maxAttempts, 4)
  const waits = [1, 2, 3].map((attempts) => retryWaitMs(attempts, 1))
  t.equal(
    waits.reduce((sum, each) => sum + each, 0),
    30 * minute,
  )
  t.equal(retryWaitMs(1, 60), limits.retryAfterMs[0]! / 60, 'a scale divides them')
})

t.test('A retry has a time and the failure of its last attempt, and loses both when it is picked up', async (t) => {
  const sending = send({ state: 'sending', attempts: 1 })
  const waits = applyTransition(
    sending,
    { on: 'failedTemporarily', at: 5_000, reason: 'dispatch_failed', detail: 'x' },
    1,
  )!
  t.match(waits, { state: 'queued', attempts: 1, reason: 'dispatch_failed', nextAttemptAt: 5_000 + 2 * minute })
  const sendingAgain = applyTransition(waits, { on: 'pickedUp', at: 9_000 }, 1)!
  t.match(sendingAgain, { state: 'sending', attempts: 2 })
  for (const removedKey of ['reason', 'detail', 'nextAttemptAt']) t.notOk(removedKey in sendingAgain, removedKey)
  const deferred = applyTransition(sendingAgain, { on: 'deferred', at: 9_000, until: 12_000 }, 1)!
  t.match(deferred, { state: 'queued', attempts: 1, nextAttemptAt: 12_000 }, 'waiting for a pause costs no attempt')
})

t.test('Sends accepted within one step of time are picked up together, about a minute later', async (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 41 }), fc.integer({ min: 1, max: 5_000 }), (at, scale) => {
      const due = pickupAt(at, scale)
      const wait = (due - at) * scale
      return (
        Number.isInteger(due) && wait >= limits.pickupMs && wait <= limits.pickupMs + limits.pickupStepMs + 2 * scale
      )
    }),
  )
  t.equal(pickupAt(1_001, 1), pickupAt(1_000 + limits.pickupStepMs - 1, 1))
})

t.test('Every failure ends in a reason of the contract, and only temporary ones are retried', async (t) => {
  for (const [name, { on, reason }] of Object.entries(failures)) {
    t.ok(sendReasons.includes(reason), name)
    const isTransient = reason === 'capability_unknown' || name === 'unreachable' || name === 'refusedTemporarily'
    t.equal(on === 'failedTemporarily', isTransient, name)
  }
  t.equal(failureOf('optedOut', 'later'), 'optedOut', 'a STOP is never tried again')
  t.equal(failureOf('noBinding', 'never'), 'noBinding')
  t.equal(failureOf('bindingNotReady', 'never'), 'bindingError')
  t.equal(failureOf('mediaUnreachable', 'later'), 'refusedTemporarily')
  t.equal(failureOf('unsupportedPart', 'otherChannel'), 'refusedPermanently', 'no failure leads to another channel')
})

const anyReport = fc.record({
  sendId: fc.constant('sd_1'),
  at: fc.integer({ min: 2_000, max: 9_000 }),
  attempt: fc.integer({ min: 1, max: 3 }),
  state: fc.constantFrom<DeliveryReport['state']>('sent', 'delivered', 'read', 'failed', 'responded'),
  messageId: fc.constant('msg_1'),
  reason: fc.constantFrom('optedOut', 'noBinding', 'providerError'),
  retry: fc.constantFrom<NonNullable<DeliveryReport['retry']>>('later', 'otherChannel', 'never'),
})

t.test('For any order of reports, a final state stays and only the first receipt counts', async (t) => {
  fc.assert(
    fc.property(
      fc.array(anyReport, { maxLength: 20 }),
      fc.constantFrom(...sendStates),
      fc.integer({ min: 1, max: 3 }),
      (all, state, attempts) => {
        let now = send({ state, attempts })
        for (const deliveryReport of all) {
          const next = applyReport(now, deliveryReport, 1)
          if (isFinal(now.state) && next.state !== now.state) return false
          for (const [name, value] of Object.entries(now.receipts ?? {})) {
            if (next.receipts?.[name as 'sentAt'] !== value) return false
          }
          if (applyReport(next, deliveryReport, 1) !== next) return false
          const isOfDeferred = now.state === 'queued' && deliveryReport.attempt === now.attempts + 1
          if (deliveryReport.attempt !== now.attempts && !isOfDeferred && next !== now) return false
          now = next
        }
        return true
      },
    ),
  )
  t.pass()
})

t.test('A report on an attempt that was deferred after its conversation had accepted it counts', async (t) => {
  const deferred = send({ state: 'queued', attempts: 1, nextAttemptAt: 9_000, deferredFor: 'binding_error' })
  const report: DeliveryReport = { sendId: 'sd_1', at: 5_000, attempt: 2, state: 'sent', messageId: 'msg_1' }
  const sent = applyReport(deferred, report, 1)
  t.match(sent, { state: 'sent', attempts: 2, sentAt: 5_000, receipts: { sentAt: 5_000 } })
  t.notOk('deferredFor' in sent)
  t.match(applyReport(sent, { ...report, state: 'read' }, 1), { receipts: { readAt: 5_000 } })
  const refused = { ...report, state: 'failed', reason: 'sendFailed' } as const
  const retried = applyReport(deferred, { ...refused, retry: 'later' }, 1)
  t.match(retried, { state: 'queued', attempts: 2 }, 'the attempt has taken place')
  t.equal(applyReport(retried, { ...refused, retry: 'later' }, 1), retried, 'once')
  t.match(applyReport(deferred, { ...refused, retry: 'never' }, 1), { state: 'failed', attempts: 2 })
  t.equal(applyReport(deferred, { ...report, state: 'withheld' }, 1), deferred, 'it waits already')
  t.equal(applyReport(deferred, { ...report, attempt: 3 }, 1), deferred, 'no such attempt has begun')
  const next = send({ state: 'sending', attempts: 1 })
  t.equal(applyReport(next, report, 1), next)
})

t.test('A repeated report changes nothing, however late it comes', async (t) => {
  // A conversation reports on an attempt after it has reported on those before.
  const inOrder = fc
    .array(anyReport, { maxLength: 8 })
    .map((all) => all.toSorted((a, b) => a.attempt - b.attempt))
    .map((all) => all.map((deliveryReport, index) => ({ ...deliveryReport, at: 2_000 + index })))
  fc.assert(
    fc.property(
      inOrder,
      fc.array(fc.tuple(fc.nat(8), fc.nat(8)), { maxLength: 12 }),
      fc.constantFrom<Send['state']>('queued', 'sending'),
      (all, sendingAgain, state) => {
        let once = send({ state, attempts: 1 })
        let often = once
        for (const [index, deliveryReport] of all.entries()) {
          once = applyReport(once, deliveryReport, 1)
          often = applyReport(often, deliveryReport, 1)
          for (const [behind, which] of sendingAgain) {
            if (behind === index && which <= index) often = applyReport(often, all[which]!, 1)
          }
        }
        t.same(often, once)
      },
    ),
  )
})

t.test('The report that the channel accepted the opener completes the send; later reports are receipts', async (t) => {
  const deliveryReport = (state: DeliveryReport['state'], at: number, more = {}): DeliveryReport => ({
    sendId: 'sd_1',
    at,
    attempt: 1,
    state,
    messageId: 'msg_1',
    ...more,
  })
  const sent = applyReport(send({ state: 'sending', attempts: 1 }), deliveryReport('sent', 10), 1)
  t.match(sent, { state: 'sent', sentAt: 10, messageId: 'msg_1', receipts: { sentAt: 10 } })
  const read = applyReport(applyReport(sent, deliveryReport('delivered', 11), 1), deliveryReport('read', 12), 1)
  t.match(read.receipts, { sentAt: 10, deliveredAt: 11, readAt: 12 })
  const failed = applyReport(sent, deliveryReport('failed', 13, { reason: 'expired' }), 1)
  t.match(
    failed,
    { state: 'sent', receipts: { failedAt: 13, failReason: 'expired' } },
    'delivery is a receipt of its own',
  )
  t.equal(applyReport(read, deliveryReport('responded', 14), 1).respondedAt, 14)
  t.equal(
    applyReport(applyReport(read, deliveryReport('responded', 14), 1), deliveryReport('responded', 15), 1).respondedAt,
    14,
  )
  t.equal(
    applyReport(sent, { ...deliveryReport('delivered', 11), attempt: 2 }, 1),
    sent,
    'news of another attempt are old news',
  )
})

t.test('Ids of sends are in the order of their acceptance', async (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 45 }), fc.integer({ min: 0, max: 2 ** 45 }), (one, other) => {
      const [a, b] = [sendIdAt(one, `sd_${'0'.repeat(26)}`), sendIdAt(other, `sd_${'z'.repeat(26)}`)]
      return one < other ? a < b && a < sendIdsFrom(other) : one === other || a > b
    }),
  )
  t.pass()
})
