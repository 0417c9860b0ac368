/** Retries of a message that its provider refused, and when its outcome stays unknown. */
import { isSignal } from '../amf/index.js'
import { conversation as limits } from '../limits/index.js'
import type { AgentContext } from './context.js'
import type { DeliveryOutcome } from './outcome.js'
import type { Conversation, InFlight, OutboundMessageRecord } from './state.js'
import { advanceState } from './status.js'
import type { ConversationTx } from './transaction.js'

export type Refused = Extract<DeliveryOutcome, { readonly kind: 'refused' }>

export const unknownOutcome = {
  reason: 'unknown',
  detail: 'The provider did not say whether it took the message, and may have it.',
} as const

export function isBindingNotReady({ reason }: Pick<Refused, 'reason'>): boolean {
  return reason === 'bindingNotReady'
}

/** The in-flight state with the outcome of this attempt. */
export function withOutcome(inFlight: InFlight, outcome: Refused): InFlight {
  const { unknownSince, ...rest } = inFlight
  const since = outcome.isAbsent ? undefined : unknownSince
  const unknownAt = outcome.isUnknown ? (since ?? inFlight.at) : since
  const waits = (inFlight.waits ?? 0) + (isBindingNotReady(outcome) ? 1 : 0)
  return { ...rest, ...(waits > 0 && { waits }), ...(unknownAt !== undefined && { unknownSince: unknownAt }) }
}

/**
 * The wait before the message is handed over again; undefined: no retry.
 *
 * - A provider that answers "later" gets a few more attempts, never before the time that it asks for.
 * - A binding that is not ready is waited for: nothing was wrong with the message.
 * - If the provider may have the message, it is handed over once more, or the provider is asked for it, with the waits
 *   and the number of attempts of any retry.
 *
 * The send retries its own opener, unless the outcome is unknown.
 */
export function retryWaitMs(
  tx: ConversationTx,
  conversation: Conversation,
  agent: AgentContext,
  outgoing: OutboundMessageRecord,
  inFlight: InFlight,
  outcome: Refused,
): number | undefined {
  const { waits = 0, attempt: tried, unknownSince } = inFlight
  const delaysMs = limits.sendRetryMs
  if (isBindingNotReady(outcome)) {
    const isWaiting = unknownSince === undefined && waitsForBinding(tx, conversation, agent, outgoing)
    return isWaiting ? tx.command.scaled(delaysMs[Math.min(waits, delaysMs.length) - 1]!) : undefined
  }
  if (outcome.isUnknown === 'last') return undefined
  if (!outcome.isUnknown && (outcome.retry !== 'later' || (outgoing.sendRef && unknownSince === undefined)))
    return undefined
  const firstAttempt = outgoing.sendRef?.attempt ?? 1
  const waitMs = delaysMs[tried - firstAttempt - waits]
  if (waitMs === undefined) return undefined
  const requestedMs = Math.min(outcome.retryAfterMs ?? 0, limits.retryAfterMaxMs)
  return Math.max(tx.command.scaled(waitMs), requestedMs)
}

/**
 * Another channel takes over at once if one is bound. A late confirmation of an opt-out has no use, so it does not
 * wait.
 */
function waitsForBinding(
  tx: ConversationTx,
  { optedOutAt }: Conversation,
  { siblings }: AgentContext,
  { at, message, next = [], sendRef, from, disclaimerFor }: OutboundMessageRecord,
): boolean {
  // A disclaimer shares the fate of its message.
  const nextMessage = disclaimerFor === undefined ? undefined : tx.stored.message(disclaimerFor)
  if (nextMessage?.sendRef) return false
  if (isSignal(message) || sendRef || next.some((each) => siblings[each] !== undefined)) return false
  if (from === 'system' && optedOutAt !== undefined) return false
  return tx.command.at - at < tx.command.scaled(limits.deferredMs)
}

/** Reports to the sender that the message waits, once. */
export function markWaiting(
  tx: ConversationTx,
  conversation: Conversation,
  agent: AgentContext,
  outgoing: OutboundMessageRecord,
  { reason, detail }: Refused,
): Conversation {
  if (isSignal(outgoing.message)) return conversation
  return advanceState(tx, conversation, agent, outgoing, { state: 'queued', reason, ...(detail && { detail }) })
}
