/** When a message that its provider did not take is handed over again, and when its outcome stays unknown. */
import { isSignal } from '../amf/index.js'
import { conversation as limits } from '../limits.js'
import type { Around, Desk } from './desk.js'
import { reached } from './receipts.js'
import type { Outcome } from './sending.js'
import type { Conversation, Flight, Outgoing } from './state.js'

export type Refused = Extract<Outcome, { readonly kind: 'refused' }>

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
  desk: Desk,
  conversation: Conversation,
  around: Around,
  outgoing: Outgoing,
  flight: Flight,
  outcome: Refused,
): number | undefined {
  const { waits = 0, tried, unknownSince } = flight
  const steps = limits.sendAgainMs
  if (isNotReady(outcome)) {
    const isKept = unknownSince === undefined && waitsForBinding(desk, conversation, around, outgoing)
    return isKept ? desk.scaled(steps[Math.min(waits, steps.length) - 1]!) : undefined
  }
  if (outcome.isUnknown === 'last') return undefined
  if (!outcome.isUnknown && (outcome.again !== 'later' || (outgoing.forSend && unknownSince === undefined)))
    return undefined
  const begun = outgoing.forSend?.attempt ?? 1
  const waitMs = steps[tried - begun - waits]
  if (waitMs === undefined) return undefined
  const asked = Math.min(outcome.retryAfterMs ?? 0, limits.retryAfterMostMs)
  return Math.max(desk.scaled(waitMs), asked)
}

/** Another channel takes over at once where there is one; a confirmation of an opt-out is not worth a late surprise. */
function waitsForBinding(
  desk: Desk,
  { optedOutAt }: Conversation,
  { siblings }: Around,
  { at, message, next = [], forSend, from, disclaims }: Outgoing,
): boolean {
  // A disclaimer shares the fate of its message.
  const after = disclaims === undefined ? undefined : desk.outgoing(disclaims)
  if (after?.forSend) return false
  if (isSignal(message) || forSend || next.some((each) => siblings[each] !== undefined)) return false
  if (from === 'house' && optedOutAt !== undefined) return false
  return desk.at - at < desk.scaled(limits.heldMs)
}

/** The sender learns that it waits, once. */
export function toldToWait(
  desk: Desk,
  conversation: Conversation,
  around: Around,
  outgoing: Outgoing,
  { reason, detail }: Refused,
): Conversation {
  if (isSignal(outgoing.message)) return conversation
  return reached(desk, conversation, around, outgoing, { state: 'queued', reason, ...(detail && { detail }) })
}
