/** Queries for records of turns: a bounded scan of one shard, the turns of one person, and one record by its id. */
import type { AgentRef } from '../../core/agentref.js'
import type { RecordRef } from '../../core/conversation/history.js'
import type { Conversation } from '../../core/conversation/state.js'
import { refuse } from '../../core/errors.js'
import { turnLists as limits, traffic } from '../../core/limits/index.js'
import type { Position, ScanPage } from '../../core/traffic/merge.js'
import { matchesTurn, type TurnFilter } from '../../core/turn/query.js'
import type { TurnRecord } from '../../core/turn/record.js'
import type { TurnIdParts } from '../../core/turn/turnid.js'
import { type TurnEntry, type TurnListEntry, turnEntry, turnListEntry } from '../../core/turn/view.js'
import { recordTables } from '../conversation/history.js'
import { conversationTable, type RecordKey } from '../conversation/tables.js'
import type { Query } from '../shard/contract.js'
import type { Reader } from '../store/contract.js'
import {
  collectScanPage,
  conversationOf,
  type OfPerson,
  type ScanInput,
  scanBackwards,
  tablesFor,
} from '../traffic/scan.js'
import { type StoredTurn, testTurnTable, turnTable } from './tables.js'

export interface TurnScan extends ScanInput {
  readonly filter: TurnFilter
}

interface SeenTurn {
  readonly position: Position
  readonly value: StoredTurn
}

const list: Query<TurnScan, ScanPage<TurnListEntry>> = {
  name: 'turn.list',
  read(reader, input) {
    const { filter, limit, window } = input
    const isUnfiltered = Object.keys(filter).length === 0
    const mostRecords = Math.ceil(traffic.rowsPerRead / limits.rowsPerRecord)
    const maxRows = isUnfiltered ? Math.min(limit, mostRecords) : mostRecords
    const tables = tablesFor(input).map(({ turns }) => turns)
    return pageOf(scanBackwards(reader, tables, input, { from: window.from, maxRows }), input)
  },
}

/** The same from the history of one person, which contains no other person's turns. */
const ofPerson: Query<OfPerson<TurnScan>, ScanPage<TurnListEntry>> = {
  name: 'turn.list.of',
  read(reader, input) {
    const conversation = conversationOf(reader, input)
    return conversation ? pageOf(turnsOf(reader, conversation, input), input) : { rows: [] }
  },
}

function pageOf(seenTurns: Iterable<SeenTurn>, { agentId, filter, limit, window }: TurnScan): ScanPage<TurnListEntry> {
  const until = window.until ?? Number.POSITIVE_INFINITY
  const rowsOf = ({ position, value }: SeenTurn) =>
    position[0] < until && matchesTurn(value, filter)
      ? [{ position, entry: turnListEntry(agentId, recordOf(value)) }]
      : []
  return collectScanPage(seenTurns, limit, rowsOf, ({ value }) => rowCount(value))
}

/** Turns of a conversation, newest first and not older than the time range. */
function* turnsOf(reader: Reader, conversation: Conversation, { window, after }: TurnScan): Generator<SeenTurn> {
  const start = after && recordAt(reader, conversation, [after[0], after[2] as number])?.previous
  for (const seen of walkTurns(reader, conversation, after ? start : conversation.history?.turn)) {
    if (seen.position[0] < window.from) return
    yield seen
  }
}

function* walkTurns(reader: Reader, conversation: Conversation, from: RecordRef | undefined): Generator<SeenTurn> {
  let ref = from
  for (let value = ref && recordAt(reader, conversation, ref); ref && value; ) {
    yield { position: [ref[0], conversation.asid, ref[1]], value }
    ref = value.previous
    value = ref && recordAt(reader, conversation, ref)
  }
}

function recordAt(reader: Reader, { agent, asid, sandbox }: Conversation, [time, number]: RecordRef) {
  const { turns } = recordTables[sandbox ? 'test' : 'live']
  return reader.get(turns, [agent.orgId, agent.agentId, time, asid, number])
}

/** Newest first, at most `limit`; none of a conversation of another agent. */
export function* turnsOfConversation(
  reader: Reader,
  { orgId, agentId }: AgentRef,
  asid: string,
  limit: number,
): Generator<TurnRecord> {
  const conversation = reader.get(conversationTable, [asid])
  if (conversation?.agent.orgId !== orgId || conversation.agent.agentId !== agentId) return
  let count = 0
  for (const { value } of walkTurns(reader, conversation, conversation.history?.turn)) {
    if (count++ === limit) return
    yield recordOf(value)
  }
}

/** The rows of traffic that the record counts as, by what it may be as long as. */
function rowCount({ toolCalls, effects }: TurnRecord): number {
  return limits.rowsPerRecord + limits.rowsPerCall * (toolCalls.length + effects.length)
}

/** A turn of the sandbox as well: its id names no other record. */
const find: Query<AgentRef & TurnIdParts, TurnEntry> = {
  name: 'turn.find',
  read(reader, { orgId, agentId, asid, startedAt, number }) {
    const key: RecordKey = [orgId, agentId, startedAt, asid, number]
    const record = reader.get(turnTable, key) ?? reader.get(testTurnTable, key)
    return record ? turnEntry(agentId, recordOf(record)) : refuse('resource.not_found')
  },
}

function recordOf({ previous: _previous, hasLateOutcome: _late, ...record }: StoredTurn): TurnRecord {
  return record
}

export const turnQueries = { list, ofPerson, find }
