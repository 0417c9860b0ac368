/**
 * The lines of an agent's log that are not written but read off other records: what was said, what became of it, and calls
 * of the webhook. A record is several lines at times; the later of them come first.
 */

import { type LogEventName, levelOf } from '../catalogs/logevents.js'
import type { WebhookAttempt } from '../conversation/effects.js'
import type { TrafficEntry } from '../conversation/entry.js'
import type { Outgoing } from '../conversation/state.js'

export interface LogLine {
  readonly event: LogEventName
  readonly data?: Readonly<Record<string, unknown>>
}

/** Events that lines of traffic have, and events that calls of the webhook have; every other is written. */
export const trafficEvents: readonly LogEventName[] = [
  'message.received',
  'message.matched',
  'message.held',
  'message.sent',
  'message.degraded',
  'message.truncated',
  'media.fetched',
  'media.unreachable',
  'message.failed',
  'receipt.received',
  'outreach.dispatched',
  'outreach.failed',
  'session.started',
  'conversation.started',
]
/** Events that lines in the agent's own shard have, beside lines of conversations. */
export const agentEvents: readonly LogEventName[] = [
  'ingress.signature_refused',
  'ingress.malformed',
  'capability.checked',
  'template.slot_missing',
  'outreach.accepted',
  'outreach.suppressed',
]
export const attemptEvents: readonly LogEventName[] = [
  'framework.dispatched',
  'framework.replied',
  'framework.failed',
  'webhook.retried',
]

/** `begins`: a session, or the conversation with it, begins with this record. */
/** What the lines of a message are read off beside its record. */
type Kept = Pick<Outgoing, 'forSend' | 'notes'>

type Traffic = TrafficEntry & { readonly begins?: 'session' | 'conversation' }

export function linesOfTraffic(record: Traffic, outgoing?: Kept): LogLine[] {
  const { begins } = record
  return [
    ...(record.origin === 'user' ? linesOfUser(record) : linesOfState(record, outgoing)),
    ...(begins ? [{ event: 'session.started' as const }] : []),
    ...(begins === 'conversation' ? [{ event: 'conversation.started' as const }] : []),
  ]
}

function linesOfUser({ messageId, subtype, raw }: Traffic): LogLine[] {
  const received: LogLine = { event: 'message.received', data: { messageId, ...(subtype && { subtype }) } }
  if (subtype !== 'result') return [received]
  const { intentId, via } = (raw ?? {}) as { intentId?: string; via?: string }
  return [{ event: 'message.matched', data: { messageId, intentId, via } }, received]
}

function linesOfState({ type, subtype, messageId, error, raw }: Traffic, outgoing?: Kept): LogLine[] {
  if (type !== 'status') return []
  const { detail } = (raw ?? {}) as { detail?: string }
  const why = { ...(error && { reason: error }), ...(detail && { detail }) }
  const sendId = outgoing?.forSend?.sendId
  const ofSend = (event: LogEventName): LogLine[] =>
    sendId === undefined ? [] : [{ event, data: { sendId, messageId, ...why } }]
  const shown = (outgoing?.notes ?? []).map(({ event, data }) => ({ event, data: { messageId, ...data } }))
  const unreachable: LogLine[] =
    error === 'mediaUnreachable' ? [{ event: 'media.unreachable', data: { messageId, ...why } }] : []
  const lines: Readonly<Record<string, LogLine[]>> = {
    queued: [{ event: 'message.held', data: { messageId } }],
    sent: [...ofSend('outreach.dispatched'), { event: 'message.sent', data: { messageId } }, ...shown],
    failed: [...ofSend('outreach.failed'), { event: 'message.failed', data: { messageId, ...why } }, ...unreachable],
  }
  return lines[subtype ?? ''] ?? [{ event: 'receipt.received' as const, data: { messageId, state: subtype } }]
}

export function linesOfAttempt(attempt: WebhookAttempt): LogLine[] {
  const { eventId, type, tried, outcome, ms, status, messages = 0, why, nextAt } = attempt
  const call = { eventId, type, tried }
  const came = { ...call, ms, ...(status !== undefined && { status }), ...(why !== undefined && { why }) }
  const dispatched: LogLine = { event: 'framework.dispatched', data: call }
  if (outcome === 'taken') return [{ event: 'framework.replied', data: { ...came, messages } }, dispatched]
  if (outcome === 'failed') return [{ event: 'framework.failed', data: came }, dispatched]
  const again = { ...came, ...(nextAt !== undefined && { nextAt: new Date(nextAt).toISOString() }) }
  return [{ event: 'webhook.retried', data: again }, dispatched]
}

export function levelled({ event, data }: LogLine) {
  return { level: levelOf(event), event, ...(data && { data }) }
}
