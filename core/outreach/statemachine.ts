/** The life of a send: its table of states, what may go wrong on the way, and what each step makes of the record. */
import { outreachSend as limits } from '../limits/index.js'
import { finalStates, type Send, type SendReason, type SendState } from './send.js'

export type SendTrigger =
  | 'pickedUp'
  | 'handedOver'
  | 'refused'
  | 'notAttempted'
  | 'failedTemporarily'
  /** They are just talking: nothing was handed over, and nothing went wrong. */
  | 'deferred'
  | 'cancelled'

interface TransitionRow {
  readonly from: SendState
  readonly on: SendTrigger
  readonly when: 'always' | 'attemptsLeft' | 'noAttemptsLeft'
  readonly to: SendState
}

export const transitions: readonly TransitionRow[] = [
  { from: 'queued', on: 'pickedUp', when: 'always', to: 'sending' },
  { from: 'queued', on: 'cancelled', when: 'always', to: 'cancelled' },
  // Word came late that the channel has it after all: it must not be handed over twice.
  { from: 'queued', on: 'handedOver', when: 'always', to: 'sent' },
  { from: 'sending', on: 'handedOver', when: 'always', to: 'sent' },
  { from: 'sending', on: 'refused', when: 'always', to: 'failed' },
  { from: 'sending', on: 'notAttempted', when: 'always', to: 'suppressed' },
  { from: 'sending', on: 'failedTemporarily', when: 'attemptsLeft', to: 'queued' },
  { from: 'sending', on: 'failedTemporarily', when: 'noAttemptsLeft', to: 'failed' },
  { from: 'sending', on: 'deferred', when: 'always', to: 'queued' },
]

export const maxAttempts = limits.retryAfterMs.length + 1

/** Undefined where the table has no such move: then nothing happens. */
export function nextState(from: SendState, on: SendTrigger, attempts: number): SendState | undefined {
  const remaining = attempts < maxAttempts ? 'attemptsLeft' : 'noAttemptsLeft'
  return transitions.find(
    (row) => row.from === from && row.on === on && (row.when === 'always' || row.when === remaining),
  )?.to
}

export function isFinal(state: SendState): boolean {
  return (finalStates as readonly SendState[]).includes(state)
}

interface Failure {
  readonly on: SendTrigger
  readonly reason: SendReason
}

/** Everything that keeps a send from its channel, with what it does to it and the reason that is told. */
export const failures = {
  identityRemoved: { on: 'refused', reason: 'no_channel_identity' },
  outreachRemoved: { on: 'notAttempted', reason: 'outreach_unavailable' },
  inputsMissing: { on: 'notAttempted', reason: 'missing_inputs' },
  openingBlocked: { on: 'notAttempted', reason: 'template_blocked' },
  optedOut: { on: 'notAttempted', reason: 'opted_out' },
  cachedIncapable: { on: 'notAttempted', reason: 'not_rcs_capable' },
  probedIncapable: { on: 'refused', reason: 'not_rcs_capable' },
  capabilityUnknown: { on: 'failedTemporarily', reason: 'capability_unknown' },
  noBinding: { on: 'refused', reason: 'no_route' },
  bindingError: { on: 'refused', reason: 'binding_error' },
  unreachable: { on: 'failedTemporarily', reason: 'dispatch_failed' },
  refusedTemporarily: { on: 'failedTemporarily', reason: 'dispatch_failed' },
  refusedPermanently: { on: 'refused', reason: 'dispatch_failed' },
} as const satisfies Record<string, Failure>
export type FailureName = keyof typeof failures

/** What a conversation says of a message that it does not take, in our words. */
const failureByReason: Readonly<Record<string, FailureName>> = {
  optedOut: 'optedOut',
  noBinding: 'noBinding',
  bindingNotReady: 'bindingError',
}

export function failureOf(reason: string, retry: 'later' | 'otherChannel' | 'never'): FailureName {
  return failureByReason[reason] ?? (retry === 'later' ? 'refusedTemporarily' : 'refusedPermanently')
}

/** What goes along with a step. */
export interface Transition {
  readonly on: SendTrigger
  readonly at: number
  readonly reason?: SendReason
  readonly detail?: string
  readonly messageId?: string
  /** For `held`: when to try again, and what it waits for. */
  readonly until?: number
  readonly deferredFor?: Send['deferredFor']
}

/** A binding that is not ready is looked at again after this long. */
export function bindingRetryMs(timeScale: number): number {
  return Math.ceil(limits.bindingRetryMs / timeScale)
}

const timestampFields: { readonly [S in SendState]?: 'sentAt' | 'failedAt' | 'cancelledAt' } = {
  sent: 'sentAt',
  failed: 'failedAt',
  suppressed: 'failedAt',
  cancelled: 'cancelledAt',
}

/** The send after a step; undefined when the table has no such move. Reasons of a try that is over go with the next. */
export function applyTransition<S extends Send>(send: S, transition: Transition, timeScale: number): S | undefined {
  const { on, at, reason, detail, messageId, until, deferredFor } = transition
  const state = nextState(send.state, on, send.attempts)
  if (state === undefined) return undefined
  const { state: _before, attempts: _made, reason: _reason, detail: _detail, nextAttemptAt: _next, ...others } = send
  const { deferredFor: _held, ...rest } = others
  const timestampField = timestampFields[state]
  const nextAttemptAt = state === 'queued' ? (until ?? at + retryWaitMs(send.attempts, timeScale)) : undefined
  const attempts = send.attempts + (on === 'pickedUp' ? 1 : on === 'deferred' ? -1 : 0)
  return {
    state,
    attempts,
    ...rest,
    ...(reason && { reason }),
    ...(detail !== undefined && { detail }),
    ...(messageId !== undefined && { messageId }),
    ...(nextAttemptAt !== undefined && { nextAttemptAt }),
    ...(deferredFor && { deferredFor }),
    ...(timestampField && { [timestampField]: at }),
  } as unknown as S
}

/** After that many attempts. */
export function retryWaitMs(attempts: number, timeScale: number): number {
  return Math.ceil((limits.retryAfterMs[attempts - 1] ?? 0) / timeScale)
}

/** The longest that a send in the queue may have to wait from now on, unless it waits for hours of the day. */
export function maxWaitMs({ deferredFor, attempts }: Send, timeScale: number): number {
  if (deferredFor === 'in-conversation') return Math.ceil(limits.quietMs / timeScale)
  if (deferredFor === 'binding_error') return bindingRetryMs(timeScale)
  if (attempts > 0) return retryWaitMs(attempts, timeScale)
  return Math.ceil((limits.pickupMs + limits.pickupStepMs) / timeScale)
}

/** When a send accepted now is picked up: those of one step of time together, so that one look finds them all. */
export function pickupAt(at: number, timeScale: number): number {
  const transition = Math.max(1, limits.pickupStepMs / timeScale)
  return Math.ceil(Math.ceil((at + limits.pickupMs / timeScale) / transition) * transition)
}
