/** What is kept of conversations, all of it with its owner, the asid, in one shard. */

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

/** A name that somebody else gave a message, and until when it is known. */
export interface Alias {
  readonly messageId: string
  readonly until: number
}
export const clientIdTable = byOwner(table<[asid: string, callerId: string], Alias>('conversation.clientIds'))
export const providerIdTable = byOwner(table<[asid: string, providerId: string], Alias>('conversation.providerIds'))
/** Receipts whose send is not known yet, by what the provider calls it. */
export const parkedTable = byOwner(
  table<[asid: string, providerId: string], { receipts: readonly Receipt[]; until: number }>('conversation.parked'),
)
/** What a provider has told us already, by its own id; `isRepeated`: more than once, which the log has. */
export const seenTable = byOwner(
  table<[asid: string, id: string], { until: number; isRepeated?: true }>('conversation.seen'),
)
/**
 * Records that people list by agent and time over all shards: nothing is written twice for the sake of a list. The number
 * counts the records of a conversation, so that no two fall on one key, and each record says where the one before it is.
 * What was only tried out lies apart, so that no live list comes upon it.
 */
export type RecordKey = [orgId: string, agentId: string, at: number, asid: string, number: number]
export interface RecordLinks {
  /** The record of the same kind before this one; of logs only those that are older than `prior` have it. */
  readonly previous?: RecordRef
  /** The record of any kind before this one, where that is not `previous`. */
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
/** Calls of the agent's webhook, each with what came of it. */
export const attemptTable = table<RecordKey, AttemptRecord>('webhook.attempt')

/** A session from its first message on; what it came to is written when it is over, and stands in the conversation before. */
export interface SessionRecord extends SessionStart {
  readonly asid: string
  readonly channel: ChannelName
  readonly test?: true
  readonly totals?: Pick<SessionProgress, 'lastAt' | 'messageCount'>
}
export const sessionTable = table<[orgId: string, agentId: string, sessionId: string], SessionRecord>('traffic.session')
/** Marks that sessions leave on their way, one every half hour, by which they are found by time. */
export type ActivityKey = [orgId: string, agentId: string, at: number, asid: string, sessionId: string]
export const activityTable = table<ActivityKey, true>('traffic.activity')
export const testActivityTable = table<ActivityKey, true>('traffic.activity.test')

/** What was said in the conversation of a persona, in its order; the agent's messages stand with the others of the conversation. */
export const sandboxTurnTable = byOwner(
  table<[asid: string, number: number], TrafficEntry & { readonly at: number }>('sandbox.transcript'),
)

/** Events that the webhook would not take, by agent over all shards. */
export interface DeadLetter {
  readonly id: string
  readonly asid: string
  readonly at: number
  readonly why: string
  readonly event: ConversationEvent
}
export const deadLetterTable = table<[orgId: string, agentId: string, at: number, id: string], DeadLetter>('deadletter')
