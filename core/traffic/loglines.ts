/**
 * Log lines that are derived from other records: messages, their states, and webhook calls. One record may give several
 * lines; the later of them come first.
 */

import { reminderIdPrefix } from '../automation/reminder.js'
import { type LogEventName, levelOf } from '../catalogs/logevents.js'
import type { WebhookAttempt } from '../conversation/effects.js'
import type { TrafficEntry } from '../conversation/entry.js'
import type { OutboundMessageRecord } from '../conversation/state.js'

export interface LogLine {
  readonly event: LogEventName
  readonly data?: Readonly<Record<string, unknown>>
}

/**
 * Events of lines from traffic records. `attemptEvents` come from webhook calls; all other events are stored log
 * entries.
 */
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
  'reminder.sent',
  'session.started',
  'conversation.started',
]
/** Events of lines in the agent's own shard, in addition to those of conversations. */
export const agentEvents: readonly LogEventName[] = [
  'ingress.signature_refused',
  'ingress.malformed',
  'capability.checked',
  'template.slot_missing',
  'outreach.accepted',
  'outreach.suppressed',
  'connection.lost',
  'scheduling.failed',
  'notify.failed',
]
export const attemptEvents: readonly LogEventName[] = [
  'framework.dispatched',
  'framework.replied',
  'framework.failed',
  'webhook.retried',
]

/** What the lines of a message need beside its record. */
type MessageExtras = Pick<OutboundMessageRecord, 'sendRef' | 'notes'>

/** `begins`: a session, or the conversation with it, begins with this record. */
type TrafficRecord = TrafficEntry & { readonly begins?: 'session' | 'conversation' }

export function trafficLines(record: TrafficRecord, outgoing?: MessageExtras): LogLine[] {
  const { begins } = record
  return [
    ...(record.origin === 'user' ? userLines(record) : statusLines(record, outgoing)),
    ...(begins ? [{ event: 'session.started' as const }] : []),
    ...(begins === 'conversation' ? [{ event: 'conversation.started' as const }] : []),
  ]
}

function userLines({ messageId, subtype, raw }: TrafficRecord): LogLine[] {
  const received: LogLine = { event: 'message.received', data: { messageId, ...(subtype && { subtype }) } }
  if (subtype !== 'result') return [received]
  const { intentId, via } = (raw ?? {}) as { intentId?: string; via?: string }
  return [{ event: 'message.matched', data: { messageId, intentId, via } }, received]
}

function statusLines({ type, subtype, messageId, error, raw }: TrafficRecord, outgoing?: MessageExtras): LogLine[] {
  if (type !== 'status') return []
  const { detail } = (raw ?? {}) as { detail?: string }
  const reasons = { ...(error && { reason: error }), ...(detail && { detail }) }
  const sendId = outgoing?.sendRef?.sendId
  const isReminder = sendId?.startsWith(`${reminderIdPrefix}_`)
  const sendLines = (event: LogEventName): LogLine[] =>
    sendId === undefined ? [] : [{ event, data: { sendId, messageId, ...reasons } }]
  const notes = (outgoing?.notes ?? []).map(({ event, data }) => ({ event, data: { messageId, ...data } }))
  const unreachable: LogLine[] =
    error === 'mediaUnreachable' ? [{ event: 'media.unreachable', data: { messageId, ...reasons } }] : []
  const lines: Readonly<Record<string, LogLine[]>> = {
    queued: [{ event: 'message.held', data: { messageId } }],
    sent: [
      ...sendLines(isReminder ? 'reminder.sent' : 'outreach.dispatched'),
      { event: 'message.sent', data: { messageId } },
      ...notes,
    ],
    failed: [
      ...sendLines('outreach.failed'),
      { event: 'message.failed', data: { messageId, ...reasons } },
      ...unreachable,
    ],
  }
  return lines[subtype ?? ''] ?? [{ event: 'receipt.received' as const, data: { messageId, state: subtype } }]
}

export function attemptLines(attempt: WebhookAttempt): LogLine[] {
  const { eventId, type, attempt: tried, outcome, durationMs: ms, status, messages = 0, why, nextAt } = attempt
  const call = { eventId, type, tried }
  const response = { ...call, ms, ...(status !== undefined && { status }), ...(why !== undefined && { why }) }
  const dispatched: LogLine = { event: 'framework.dispatched', data: call }
  if (outcome === 'taken') return [{ event: 'framework.replied', data: { ...response, messages } }, dispatched]
  if (outcome === 'failed') return [{ event: 'framework.failed', data: response }, dispatched]
  const retried = { ...response, ...(nextAt !== undefined && { nextAt: new Date(nextAt).toISOString() }) }
  return [{ event: 'webhook.retried', data: retried }, dispatched]
}

export function withLevel({ event, data }: LogLine) {
  return { level: levelOf(event), event, ...(data && { data }) }
}
