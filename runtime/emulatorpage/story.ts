/** What is on record of the conversations behind the phones: how messages fare, and everything about one of them. */
import type { AgentPlace } from '../../core/agentkey.js'
import { isSignal, type OutboundMessage } from '../../core/amf/index.js'
import type { TrafficEntry } from '../../core/conversation/desk.js'
import { type Attempt, type MessageState, messageStates, type Outgoing } from '../../core/conversation/state.js'
import { emulatorPage as limits } from '../../core/limits.js'
import { conversationTable, outgoingTable, providerIdTable, trafficTable } from '../gateway/tables.js'
import type { Query } from '../shard/contract.js'
import type { Reader } from '../store/contract.js'

/** How a message fares. */
export interface Fare {
  readonly messageId: string
  readonly at: number
  readonly state: MessageState
  readonly providerIds: readonly string[]
}

export const readFares: Query<{ readonly asid: string }, readonly Fare[]> = {
  name: 'emulatorpage.fares',
  read(reader, { asid }) {
    const kept = Array.from(reader.range(outgoingTable, { prefix: [asid] }), ({ value }) => value)
    return kept
      .filter(({ message }) => !isSignal(message))
      .sort((a, b) => a.at - b.at)
      .slice(-limits.messagesTold)
      .map(fareOf)
  },
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

export const storyQueries = [readFares, readMessage, readDeeds]
