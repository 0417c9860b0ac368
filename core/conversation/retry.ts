/** When a message that its provider did not take is handed over again, and when its outcome stays unknown. */
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

/** The flight with what this try adds to it. */
export function withOutcome(inFlight: InFlight, outcome: Refused): InFlight {
  const { unknownSince, ...rest } = inFlight
  const since = outcome.isAbsent ? undefined : unknownSince
  const unknownAt = outcome.isUnknown ? (since ?? inFlight.at) : since
  const waits = (inFlight.waits ?? 0) + (isBindingNotReady(outcome) ? 1 : 0)
  return { ...rest, ...(waits > 0 && { waits }), ...(unknownAt !== undefined && { unknownSince: unknownAt }) }
}

/**
 * How long until it is handed over again; undefined: not at all.
 *
 * - A provider that cannot take it now is asked again a few times, never before the time that it asks for.
 * - A binding that is not ready is waited for: nothing was wrong with the message.
 * - A provider that may have it is given it once more, or asked for it as often as it is asked for anything.
 *
 * The opening of a send is tried again by the send, except where its outcome is unknown.
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
  const requestedMs = Math.min(outcome.retryAfterMs ?? 0, limits.retryAfterMostMs)
  return Math.max(tx.command.scaled(waitMs), requestedMs)
}

/** Another channel takes over at once where there is one; a confirmation of an opt-out is not worth a late surprise. */
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
