/** Questions about messages and logs, answered where they are: a bounded stretch of one shard, or the trail of one person. */
import type { AgentPlace } from '../../core/agentkey.js'
import type { Conversation } from '../../core/conversation/state.js'
import { traffic as limits } from '../../core/limits.js'
import type { Stretch } from '../../core/traffic/stretch.js'
import type { Spot } from '../../core/traffic/trail.js'
import { type AgentLogEntry, logEntry, type MessageEntry, messageEntry } from '../../core/traffic/view.js'
import { type Filter, isWanted } from '../../core/traffic/wanted.js'
import type { Query } from '../shard/contract.js'
import type { Reader, Table } from '../store/contract.js'
import { shelves } from './records.js'
import { type LogRecord, logTable, outgoingTable, type RecordKey, sessionTable, type TrafficRecord } from './tables.js'
import { conversationOf, downTo, type OfPerson, type Part, shelvesFor, stretchOf } from './trafficwalk.js'

export interface Records extends Part {
  readonly filter: Filter
}

/** One kind of record: where it lies, where the newest of a conversation is, and how it is shown. */
interface Kind<V extends { readonly previous?: Spot }, T> {
  tables(asked: Part): readonly Table<RecordKey, V>[]
  /** Where all of one conversation are. */
  tableOf(conversation: Conversation): Table<RecordKey, V>
  newest(conversation: Conversation): Spot | undefined
  shown(reader: Reader, key: RecordKey, record: V): T
}

const messages: Kind<TrafficRecord, MessageEntry> = {
  tables: (asked) => shelvesFor(asked).map(({ traffic }) => traffic),
  tableOf: ({ sandbox }) => shelves[sandbox ? 'test' : 'live'].traffic,
  newest: ({ trail }) => trail?.traffic,
  shown(reader, [, agentId, at, asid], record) {
    const outgoing = record.origin === 'agent' ? reader.get(outgoingTable, [asid, record.messageId]) : undefined
    return messageEntry({ agentId, asid, at }, record, outgoing)
  },
}

const logs: Kind<LogRecord, AgentLogEntry> = {
  tables: () => [logTable],
  tableOf: () => logTable,
  newest: ({ trail }) => trail?.log,
  shown: (_reader, [, agentId, at, asid], record) => logEntry({ agentId, asid, at }, record),
}

function queriesOf<V extends { readonly previous?: Spot }, T>(name: string, kind: Kind<V, T>) {
  const list: Query<Records, Stretch<T>> = {
    name: `traffic.${name}`,
    read(reader, asked) {
      const { filter, limit, window } = asked
      const most = Object.keys(filter).length === 0 ? Math.min(limit, limits.rowsPerRead) : limits.rowsPerRead
      const walk = downTo(reader, kind.tables(asked), asked, { from: window.from, most })
      return stretchOf(walk, limit, ({ key, value }) =>
        isWanted(value, filter) ? kind.shown(reader, key, value) : undefined,
      )
    },
  }

  /** The same by the trail of one person: it comes upon nobody else's records. */
  const trail: Query<OfPerson<Records>, Stretch<T>> = {
    name: `traffic.${name}.of`,
    read(reader, asked) {
      const { limit, filter } = asked
      const until = asked.window.until ?? Number.POSITIVE_INFINITY
      const conversation = conversationOf(reader, asked)
      if (!conversation) return { rows: [] }
      return stretchOf(trailed(reader, kind, conversation, asked), limit, ({ position, key, value }) =>
        position[0] < until && isWanted(value, filter) ? kind.shown(reader, key, value) : undefined,
      )
    },
  }
  return { list, trail }
}

function* trailed<V extends { readonly previous?: Spot }>(
  reader: Reader,
  { tableOf, newest }: Kind<V, unknown>,
  conversation: Conversation,
  { orgId, agentId, asid, window, after }: OfPerson<Part>,
) {
  const table = tableOf(conversation)
  const keyOf = ([at, number]: Spot): RecordKey => [orgId, agentId, at, asid, number]
  let spot = after ? reader.get(table, keyOf([after[0], after[2] as number]))?.previous : newest(conversation)
  while (spot && spot[0] >= window.from) {
    const key = keyOf(spot)
    const value = reader.get(table, key)
    if (!value) return
    yield { position: [spot[0], asid, spot[1]] as const, key, value }
    spot = value.previous
  }
}

/** Whose session it is; null where this shard does not know it. */
const sessionOwner: Query<AgentPlace & { readonly sessionId: string }, string | null> = {
  name: 'traffic.session',
  read: (reader, { orgId, agentId, sessionId }) => reader.get(sessionTable, [orgId, agentId, sessionId])?.asid ?? null,
}

export const recordQueries = { messages: queriesOf('messages', messages), logs: queriesOf('logs', logs), sessionOwner }
