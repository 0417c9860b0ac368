/** API views of traffic records, log entries and sessions. */

import type { ChannelName } from '../channelnames.js'
import type { WebhookAttempt } from '../conversation/effects.js'
import type { LogEntry, TrafficEntry } from '../conversation/entry.js'
import type { SessionProgress } from '../conversation/history.js'
import type { OutboundMessageRecord } from '../conversation/state.js'
import { attemptEvents } from './loglines.js'

export const emulatedChannels = ['rcs', 'sms', 'vendorMessages', 'messengerA'] as const
type EmulatedChannel = (typeof emulatedChannels)[number]

/**
 * The channel of a record. Sandbox conversations run on Parley's own channel, which looks like the channel it emulates.
 */
export interface Surface {
  channel: ChannelName
  test?: true
  emulatedChannel?: EmulatedChannel
}

export interface MessageEntry extends Surface {
  timestamp: string
  agentId: string
  userId: string
  sessionId: string
  origin: TrafficEntry['origin']
  type: TrafficEntry['type']
  subtype?: string
  text?: string
  messageId: string
  channelMessageId?: string
  error?: string
  raw: unknown
}

export interface ConversationSummary extends Surface {
  sessionId: string
  userId: string
  startedAt: string
  endedAt: string
  messageCount: number
  firstMessagePreview?: string
}

export interface UserSummary extends Surface {
  userId: string
  lastSeenAt: string
  messageCount: number
}

export interface AgentLogEntry {
  timestamp: string
  agentId: string
  level: LogEntry['level']
  event: string
  framework?: string
  userId?: string
  sessionId?: string
  channel?: ChannelName
  data?: Record<string, unknown>
  error?: { message: string }
  raw: unknown
}

/** A session as it is stored: how it began, and its progress. */
export interface Session {
  readonly id: string
  readonly asid: string
  readonly channel: ChannelName
  readonly test?: true
  readonly startedAt: number
  readonly preview?: string
  readonly progress: Pick<SessionProgress, 'lastAt' | 'messageCount'>
}

const iso = (at: number) => new Date(at).toISOString()

export function surfaceOf({ channel, test }: { readonly channel: ChannelName; readonly test?: true }): Surface {
  if (!test) return { channel }
  const emulatedChannel = emulatedChannels.find((each) => each === channel)
  return { channel: 'webchat', test, ...(emulatedChannel && { emulatedChannel }) }
}

export interface RecordLocation {
  readonly agentId: string
  readonly asid: string
  readonly at: number
}

/** `outgoing` is the message of the record, if the agent sent it. */
export function messageEntry(
  { agentId, asid, at }: RecordLocation,
  record: TrafficEntry & { readonly channel: ChannelName; readonly test?: true },
  outgoing: OutboundMessageRecord | undefined,
): MessageEntry {
  const { origin, type, subtype, sessionId, text, messageId, error, raw } = record
  const channelMessageId = record.channelMessageId ?? outgoing?.providerIds?.[0]
  return {
    timestamp: iso(at),
    agentId,
    userId: asid,
    sessionId,
    origin,
    type,
    ...(subtype !== undefined && { subtype }),
    ...surfaceOf(record),
    ...(text !== undefined && { text }),
    messageId,
    ...(channelMessageId !== undefined && { channelMessageId }),
    ...(error !== undefined && { error }),
    raw: raw ?? outgoing?.message ?? {},
  }
}

/** A line that is about no person has an empty `asid`. */
export function logEntry(
  { agentId, asid, at }: RecordLocation,
  record: LogEntry & { readonly channel?: ChannelName; readonly sessionId?: string },
): AgentLogEntry {
  const { level, event, data, channel, sessionId } = record
  const why = level === 'error' || event === 'webhook.retried' ? data?.why : undefined
  return {
    timestamp: iso(at),
    agentId,
    level,
    event,
    ...frameworkOf(event, data),
    ...(asid !== '' && { userId: asid }),
    ...(sessionId !== undefined && { sessionId }),
    ...(channel !== undefined && { channel }),
    ...(data && { data }),
    ...(typeof why === 'string' && { error: { message: why } }),
    raw: { level, event, ...(data && { data }) },
  }
}

/** Who was asked to answer: lines of managed turns name their turn. */
function frameworkOf(event: string, data: LogEntry['data']): { framework?: 'managed' | 'webhook' } {
  if (data?.turnId !== undefined) return { framework: 'managed' }
  return attemptEvents.includes(event as never) ? { framework: 'webhook' } : {}
}

export interface AttemptEntry {
  timestamp: string
  eventId: string
  type: WebhookAttempt['type']
  userId: string
  sessionId: string
  channel: ChannelName
  attempt: number
  outcome: WebhookAttempt['outcome']
  durationMs: number
  status?: number
  messages?: number
  reason?: string
  nextAttemptAt?: string
}

export function attemptEntry(
  { asid, at }: RecordLocation,
  record: WebhookAttempt & { readonly channel: ChannelName },
): AttemptEntry {
  const {
    eventId,
    type,
    sessionId,
    channel,
    attempt: tried,
    outcome,
    durationMs: ms,
    status,
    messages,
    why,
    nextAt,
  } = record
  return {
    timestamp: iso(at),
    eventId,
    type,
    userId: asid,
    sessionId,
    channel,
    attempt: tried,
    outcome,
    durationMs: ms,
    ...(status !== undefined && { status }),
    ...(messages !== undefined && { messages }),
    ...(why !== undefined && { reason: why }),
    ...(nextAt !== undefined && { nextAttemptAt: iso(nextAt) }),
  }
}

export function conversationSummary(session: Session): ConversationSummary {
  const { id, asid, startedAt, preview, progress } = session
  return {
    sessionId: id,
    userId: asid,
    ...surfaceOf(session),
    startedAt: iso(startedAt),
    endedAt: iso(progress.lastAt),
    messageCount: progress.messageCount,
    ...(preview !== undefined && { firstMessagePreview: preview }),
  }
}

/** Sums up one person's sessions, which are newest first and at least one. */
export function userSummary(sessions: readonly Session[]): UserSummary {
  const newest = sessions[0]!
  return {
    userId: newest.asid,
    ...surfaceOf(newest),
    lastSeenAt: iso(newest.progress.lastAt),
    messageCount: sessions.reduce((count, { progress }) => count + progress.messageCount, 0),
  }
}
