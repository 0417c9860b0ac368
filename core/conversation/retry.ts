/** When a message that its provider did not take is handed over again, and when its outcome stays unknown. */
import { isSignal } from '../amf/index.js'
import { conversation as limits } from '../limits.js'
import type { AgentContext } from './context.js'
import type { DeliveryOutcome } from './outcome.js'
import type { Conversation, Flight, Outgoing } from './state.js'
import { advanceState } from './status.js'
import type { ConversationTx } from './transaction.js'

export type Refused = Extract<DeliveryOutcome, { readonly kind: 'refused' }>

export const unknownOutcome = {
  reason: 'unknown',
  detail: 'The provider did not say whether it took the message, and may have it.',
} as const

export function isNotReady({ reason }: Pick<Refused, 'reason'>): boolean {
  return reason === 'bindingNotReady'
}

/** The flight with what this try adds to it. */
export function withOutcome(flight: Flight, outcome: Refused): Flight {
  const { unknownSince, ...rest } = flight
  const since = outcome.isAbsent ? undefined : unknownSince
  const doubtful = outcome.isUnknown ? (since ?? flight.at) : since
  const waits = (flight.waits ?? 0) + (isNotReady(outcome) ? 1 : 0)
  return { ...rest, ...(waits > 0 && { waits }), ...(doubtful !== undefined && { unknownSince: doubtful }) }
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
  outgoing: Outgoing,
  flight: Flight,
  outcome: Refused,
): number | undefined {
  const { waits = 0, tried, unknownSince } = flight
  const steps = limits.sendAgainMs
  if (isNotReady(outcome)) {
    const isKept = unknownSince === undefined && waitsForBinding(tx, conversation, agent, outgoing)
    return isKept ? tx.command.scaled(steps[Math.min(waits, steps.length) - 1]!) : undefined
  }
  if (outcome.isUnknown === 'last') return undefined
  if (!outcome.isUnknown && (outcome.again !== 'later' || (outgoing.forSend && unknownSince === undefined)))
    return undefined
  const begun = outgoing.forSend?.attempt ?? 1
  const waitMs = steps[tried - begun - waits]
  if (waitMs === undefined) return undefined
  const asked = Math.min(outcome.retryAfterMs ?? 0, limits.retryAfterMostMs)
  return Math.max(tx.command.scaled(waitMs), asked)
}

/** Another channel takes over at once where there is one; a confirmation of an opt-out is not worth a late surprise. */
function waitsForBinding(
  tx: ConversationTx,
  { optedOutAt }: Conversation,
  { siblings }: AgentContext,
  { at, message, next = [], forSend, from, disclaims }: Outgoing,
): boolean {
  // A disclaimer shares the fate of its message.
  const after = disclaims === undefined ? undefined : tx.stored.message(disclaims)
  if (after?.forSend) return false
  if (isSignal(message) || forSend || next.some((each) => siblings[each] !== undefined)) return false
  if (from === 'house' && optedOutAt !== undefined) return false
  return tx.command.at - at < tx.command.scaled(limits.heldMs)
}

/** Reports to the sender that the message waits, once. */
export function markWaiting(
  tx: ConversationTx,
  conversation: Conversation,
  agent: AgentContext,
  outgoing: Outgoing,
  { reason, detail }: Refused,
): Conversation {
  if (isSignal(outgoing.message)) return conversation
  return advanceState(tx, conversation, agent, outgoing, { state: 'queued', reason, ...(detail && { detail }) })
}
