/** State machine of a send: its table of states, its failures, and the effect of each transition on the record. */
import { outreachSend as limits } from '../limits/index.js'
import { scaledMs } from '../time.js'
import { finalStates, type Send, type SendReason, type SendState } from './send.js'

export type SendTrigger =
  | 'pickedUp'
  | 'handedOver'
  | 'refused'
  | 'notAttempted'
  | 'failedTemporarily'
  /** The person is in a conversation or the binding is not ready: nothing was sent, and nothing failed. */
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
  // A late report says that the provider has the message after all: it must not be sent twice.
  { from: 'queued', on: 'handedOver', when: 'always', to: 'sent' },
  { from: 'sending', on: 'handedOver', when: 'always', to: 'sent' },
  { from: 'sending', on: 'refused', when: 'always', to: 'failed' },
  { from: 'sending', on: 'notAttempted', when: 'always', to: 'suppressed' },
  { from: 'sending', on: 'failedTemporarily', when: 'attemptsLeft', to: 'queued' },
  { from: 'sending', on: 'failedTemporarily', when: 'noAttemptsLeft', to: 'failed' },
  { from: 'sending', on: 'deferred', when: 'always', to: 'queued' },
]

export const maxAttempts = limits.retryAfterMs.length + 1

/** Undefined when the table has no such transition: then nothing happens. */
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

/** Every failure of a send, with its trigger and the reason on the record. */
export const failures = {
  identityRemoved: { on: 'refused', reason: 'no_channel_identity' },
  outreachRemoved: { on: 'notAttempted', reason: 'outreach_unavailable' },
  inputsMissing: { on: 'notAttempted', reason: 'missing_inputs' },
  openerBlocked: { on: 'notAttempted', reason: 'template_blocked' },
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

/** Reasons with which a conversation refuses a message, as failures of a send. */
const failureByReason: Readonly<Record<string, FailureName>> = {
  optedOut: 'optedOut',
  noBinding: 'noBinding',
  bindingNotReady: 'bindingError',
}

export function failureOf(reason: string, retry: 'later' | 'otherChannel' | 'never'): FailureName {
  return failureByReason[reason] ?? (retry === 'later' ? 'refusedTemporarily' : 'refusedPermanently')
}

/** A transition and its data. */
export interface Transition {
  readonly on: SendTrigger
  readonly at: number
  readonly reason?: SendReason
  readonly detail?: string
  readonly messageId?: string
  /** For `deferred`: when to try again, and what the send waits for. */
  readonly until?: number
  readonly deferredFor?: Send['deferredFor']
}

/** The time until a binding that is not ready is checked again. */
export function bindingRetryMs(timeScale: number): number {
  return scaledMs(limits.bindingRetryMs, timeScale)
}

const timestampFields: { readonly [S in SendState]?: 'sentAt' | 'failedAt' | 'cancelledAt' } = {
  sent: 'sentAt',
  failed: 'failedAt',
  suppressed: 'failedAt',
  cancelled: 'cancelledAt',
}

/**
 * The send after a transition; undefined when the table has no such transition. A transition drops the reason, detail
 * and retry time of the one before.
 */
export function applyTransition<S extends Send>(send: S, transition: Transition, timeScale: number): S | undefined {
  const { on, at, reason, detail, messageId, until, deferredFor } = transition
  const state = nextState(send.state, on, send.attempts)
  if (state === undefined) return undefined
  const {
    state: _before,
    attempts: _attempts,
    reason: _reason,
    detail: _detail,
    nextAttemptAt: _next,
    ...others
  } = send
  const { deferredFor: _deferredFor, ...rest } = others
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

/** The wait after that many attempts. */
export function retryWaitMs(attempts: number, timeScale: number): number {
  return scaledMs(limits.retryAfterMs[attempts - 1] ?? 0, timeScale)
}

/** The longest wait of a queued send from now on, unless it waits for hours of the day. */
export function maxWaitMs({ deferredFor, attempts }: Send, timeScale: number): number {
  if (deferredFor === 'in-conversation') return scaledMs(limits.quietMs, timeScale)
  if (deferredFor === 'binding_error') return bindingRetryMs(timeScale)
  if (attempts > 0) return retryWaitMs(attempts, timeScale)
  return scaledMs(limits.pickupMs + limits.pickupStepMs, timeScale)
}

/**
 * When a send accepted now is picked up: rounded up to a step of time, so that one timer picks up all sends of that
 * step.
 */
export function pickupAt(at: number, timeScale: number): number {
  const stepMs = Math.max(1, limits.pickupStepMs / timeScale)
  return Math.ceil(Math.ceil((at + limits.pickupMs / timeScale) / stepMs) * stepMs)
}
