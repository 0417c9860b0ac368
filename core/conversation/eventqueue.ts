/**
 * The queue of events for an agent: one at a time per person; for a webhook with retries, and a dead letter at the end.
 */
import type { LogNote } from '../catalogs/logevents.js'
import { agentWebhook as limits } from '../limits/index.js'
import type { Conversation, ConversationEvent } from './state.js'
import { type ConversationTx, log } from './transaction.js'

/** The outcome of calling the webhook with an event. */
export type WebhookOutcome = (
  | {
      readonly kind: 'taken'
      /** The part of the reply that could not be used; the event becomes a dead letter. */
      readonly problem?: string
      /** The part of the reply that was refused for a reason that another call would not change. */
      readonly refused?: string
    }
  /** No answer, or one that asks for a retry, not before `retryAfterMs` if that is set. */
  | { readonly kind: 'retryable'; readonly why: string; readonly retryAfterMs?: number }
  /** An answer that would be the same next time. */
  | { readonly kind: 'refused'; readonly why: string }
) &
  WebhookCall

interface WebhookCall {
  /** Lines of the agent's log about the reply. */
  readonly notes?: readonly LogNote[]
  /** Absent if the agent has no webhook to call. */
  readonly call?: { readonly durationMs: number; readonly status?: number; readonly messages?: number }
}

type RejectedParts = Pick<Extract<WebhookOutcome, { kind: 'taken' }>, 'problem' | 'refused'>

/** Applies the outcome of the event at the head of the queue. */
export function applyWebhookOutcome(
  tx: ConversationTx,
  conversation: Conversation,
  event: ConversationEvent,
  outcome: WebhookOutcome,
): Conversation {
  const { firstEvent: number } = conversation
  for (const note of outcome.notes ?? []) log(tx, note.event, { eventId: event.eventId, ...note.data })
  const tried = (event.attempts ?? 0) + 1
  const waitMs = outcome.kind === 'retryable' ? limits.retryAfterMs[tried - 1] : undefined
  const { problem, refused }: RejectedParts = outcome.kind === 'taken' ? outcome : { problem: outcome.why }
  const why = [problem, refused].filter(Boolean).join(' ') || undefined
  const attempt = { ...attemptOf(event, tried, outcome), ...(why !== undefined && { why }) }
  if (waitMs !== undefined) {
    tx.record({ kind: 'event', number, event: { ...event, attempts: tried } })
    const requestedMs = outcome.kind === 'retryable' ? (outcome.retryAfterMs ?? 0) : 0
    const nextAt = tx.command.at + Math.max(tx.command.scaled(waitMs), requestedMs)
    tx.record({ kind: 'webhookAttempt', attempt: { ...attempt, outcome: 'retried', nextAt } })
    tx.emit({ kind: 'setTimer', timer: 'webhook', at: nextAt })
    return conversation
  }
  if (outcome.call) {
    tx.record({
      kind: 'webhookAttempt',
      attempt: { ...attempt, outcome: why === undefined ? 'taken' : 'failed' },
    })
  }
  if (problem !== undefined) {
    tx.record({ kind: 'deadLetter', event, why: problem })
    log(tx, 'webhook.parked', { eventId: event.eventId, why: problem })
  }
  tx.record({ kind: 'event', number, event: undefined })
  const next = { ...conversation, firstEvent: number + 1 }
  dispatchHead(tx, next)
  return next
}

function attemptOf({ eventId, sessionId, event }: ConversationEvent, attempt: number, { call }: WebhookOutcome) {
  const { durationMs = 0, status, messages } = call ?? {}
  return {
    eventId,
    type: event.type,
    sessionId,
    attempt,
    durationMs,
    ...(status !== undefined && { status }),
    ...(messages && { messages }),
  }
}

/** Gives the event at the head of the queue to the agent, if there is one and no turn is open. */
export function dispatchHead(tx: ConversationTx, { firstEvent, nextEvent, turn }: Conversation): void {
  if (firstEvent < nextEvent && !turn) tx.emit({ kind: 'dispatchEvent', number: firstEvent })
}
