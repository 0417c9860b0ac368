/**
 * State machine of a delivery: the transition table, the time of the next try, and the effect of an outcome on the
 * record.
 */
import { orgWebhook } from '../../core/limits/index.js'
import type { DeliveryState } from './schema.js'
import type { Attempt, Delivery } from './store.js'

export type Trigger = 'succeeded' | 'failed' | 'replayed'

interface Transition {
  readonly from: readonly DeliveryState[]
  readonly on: Trigger
  readonly when: 'always' | 'triesLeft' | 'noTriesLeft'
  readonly to: DeliveryState
}

export const transitions: readonly Transition[] = [
  { from: ['pending'], on: 'succeeded', when: 'always', to: 'delivered' },
  { from: ['pending'], on: 'failed', when: 'triesLeft', to: 'pending' },
  { from: ['pending'], on: 'failed', when: 'noTriesLeft', to: 'failed' },
  { from: ['pending', 'delivered', 'failed'], on: 'replayed', when: 'always', to: 'pending' },
]

/**
 * `triesInSchedule` is the number of tries of the current schedule; each schedule has as many tries as the table of
 * waits has
 * rows.
 */
export function nextState(from: DeliveryState, on: Trigger, triesInSchedule: number): DeliveryState {
  const triesLeft = triesInSchedule < orgWebhook.retryAfterMs.length ? 'triesLeft' : 'noTriesLeft'
  const transition = transitions.find(
    (row) => row.from.includes(from) && row.on === on && (row.when === 'always' || row.when === triesLeft),
  )
  if (!transition) throw new Error(`a delivery that is ${from} cannot be ${on}`)
  return transition.to
}

/**
 * The wait before the next try after `triesInSchedule` tries. Never shorter than the schedule, and up to a fifth
 * longer; the ids
 * decide the jitter, so a repeated decision returns the same time.
 */
export function waitMs(triesInSchedule: number, deliveryId: string, timeScale: number): number {
  const wait = orgWebhook.retryAfterMs[triesInSchedule] ?? 0
  return Math.round(
    (wait * (1 + orgWebhook.retryJitterShare * hashFraction(`${deliveryId}/${triesInSchedule}`))) / timeScale,
  )
}

/** A number from 0 up to 1 that depends on the text only (FNV-1a with a final mix). */
function hashFraction(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}

/** The outcome of a try. A stopped try was aborted by this side because the webhook changed, and does not count. */
export type Outcome = ({ readonly kind: 'succeeded' | 'failed' } & Attempt) | { readonly kind: 'stopped' }

export function startTry(delivery: Delivery, at: number): Delivery {
  const triesStarted = delivery.triesStarted + 1
  return {
    ...delivery,
    triesStarted,
    inFlight: triesStarted,
    triesInSchedule: delivery.triesInSchedule + 1,
    dueAt: undefined,
    updatedAt: at,
  }
}

export function applyOutcome(delivery: Delivery, outcome: Outcome, at: number, timeScale: number): Delivery {
  const idle = { ...delivery, inFlight: undefined, updatedAt: at }
  if (outcome.kind === 'stopped') return { ...idle, triesInSchedule: delivery.triesInSchedule - 1, dueAt: at }
  const { kind, ...attempt } = outcome
  const state = nextState(delivery.state, kind, delivery.triesInSchedule)
  return {
    ...idle,
    state,
    dueAt: state === 'pending' ? at + waitMs(delivery.triesInSchedule, delivery.id, timeScale) : undefined,
    attemptCount: delivery.attemptCount + 1,
    attempts: [...delivery.attempts, attempt].slice(-orgWebhook.retainedAttempts),
  }
}

/** Starts a new schedule for the same event. A try that is under way at that moment is the first of it. */
export function replay(delivery: Delivery, at: number): Delivery {
  const state = nextState(delivery.state, 'replayed', delivery.triesInSchedule)
  const isTrying = delivery.inFlight !== undefined
  return { ...delivery, state, triesInSchedule: isTrying ? 1 : 0, dueAt: isTrying ? undefined : at, updatedAt: at }
}
