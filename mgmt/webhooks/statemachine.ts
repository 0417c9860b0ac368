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
 * `tried` is the number of tries of the current schedule; each schedule has as many tries as the table of waits has
 * rows.
 */
export function next(from: DeliveryState, on: Trigger, tried: number): DeliveryState {
  const triesLeft = tried < orgWebhook.retryAfterMs.length ? 'triesLeft' : 'noTriesLeft'
  const transition = transitions.find(
    (row) => row.from.includes(from) && row.on === on && (row.when === 'always' || row.when === triesLeft),
  )
  if (!transition) throw new Error(`a delivery that is ${from} cannot be ${on}`)
  return transition.to
}

/**
 * The wait before the next try after `tried` tries. Never shorter than the schedule, and up to a fifth longer; the ids
 * decide the jitter, so a repeated decision returns the same time.
 */
export function waitMs(tried: number, deliveryId: string, timeScale: number): number {
  const wait = orgWebhook.retryAfterMs[tried] ?? 0
  return Math.round((wait * (1 + orgWebhook.retryJitterShare * share(`${deliveryId}/${tried}`))) / timeScale)
}

/** A number from 0 up to 1 that depends on the text only (FNV-1a with a final mix). */
function share(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}

/** The outcome of a try. A stopped try was aborted by this side because the webhook changed, and does not count. */
export type Outcome = ({ readonly kind: 'succeeded' | 'failed' } & Attempt) | { readonly kind: 'stopped' }

export function startTry(delivery: Delivery, at: number): Delivery {
  const started = delivery.started + 1
  return { ...delivery, started, trying: started, tried: delivery.tried + 1, dueAt: undefined, updatedAt: at }
}

export function applyOutcome(delivery: Delivery, outcome: Outcome, at: number, timeScale: number): Delivery {
  const idle = { ...delivery, trying: undefined, updatedAt: at }
  if (outcome.kind === 'stopped') return { ...idle, tried: delivery.tried - 1, dueAt: at }
  const { kind, ...attempt } = outcome
  const state = next(delivery.state, kind, delivery.tried)
  return {
    ...idle,
    state,
    dueAt: state === 'pending' ? at + waitMs(delivery.tried, delivery.id, timeScale) : undefined,
    attemptCount: delivery.attemptCount + 1,
    attempts: [...delivery.attempts, attempt].slice(-orgWebhook.attemptsKept),
  }
}

/** Starts a new schedule for the same event. A try that is under way at that moment is the first of it. */
export function replay(delivery: Delivery, at: number): Delivery {
  const state = next(delivery.state, 'replayed', delivery.tried)
  const isTrying = delivery.trying !== undefined
  return { ...delivery, state, tried: isTrying ? 1 : 0, dueAt: isTrying ? undefined : at, updatedAt: at }
}
