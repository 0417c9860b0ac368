/** Applies a conversation's delivery reports to a send: each report once, and never backwards. */
import type { DeliveryReport } from '../conversation/deliveryreport.js'
import type { Send } from './send.js'
import { applyTransition, bindingRetryMs, failureOf, failures, type Transition } from './statemachine.js'

type Receipts = NonNullable<Send['receipts']>

const receiptFields = { sent: 'sentAt', delivered: 'deliveredAt', read: 'readAt', failed: 'failedAt' } as const

/** The send waits for its binding, without a limit of checks. */
export function deferForBinding(at: number, timeScale: number, detail?: string): Transition {
  const until = at + bindingRetryMs(timeScale)
  const cause = {
    reason: 'binding_error',
    deferredFor: 'binding_error',
    ...(detail !== undefined && { detail }),
  } as const
  return { on: 'deferred', at, until, ...cause }
}

/** Returns the same object when the report changes nothing: it is stale or a repeat. */
export function applyReport<S extends Send>(stored: S, report: DeliveryReport, timeScale: number): S {
  const send = isOfDeferredAttempt(stored, report)
    ? Object.assign({}, stored, { state: 'sending', attempts: report.attempt })
    : stored
  if (report.attempt !== send.attempts) return stored
  if (report.state === 'responded') {
    if (stored.respondedAt !== undefined) return stored
    return { ...stored, messageId: report.messageId, respondedAt: report.at }
  }
  if (report.state === 'withheld') {
    const deferral: Transition =
      report.reason === undefined
        ? { on: 'deferred', at: report.at, until: report.at }
        : deferForBinding(report.at, timeScale, report.detail)
    return (send.state === 'sending' && applyTransition(send, deferral, timeScale)) || send
  }
  const transition = transitionOf(send, report)
  const applied = transition && applyTransition(send, transition, timeScale)
  if (applied && report.state === 'failed') return applied
  return withReceipt(applied ?? send, report)
}

/**
 * Whether the attempt was deferred although its conversation had accepted it. That happens when the answer of the
 * conversation was lost, and the attempt was deferred when it was repeated.
 */
function isOfDeferredAttempt({ state, attempts }: Send, report: DeliveryReport): boolean {
  // A message that is returned to its send is in its queue already.
  return state === 'queued' && report.attempt === attempts + 1 && report.state !== 'withheld'
}

/** A report changes the state of a send in flight only; later reports are receipts. */
function transitionOf(
  { state }: Send,
  { state: reported, at, messageId, reason = '', detail, retry = 'never' }: DeliveryReport,
) {
  if (state !== 'sending' && state !== 'queued') return undefined
  if (reported !== 'failed') return { on: 'handedOver', at, messageId } satisfies Transition
  const { on, reason: sendReason } = failures[failureOf(reason, retry)]
  return { on, at, reason: sendReason, detail: detail ?? reason } satisfies Transition
}

function withReceipt<S extends Send>(send: S, { state, at, messageId, reason, detail }: DeliveryReport): S {
  if (state === 'responded' || state === 'withheld' || send.state !== 'sent') return send
  // The message failed temporarily and was sent after all.
  if (state === 'failed' && at < (send.sentAt ?? 0)) return send
  const name = receiptFields[state]
  const receipts: Receipts = send.receipts ?? {}
  if (receipts[name] !== undefined) return send
  const failReason = state === 'failed' ? (reason ?? detail) : undefined
  const updated = { [name]: at, ...receipts, ...(failReason !== undefined && { failReason }) }
  return Object.assign({}, send, { messageId: send.messageId ?? messageId, receipts: updated })
}
