/** Queries for messages and logs: a bounded scan of one shard, or the history of one person. */

import type { AgentRef } from '../../core/agentref.js'
import type { RecordRef } from '../../core/conversation/history.js'
import type { Conversation } from '../../core/conversation/state.js'
import { traffic as limits } from '../../core/limits/index.js'
import {
  agentEvents,
  attemptEvents,
  attemptLines,
  trafficEvents,
  trafficLines,
  withLevel,
} from '../../core/traffic/loglines.js'
import { newestFirst, type Position, type PositionedRecord, type ScanPage } from '../../core/traffic/merge.js'
import { type Filter, matchesFilter } from '../../core/traffic/query.js'
import {
  type AgentLogEntry,
  type AttemptEntry,
  attemptEntry,
  logEntry,
  type MessageEntry,
  messageEntry,
} from '../../core/traffic/view.js'
import { agentNoteTable } from '../conversation/agentlog.js'
import { newestRecord, recordTables } from '../conversation/history.js'
import {
  type AttemptRecord,
  attemptTable,
  type LogRecord,
  logTable,
  messageTable,
  type RecordKey,
  sessionTable,
  type TrafficRecord,
  trafficTable,
} from '../conversation/tables.js'
import type { Query } from '../shard/contract.js'
import type { Reader, Table } from '../store/contract.js'
import { collectScanPage, conversationOf, type OfPerson, type ScanInput, scanBackwards, tablesFor } from './scan.js'

export interface RecordScan extends ScanInput {
  readonly filter: Filter
}

/** One kind of list: its tables, newest first, and the entries of each record. */
interface RecordKind<V, T> {
  tables(input: RecordScan): readonly Table<RecordKey, V>[]
  /** The records of one conversation after the position `after`. */
  history(
    reader: Reader,
    conversation: Conversation,
    after: RecordRef | undefined,
  ): Iterable<{ ref: RecordRef; value: V }>
  /** The entries of a record, latest first. */
  entries(reader: Reader, key: RecordKey, record: V, filter: Filter): T[]
}

const messages: RecordKind<TrafficRecord, MessageEntry> = {
  tables: (input) => tablesFor(input).map(({ traffic }) => traffic),
  *history(reader, conversation, after) {
    const table = trafficOf(conversation)
    const at = (ref: RecordRef) => reader.get(table, keyOf(conversation, ref))
    let ref = after ? at(after)?.previous : conversation.history?.traffic
    for (let value = ref && at(ref); ref && value; value = ref && at(ref)) {
      yield { ref, value }
      ref = value.previous
    }
  },
  entries(reader, [, agentId, at, asid], record, filter) {
    if (!matchesFilter(record, filter)) return []
    return [messageEntry({ agentId, asid, at }, record, messageOf(reader, asid, record))]
  },
}

type AnyRecord = LogRecord | AttemptRecord | TrafficRecord

/** Every kind of record has log entries, unless the filter names an event that only one kind has. */
const logs: RecordKind<AnyRecord, AgentLogEntry> = {
  tables({ filter: { event } }) {
    const hasEvent = (events: readonly string[]) => event === undefined || events.includes(event)
    return [
      logTable,
      ...(hasEvent(agentEvents) ? [agentNoteTable] : []),
      ...(hasEvent(attemptEvents) ? [attemptTable] : []),
      ...(hasEvent(trafficEvents) ? [trafficTable] : []),
    ] as Table<RecordKey, AnyRecord>[]
  },
  *history(reader, conversation, after) {
    const tables = [trafficOf(conversation), attemptTable, logTable] as Table<RecordKey, AnyRecord>[]
    const at = (ref: RecordRef) => {
      for (const table of tables) {
        const record = reader.get(table, keyOf(conversation, ref))
        if (record) return record
      }
      return undefined
    }
    const previousOf = ({ prior, previous }: AnyRecord) => prior ?? previous
    const startRecord = after && at(after)
    let ref = after ? startRecord && previousOf(startRecord) : newestRecord(conversation)
    for (let value = ref && at(ref); ref && value; value = ref && at(ref)) {
      yield { ref, value }
      ref = previousOf(value)
    }
  },
  entries(reader, [, agentId, at, asid], record, filter) {
    const { channel, sessionId } = record
    return logEntriesOf(reader, asid, record)
      .map((entry) => ({ ...(channel && { channel }), ...(sessionId && { sessionId }), ...entry }))
      .filter((entry) => matchesFilter(entry, filter))
      .map((entry) => logEntry({ agentId, asid, at }, entry))
  },
}

/** Records of a conversation of every kind, newest first. */
export const historyOf = (reader: Reader, conversation: Conversation) => logs.history(reader, conversation, undefined)

function logEntriesOf(reader: Reader, asid: string, record: AnyRecord): Omit<LogRecord, 'channel'>[] {
  if ('level' in record) return [record]
  if ('outcome' in record) return attemptLines(record).map(withLevel)
  return trafficLines(record, messageOf(reader, asid, record)).map(withLevel)
}

const attempts: RecordKind<AttemptRecord, AttemptEntry> = {
  tables: () => [attemptTable],
  *history(reader, conversation, after) {
    for (const { ref, value } of logs.history(reader, conversation, after)) {
      if ('outcome' in value) yield { ref, value }
    }
  },
  entries: (_reader, [, agentId, at, asid], record, filter) =>
    matchesFilter(record, filter) ? [attemptEntry({ agentId, asid, at }, record)] : [],
}

function messageOf(reader: Reader, asid: string, { origin, messageId }: TrafficRecord) {
  return origin === 'agent' ? reader.get(messageTable, [asid, messageId]) : undefined
}

function trafficOf({ sandbox }: Conversation) {
  return recordTables[sandbox ? 'test' : 'live'].traffic
}

function keyOf({ agent: { orgId, agentId }, asid }: Conversation, [at, number]: RecordRef): RecordKey {
  return [orgId, agentId, at, asid, number]
}

/** Each entry of a record gets a position of its own; the first entry is the newest. */
function toRows<T>([at, asid, number]: Position, entries: readonly T[]): PositionedRecord<T>[] {
  return entries.map((entry, nth) => {
    return { position: [at, asid, (number as number) + (entries.length - 1 - nth) / maxEntriesPerRecord], entry }
  })
}

/** An upper bound of the entries of one record. */
const maxEntriesPerRecord = 8

/** Rows of the record; of the record where the previous page ended, only those after that position. */
function rowsOf<V, T>(
  kind: RecordKind<V, T>,
  reader: Reader,
  { filter, after }: RecordScan,
  key: RecordKey,
  value: V,
): PositionedRecord<T>[] {
  const [, , ...position] = key
  const rows = toRows(position, kind.entries(reader, key, value, filter))
  return after ? rows.filter((row) => newestFirst(after, row.position) < 0) : rows
}

/** A bounded scan of these tables, of one person if `asid` is given. */
function listRecords<V, T>(
  kind: RecordKind<V, T>,
  reader: Reader,
  input: RecordScan,
  tables: readonly Table<RecordKey, V>[],
  asid?: string,
): ScanPage<T> {
  const { filter, limit, window } = input
  const isUnfiltered = asid === undefined && Object.keys(filter).length === 0
  const maxRows = isUnfiltered ? Math.min(limit, limits.rowsPerRead) : limits.rowsPerRead
  const walk = scanBackwards(reader, tables, input, { from: window.from, maxRows })
  const isOfPerson = (key: RecordKey) => asid === undefined || key[3] === asid
  return collectScanPage(walk, limit, ({ key, value }) =>
    isOfPerson(key) ? rowsOf(kind, reader, input, key, value) : [],
  )
}

function createQueries<V, T>(name: string, kind: RecordKind<V, T>) {
  const list: Query<RecordScan, ScanPage<T>> = {
    name: `traffic.${name}`,
    read: (reader, input) => listRecords(kind, reader, input, kind.tables(input)),
  }

  /**
   * The same from the history of one person, which contains no other person's records. A position outside of the
   * history, such as that of an agent log line, falls back to a scan of the tables.
   */
  const history: Query<OfPerson<RecordScan>, ScanPage<T>> = {
    name: `traffic.${name}.of`,
    read(reader, input) {
      const { limit, window, after } = input
      const until = window.until ?? Number.POSITIVE_INFINITY
      const conversation = conversationOf(reader, input)
      if (!conversation) return { rows: [] }
      const number = after && (after[2] as number)
      if (number !== undefined && (number < 0 || after![1] !== input.asid)) {
        const tables = kind.tables(input).filter((table) => (table as unknown) !== agentNoteTable)
        return listRecords(kind, reader, input, tables, input.asid)
      }
      const ref: RecordRef | undefined = after && [after[0], Math.floor(number!)]
      const isBetween = number !== undefined && number !== ref![1]
      return collectScanPage(walk(), limit, ({ position, key, value }) =>
        position[0] < until ? rowsOf(kind, reader, input, key, value) : [],
      )

      function* walk() {
        if (isBetween) {
          const table = kind.tables({ ...input, filter: {}, includeTest: input.includeTest })
          for (const each of table) {
            const value = reader.get(each, keyOf(conversation!, ref!))
            if (value) yield at(ref!, value)
          }
        }
        for (const { ref: current, value } of kind.history(reader, conversation!, ref)) {
          if (current[0] < window.from) return
          yield at(current, value)
        }
      }

      function at(current: RecordRef, value: V) {
        return { position: [current[0], input.asid, current[1]] as Position, key: keyOf(conversation!, current), value }
      }
    },
  }
  return { list, history }
}

/** The asid of a session; null when this shard does not have the session. */
const sessionOwner: Query<AgentRef & { readonly sessionId: string }, string | null> = {
  name: 'traffic.session',
  read: (reader, { orgId, agentId, sessionId }) => reader.get(sessionTable, [orgId, agentId, sessionId])?.asid ?? null,
}

/** Agent log lines about one person, in the agent's own shard. */
const ownLogs: Query<OfPerson<RecordScan>, ScanPage<AgentLogEntry>> = {
  name: 'traffic.logs.own',
  read: (reader, input) =>
    listRecords(logs, reader, input, [agentNoteTable as unknown as Table<RecordKey, AnyRecord>], input.asid),
}

export const recordQueries = {
  messages: createQueries('messages', messages),
  logs: { ...createQueries('logs', logs), own: ownLogs },
  attempts: createQueries('attempts', attempts),
  sessionOwner,
}
