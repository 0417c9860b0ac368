/** Tables of conversations. Their owner is the asid, so the rows of one conversation are in one shard. */

import type { Receipt } from '../../core/channel/inbound.js'
import type { ChannelName } from '../../core/channelnames.js'
import type { WebhookAttempt } from '../../core/conversation/effects.js'
import type { LogEntry, TrafficEntry } from '../../core/conversation/entry.js'
import type { RecordRef, SessionProgress, SessionStart } from '../../core/conversation/history.js'
import type { Conversation, ConversationEvent, OutboundMessageRecord } from '../../core/conversation/state.js'
import { byOwner, cacheWrites, table } from '../store/contract.js'

export const conversationTable = cacheWrites(byOwner(table<[asid: string], Conversation>('conversation')))
export const messageTable = cacheWrites(
  byOwner(table<[asid: string, messageId: string], OutboundMessageRecord>('conversation.messages')),
)
export const eventTable = byOwner(table<[asid: string, number: number], ConversationEvent>('conversation.event'))

/** A caller's or provider's id of a message, and when it expires. */
export interface Alias {
  readonly messageId: string
  readonly until: number
}
export const clientIdTable = byOwner(table<[asid: string, callerId: string], Alias>('conversation.clientIds'))
export const providerIdTable = byOwner(table<[asid: string, providerId: string], Alias>('conversation.providerIds'))
/** Receipts whose send is not known yet, by the provider's id of the message. */
export const parkedTable = byOwner(
  table<[asid: string, providerId: string], { receipts: readonly Receipt[]; until: number }>('conversation.parked'),
)
/** Ids of inbound items for deduplication; `isRepeated`: the log already has a repeat of this item. */
export const seenTable = byOwner(
  table<[asid: string, id: string], { until: number; isRepeated?: true }>('conversation.seen'),
)
/**
 * Records that are listed by agent and time over all shards; no record is written twice for a list. The number counts
 * the records of one conversation, so no two share a key, and each record links to the one before it. Sandbox records
 * have tables of their own, so live lists never meet them.
 */
export type RecordKey = [orgId: string, agentId: string, at: number, asid: string, number: number]
export interface RecordLinks {
  /** The previous record of the same kind; for log records, only those written before `prior` existed have it. */
  readonly previous?: RecordRef
  /** The previous record of any kind, if it is not `previous`. */
  readonly prior?: RecordRef
}
export type TrafficRecord = TrafficEntry & {
  readonly channel: ChannelName
  readonly test?: true
  readonly begins?: 'session' | 'conversation'
} & RecordLinks
export type LogRecord = LogEntry & { readonly channel: ChannelName; readonly sessionId?: string } & RecordLinks
export type AttemptRecord = WebhookAttempt & { readonly channel: ChannelName } & RecordLinks
export const trafficTable = table<RecordKey, TrafficRecord>('traffic')
export const testTrafficTable = table<RecordKey, TrafficRecord>('traffic.test')
export const logTable = table<RecordKey, LogRecord>('agentlog')
/** Calls of the agent's webhook with their outcomes. */
export const attemptTable = table<RecordKey, AttemptRecord>('webhook.attempt')

/**
 * A session from its first message on. `totals` is written when the session ends; until then the conversation has the
 * progress.
 */
export interface SessionRecord extends SessionStart {
  readonly asid: string
  readonly channel: ChannelName
  readonly test?: true
  readonly totals?: Pick<SessionProgress, 'lastAt' | 'messageCount'>
}
export const sessionTable = table<[orgId: string, agentId: string, sessionId: string], SessionRecord>('traffic.session')
/** Activity marks of sessions, one every half hour, which find sessions by time. */
export type ActivityKey = [orgId: string, agentId: string, at: number, asid: string, sessionId: string]
export const activityTable = table<ActivityKey, true>('traffic.activity')
export const testActivityTable = table<ActivityKey, true>('traffic.activity.test')

/** The transcript of a persona's conversation, in order; the text of the agent's messages is in the message table. */
export const sandboxTurnTable = byOwner(
  table<[asid: string, number: number], TrafficEntry & { readonly at: number }>('sandbox.transcript'),
)

/** Events that were given up, by agent over all shards. */
export interface DeadLetter {
  readonly id: string
  readonly asid: string
  readonly at: number
  readonly why: string
  readonly event: ConversationEvent
}
export const deadLetterTable = table<[orgId: string, agentId: string, at: number, id: string], DeadLetter>('deadletter')
