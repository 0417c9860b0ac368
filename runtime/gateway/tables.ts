/** What is kept of conversations, all of it with its owner, the asid, in one shard. */

import type { ChannelName } from '../../core/channel/names.js'
import type { LogEntry, TrafficEntry } from '../../core/conversation/desk.js'
import type { Receipt } from '../../core/conversation/receipts.js'
import type { Conversation, ConversationEvent, Outgoing } from '../../core/conversation/state.js'
import { readSoon, table } from '../store/contract.js'

export const conversationTable = readSoon(table<[asid: string], Conversation>('conversation'))
export const outgoingTable = readSoon(table<[asid: string, messageId: string], Outgoing>('conversation.outgoing'))
export const eventTable = table<[asid: string, number: number], ConversationEvent>('conversation.event')

/** A name that somebody else gave a message, and until when it is known. */
export interface Alias {
  readonly messageId: string
  readonly until: number
}
export const callerIdTable = table<[asid: string, callerId: string], Alias>('conversation.caller')
export const providerIdTable = table<[asid: string, providerId: string], Alias>('conversation.provider')
/** Receipts whose send is not known yet, by what the provider calls it. */
export const parkedTable = table<[asid: string, providerId: string], { receipts: readonly Receipt[]; until: number }>(
  'conversation.parked',
)
/** What a provider has told us already, by its own id. */
export const seenTable = table<[asid: string, id: string], { until: number }>('conversation.seen')
/**
 * Records that people list by agent and time over all shards: nothing is written twice for the sake of a list. The number
 * counts the records of a conversation, so that no two fall on one key.
 */
type RecordKey = [orgId: string, agentId: string, at: number, asid: string, number: number]
export const trafficTable = table<RecordKey, TrafficEntry & { readonly channel: ChannelName; readonly test?: true }>(
  'traffic',
)
export const logTable = table<RecordKey, LogEntry & { readonly channel: ChannelName; readonly sessionId?: string }>(
  'agentlog',
)

/** What was said in the conversation of a persona, in its order; the agent's messages stand with the others of the conversation. */
export const turnTable = table<[asid: string, number: number], TrafficEntry & { readonly at: number }>(
  'conversation.turn',
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
