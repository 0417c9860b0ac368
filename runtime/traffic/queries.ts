/** Questions about messages and logs, answered where they are: a bounded stretch of one shard, or the trail of one person. */

import type { AgentPlace } from '../../core/agentkey.js'
import type { Spot } from '../../core/conversation/history.js'
import type { Conversation } from '../../core/conversation/state.js'
import { traffic as limits } from '../../core/limits.js'
import {
  agentEvents,
  attemptEvents,
  levelled,
  linesOfAttempt,
  linesOfTraffic,
  trafficEvents,
} from '../../core/traffic/loglines.js'
import { newestFirst, type Position, type Row, type Stretch } from '../../core/traffic/stretch.js'
import {
  type AgentLogEntry,
  type AttemptEntry,
  attemptEntry,
  logEntry,
  type MessageEntry,
  messageEntry,
} from '../../core/traffic/view.js'
import { type Filter, isWanted } from '../../core/traffic/wanted.js'
import { agentLineTable } from '../conversation/agentlog.js'
import { newestOf, recordTables } from '../conversation/history.js'
import {
  type AttemptRecord,
  attemptTable,
  type LogRecord,
  logTable,
  outgoingTable,
  type RecordKey,
  sessionTable,
  type TrafficRecord,
  trafficTable,
} from '../conversation/tables.js'
import type { Query } from '../shard/contract.js'
import type { Reader, Table } from '../store/contract.js'
import { conversationOf, downTo, type OfPerson, type Part, shelvesFor, stretchOf } from './scan.js'

export interface Records extends Part {
  readonly filter: Filter
}

/** One list: the records it is made of, newest first, and what is shown of each. */
interface Kind<V, T> {
  tables(asked: Records): readonly Table<RecordKey, V>[]
  /** The records of one conversation, from behind `after` on. */
  trail(reader: Reader, conversation: Conversation, after: Spot | undefined): Iterable<{ spot: Spot; value: V }>
  /** Later lines of a record first. */
  lines(reader: Reader, key: RecordKey, record: V, filter: Filter): T[]
}

const messages: Kind<TrafficRecord, MessageEntry> = {
  tables: (asked) => shelvesFor(asked).map(({ traffic }) => traffic),
  *trail(reader, conversation, after) {
    const table = trafficOf(conversation)
    const at = (spot: Spot) => reader.get(table, keyOf(conversation, spot))
    let spot = after ? at(after)?.previous : conversation.trail?.traffic
    for (let value = spot && at(spot); spot && value; value = spot && at(spot)) {
      yield { spot, value }
      spot = value.previous
    }
  },
  lines(reader, [, agentId, at, asid], record, filter) {
    if (!isWanted(record, filter)) return []
    return [messageEntry({ agentId, asid, at }, record, outgoingOf(reader, asid, record))]
  },
}

type AnyRecord = LogRecord | AttemptRecord | TrafficRecord

/** Every kind of record has lines in the log, except where the event that is asked for is found in one kind alone. */
const logs: Kind<AnyRecord, AgentLogEntry> = {
  tables({ filter: { event } }) {
    const named = (events: readonly string[]) => event === undefined || events.includes(event)
    return [
      logTable,
      ...(named(agentEvents) ? [agentLineTable] : []),
      ...(named(attemptEvents) ? [attemptTable] : []),
      ...(named(trafficEvents) ? [trafficTable] : []),
    ] as Table<RecordKey, AnyRecord>[]
  },
  *trail(reader, conversation, after) {
    const tables = [trafficOf(conversation), attemptTable, logTable] as Table<RecordKey, AnyRecord>[]
    const at = (spot: Spot) => {
      for (const table of tables) {
        const found = reader.get(table, keyOf(conversation, spot))
        if (found) return found
      }
      return undefined
    }
    const before = ({ prior, previous }: AnyRecord) => prior ?? previous
    const behind = after && at(after)
    let spot = after ? behind && before(behind) : newestOf(conversation)
    for (let value = spot && at(spot); spot && value; value = spot && at(spot)) {
      yield { spot, value }
      spot = before(value)
    }
  },
  lines(reader, [, agentId, at, asid], record, filter) {
    const { channel, sessionId } = record
    return linesOf(reader, asid, record)
      .map((line) => ({ ...(channel && { channel }), ...(sessionId && { sessionId }), ...line }))
      .filter((line) => isWanted(line, filter))
      .map((line) => logEntry({ agentId, asid, at }, line))
  },
}

/** Records of a conversation of every kind, newest first. */
export const trailOf = (reader: Reader, conversation: Conversation) => logs.trail(reader, conversation, undefined)

function linesOf(reader: Reader, asid: string, record: AnyRecord): Omit<LogRecord, 'channel'>[] {
  if ('level' in record) return [record]
  if ('outcome' in record) return linesOfAttempt(record).map(levelled)
  return linesOfTraffic(record, outgoingOf(reader, asid, record)).map(levelled)
}

const attempts: Kind<AttemptRecord, AttemptEntry> = {
  tables: () => [attemptTable],
  *trail(reader, conversation, after) {
    for (const { spot, value } of logs.trail(reader, conversation, after)) {
      if ('outcome' in value) yield { spot, value }
    }
  },
  lines: (_reader, [, agentId, at, asid], record, filter) =>
    isWanted(record, filter) ? [attemptEntry({ agentId, asid, at }, record)] : [],
}

function outgoingOf(reader: Reader, asid: string, { origin, messageId }: TrafficRecord) {
  return origin === 'agent' ? reader.get(outgoingTable, [asid, messageId]) : undefined
}

function trafficOf({ sandbox }: Conversation) {
  return recordTables[sandbox ? 'test' : 'live'].traffic
}

function keyOf({ agent: { orgId, agentId }, asid }: Conversation, [at, number]: Spot): RecordKey {
  return [orgId, agentId, at, asid, number]
}

/** A record with several lines has one position for each, the first of them the newest. */
function positioned<T>([at, asid, number]: Position, lines: readonly T[]): Row<T>[] {
  return lines.map((entry, nth) => {
    return { position: [at, asid, (number as number) + (lines.length - 1 - nth) / linesMost], entry }
  })
}

/** More than a record ever has. */
const linesMost = 8

/** Of the record in which the page before ended, what comes behind that. */
function rowsOf<V, T>(
  kind: Kind<V, T>,
  reader: Reader,
  { filter, after }: Records,
  key: RecordKey,
  value: V,
): Row<T>[] {
  const [, , ...position] = key
  const rows = positioned(position, kind.lines(reader, key, value, filter))
  return after ? rows.filter((row) => newestFirst(after, row.position) < 0) : rows
}

/** A bounded stretch of these tables, of one person where one is given. */
function listOf<V, T>(
  kind: Kind<V, T>,
  reader: Reader,
  asked: Records,
  tables: readonly Table<RecordKey, V>[],
  asid?: string,
): Stretch<T> {
  const { filter, limit, window } = asked
  const isWhole = asid === undefined && Object.keys(filter).length === 0
  const most = isWhole ? Math.min(limit, limits.rowsPerRead) : limits.rowsPerRead
  const walk = downTo(reader, tables, asked, { from: window.from, most })
  const isWantedOf = (key: RecordKey) => asid === undefined || key[3] === asid
  return stretchOf(walk, limit, ({ key, value }) => (isWantedOf(key) ? rowsOf(kind, reader, asked, key, value) : []))
}

function queriesOf<V, T>(name: string, kind: Kind<V, T>) {
  const list: Query<Records, Stretch<T>> = {
    name: `traffic.${name}`,
    read: (reader, asked) => listOf(kind, reader, asked, kind.tables(asked)),
  }

  /**
   * The same by the trail of one person: it comes upon no other person's records. Behind a position that is not on the
   * trail, as those of lines in the agent's shard are, the tables are walked.
   */
  const trail: Query<OfPerson<Records>, Stretch<T>> = {
    name: `traffic.${name}.of`,
    read(reader, asked) {
      const { limit, window, after } = asked
      const until = window.until ?? Number.POSITIVE_INFINITY
      const conversation = conversationOf(reader, asked)
      if (!conversation) return { rows: [] }
      const number = after && (after[2] as number)
      if (number !== undefined && (number < 0 || after![1] !== asked.asid)) {
        const tables = kind.tables(asked).filter((table) => (table as unknown) !== agentLineTable)
        return listOf(kind, reader, asked, tables, asked.asid)
      }
      const spot: Spot | undefined = after && [after[0], Math.floor(number!)]
      const isBetween = number !== undefined && number !== spot![1]
      return stretchOf(walk(), limit, ({ position, key, value }) =>
        position[0] < until ? rowsOf(kind, reader, asked, key, value) : [],
      )

      function* walk() {
        if (isBetween) {
          const table = kind.tables({ ...asked, filter: {}, includeTest: asked.includeTest })
          for (const each of table) {
            const value = reader.get(each, keyOf(conversation!, spot!))
            if (value) yield at(spot!, value)
          }
        }
        for (const { spot: here, value } of kind.trail(reader, conversation!, spot)) {
          if (here[0] < window.from) return
          yield at(here, value)
        }
      }

      function at(here: Spot, value: V) {
        return { position: [here[0], asked.asid, here[1]] as Position, key: keyOf(conversation!, here), value }
      }
    },
  }
  return { list, trail }
}

/** Whose session it is; null where this shard does not know it. */
const sessionOwner: Query<AgentPlace & { readonly sessionId: string }, string | null> = {
  name: 'traffic.session',
  read: (reader, { orgId, agentId, sessionId }) => reader.get(sessionTable, [orgId, agentId, sessionId])?.asid ?? null,
}

/** Lines about one person in the agent's own shard. */
const ownLogs: Query<OfPerson<Records>, Stretch<AgentLogEntry>> = {
  name: 'traffic.logs.own',
  read: (reader, asked) =>
    listOf(logs, reader, asked, [agentLineTable as unknown as Table<RecordKey, AnyRecord>], asked.asid),
}

export const recordQueries = {
  messages: queriesOf('messages', messages),
  logs: { ...queriesOf('logs', logs), own: ownLogs },
  attempts: queriesOf('attempts', attempts),
  sessionOwner,
}
