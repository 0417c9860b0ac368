/** What is on record of the conversations behind the phones: how messages fare, and everything about one of them. */

import type { AgentPlace } from '../../core/agentkey.js'
import { isSignal, type OutboundMessage } from '../../core/amf/index.js'
import { type MessageState, messageStates } from '../../core/channel/inbound.js'
import type { TrafficEntry } from '../../core/conversation/entry.js'
import type { Attempt, Conversation, Outgoing } from '../../core/conversation/state.js'
import { emulatorPage as limits } from '../../core/limits.js'
import { conversationTable, outgoingTable, providerIdTable, trafficTable } from '../conversation/tables.js'
import type { Query } from '../shard/contract.js'
import type { Reader } from '../store/contract.js'
import { trailOf } from '../traffic/queries.js'

/** How a message fares. */
export interface Fare {
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

/** What the page shows of a phone's conversation. */
export interface Standing {
  readonly isOptedOut: boolean
  readonly fares: readonly Fare[]
  /** Oldest first. */
  readonly refusals: readonly RefusedMessage[]
}

/**
 * `from`: since when the phone holds what it was sent. What had never reached it by then is not told of: the phone is as
 * good as new, and nothing of what led to that is on it.
 */
export const readStanding: Query<{ readonly asid: string; readonly from: number }, Standing> = {
  name: 'emulatorpage.standing',
  read(reader, { asid, from }) {
    const kept = Array.from(reader.range(outgoingTable, { prefix: [asid] }), ({ value }) => value)
    const fares = kept
      .filter(({ message }) => !isSignal(message))
      .filter(({ states: { failed = from }, providerIds = [] }) => failed >= from || providerIds.length > 0)
      .sort((a, b) => a.at - b.at)
      .slice(-limits.messagesTold)
      .map(fareOf)
    const conversation = reader.get(conversationTable, [asid])
    const isOptedOut = conversation?.optedOutAt !== undefined
    return { isOptedOut, fares, refusals: refusedIn(reader, conversation, from, limits.recordsTold) }
  },
}

/** Refused messages since that time, within the newest `followed` records. */
function refusedIn(
  reader: Reader,
  conversation: Conversation | undefined,
  from: number,
  followed: number,
): RefusedMessage[] {
  const found: RefusedMessage[] = []
  if (!conversation) return found
  for (const { spot, value } of trailOf(reader, conversation)) {
    const [at, number] = spot
    if (at < from || followed-- <= 0) break
    if (!('level' in value) || value.event !== 'message.refused') continue
    const { reason, detail } = value.data ?? {}
    found.push({ number, at, reason: String(reason), ...(detail !== undefined && { detail: String(detail) }) })
  }
  return found.reverse()
}

/** Pieces of a message arrive one by one, and a message has failed or got as far as it got. */
function fareOf({ id, at, states, providerIds = [] }: Outgoing): Fare {
  const furthest = messageStates.findLast((state) => states[state] !== undefined)
  return { messageId: id, at, state: furthest ?? 'queued', providerIds }
}

export interface StoryRecord extends TrafficEntry {
  readonly at: number
}

export interface MessageStory {
  readonly messageId: string
  readonly message: OutboundMessage
  readonly attempt?: Attempt
  readonly states: Outgoing['states']
  readonly providerIds: readonly string[]
  readonly records: readonly StoryRecord[]
}

type Asked = AgentPlace & { readonly asid: string }

/** A message by its id or by what the provider calls it; null when there is none. */
export const readMessage: Query<Asked & { readonly name: string }, MessageStory | null> = {
  name: 'emulatorpage.message',
  read(reader, { name, asid, ...place }) {
    const messageId = reader.get(providerIdTable, [asid, name])?.messageId ?? name
    const outgoing = reader.get(outgoingTable, [asid, messageId])
    if (!outgoing) return null
    const { message, attempt, states, providerIds = [] } = outgoing
    const isAbout = (each: StoryRecord) => each.messageId === messageId
    const records = recordsOf(reader, { ...place, asid }, outgoing.at, isAbout)
    return { messageId, message, ...(attempt && { attempt }), states, providerIds, records }
  },
}

/** Messages of the agent that were refused within that time. */
export const readRefused: Query<
  { readonly asid: string; readonly from: number; readonly until: number },
  readonly RefusedMessage[]
> = {
  name: 'emulatorpage.refused',
  read(reader, { asid, from, until }) {
    const conversation = reader.get(conversationTable, [asid])
    return refusedIn(reader, conversation, from, limits.recordsFollowed).filter(({ at }) => at < until)
  },
}

/** What the person did within that time, as the agent was told. */
export const readDeeds: Query<Asked & { readonly from: number; readonly until: number }, readonly StoryRecord[]> = {
  name: 'emulatorpage.deeds',
  read: (reader, { from, until, ...asked }) =>
    recordsOf(reader, asked, from, ({ at, origin }) => at < until && origin === 'user'),
}

/** Records since that time, oldest first: each says where the one before it is, so those of nobody else are looked at. */
function recordsOf(
  reader: Reader,
  { orgId, agentId, asid }: Asked,
  from: number,
  isWanted: (record: StoryRecord) => boolean,
): StoryRecord[] {
  const found: StoryRecord[] = []
  let spot = reader.get(conversationTable, [asid])?.trail?.traffic
  for (let followed = 0; spot && spot[0] >= from && followed < limits.recordsFollowed; followed++) {
    const [at, number] = spot
    const record = reader.get(trafficTable, [orgId, agentId, at, asid, number])
    if (!record) break
    const { channel: _channel, test: _test, previous, ...entry } = record
    if (isWanted({ at, ...entry })) found.push({ at, ...entry })
    spot = previous
  }
  return found.reverse().slice(0, limits.recordsTold)
}

export const storyQueries = [readStanding, readMessage, readDeeds, readRefused]
