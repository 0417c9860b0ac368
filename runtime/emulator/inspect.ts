/**
 * Queries for the emulator page: progress of messages in a phone's conversation, and everything on record about one
 * message.
 */

import type { AgentRef } from '../../core/agentref.js'
import { isSignal, type OutboundMessage } from '../../core/amf/index.js'
import { type MessageState, messageStates } from '../../core/channel/inbound.js'
import type { TrafficEntry } from '../../core/conversation/entry.js'
import type { Attempt, Conversation, OutboundMessageRecord } from '../../core/conversation/state.js'
import { emulatorPage as limits } from '../../core/limits/index.js'
import { conversationTable, messageTable, providerIdTable, trafficTable } from '../conversation/tables.js'
import type { Query } from '../shard/contract.js'
import type { Reader } from '../store/contract.js'
import { historyOf } from '../traffic/queries.js'

/** The state of one message. */
export interface MessageProgress {
  readonly messageId: string
  readonly at: number
  readonly state: MessageState
  readonly providerIds: readonly string[]
}

/** A message of the agent that the conversation refused. */
export interface RefusedMessage {
  /** Unique in the conversation. */
  readonly number: number
  readonly at: number
  readonly reason: string
  readonly detail?: string
}

/** The conversation's status on a phone. */
export interface PhoneStatus {
  readonly isOptedOut: boolean
  readonly fares: readonly MessageProgress[]
  /** Oldest first. */
  readonly refusals: readonly RefusedMessage[]
}

/**
 * `from`: start of the phone's memory. A message that had failed before, without reaching the provider, is left out,
 * because the phone shows nothing that led to it.
 */
export const readPhoneStatus: Query<{ readonly asid: string; readonly from: number }, PhoneStatus> = {
  name: 'emulatorpage.phoneStatus',
  read(reader, { asid, from }) {
    const outbound = Array.from(reader.range(messageTable, { prefix: [asid] }), ({ value }) => value)
    const fares = outbound
      .filter(({ message }) => !isSignal(message))
      .filter(({ states: { failed = from }, providerIds = [] }) => failed >= from || providerIds.length > 0)
      .sort((a, b) => a.at - b.at)
      .slice(-limits.messagesShown)
      .map(progressOf)
    const conversation = reader.get(conversationTable, [asid])
    const isOptedOut = conversation?.optedOutAt !== undefined
    return { isOptedOut, fares, refusals: refusalsIn(reader, conversation, from, limits.recordsShown) }
  },
}

/** Refused messages since `from`, within the newest `maxRecords` records. */
function refusalsIn(
  reader: Reader,
  conversation: Conversation | undefined,
  from: number,
  maxRecords: number,
): RefusedMessage[] {
  const refusals: RefusedMessage[] = []
  if (!conversation) return refusals
  for (const { ref, value } of historyOf(reader, conversation)) {
    const [at, number] = ref
    if (at < from || maxRecords-- <= 0) break
    if (!('level' in value) || value.event !== 'message.refused') continue
    const { reason, detail } = value.data ?? {}
    refusals.push({ number, at, reason: String(reason), ...(detail !== undefined && { detail: String(detail) }) })
  }
  return refusals.reverse()
}

/** Pieces of a message arrive one by one; the state is `failed` or the furthest state of any piece. */
function progressOf({ id, at, states, providerIds = [] }: OutboundMessageRecord): MessageProgress {
  const furthest = messageStates.findLast((state) => states[state] !== undefined)
  return { messageId: id, at, state: furthest ?? 'queued', providerIds }
}

export interface InspectedRecord extends TrafficEntry {
  readonly at: number
}

export interface MessageDetails {
  readonly messageId: string
  readonly message: OutboundMessage
  readonly attempt?: Attempt
  readonly states: OutboundMessageRecord['states']
  readonly providerIds: readonly string[]
  readonly records: readonly InspectedRecord[]
}

type ConversationRef = AgentRef & { readonly asid: string }

/** A message by its id or its provider id; null if it does not exist. */
export const readMessage: Query<ConversationRef & { readonly name: string }, MessageDetails | null> = {
  name: 'emulatorpage.message',
  read(reader, { name, asid, ...agentRef }) {
    const messageId = reader.get(providerIdTable, [asid, name])?.messageId ?? name
    const record = reader.get(messageTable, [asid, messageId])
    if (!record) return null
    const { message, attempt, states, providerIds = [] } = record
    const isAbout = (each: InspectedRecord) => each.messageId === messageId
    const records = recordsOf(reader, { ...agentRef, asid }, record.at, isAbout)
    return { messageId, message, ...(attempt && { attempt }), states, providerIds, records }
  },
}

/** The agent's messages that were refused within that time. */
export const readRefusals: Query<
  { readonly asid: string; readonly from: number; readonly until: number },
  readonly RefusedMessage[]
> = {
  name: 'emulatorpage.refusals',
  read(reader, { asid, from, until }) {
    const conversation = reader.get(conversationTable, [asid])
    return refusalsIn(reader, conversation, from, limits.recordsFollowed).filter(({ at }) => at < until)
  },
}

/** The person's traffic records within that time. */
export const readUserRecords: Query<
  ConversationRef & { readonly from: number; readonly until: number },
  readonly InspectedRecord[]
> = {
  name: 'emulatorpage.userRecords',
  read: (reader, { from, until, ...conversationRef }) =>
    recordsOf(reader, conversationRef, from, ({ at, origin }) => at < until && origin === 'user'),
}

/**
 * Records since `from`, oldest first. Follows the chain of previous records, so it reads no other conversation's
 * records.
 */
function recordsOf(
  reader: Reader,
  { orgId, agentId, asid }: ConversationRef,
  from: number,
  matches: (record: InspectedRecord) => boolean,
): InspectedRecord[] {
  const records: InspectedRecord[] = []
  let ref = reader.get(conversationTable, [asid])?.history?.traffic
  for (let scanned = 0; ref && ref[0] >= from && scanned < limits.recordsFollowed; scanned++) {
    const [at, number] = ref
    const record = reader.get(trafficTable, [orgId, agentId, at, asid, number])
    if (!record) break
    const { channel: _channel, test: _test, previous, ...entry } = record
    if (matches({ at, ...entry })) records.push({ at, ...entry })
    ref = previous
  }
  return records.reverse().slice(0, limits.recordsShown)
}

export const inspectQueries = [readPhoneStatus, readMessage, readUserRecords, readRefusals]
