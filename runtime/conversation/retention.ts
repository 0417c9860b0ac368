/** Retention: rows of a conversation that have expired are removed, a bounded number at a time. */
import type { Conversation } from '../../core/conversation/state.js'
import { conversation as limits } from '../../core/limits.js'
import type { Tx } from '../shard/contract.js'
import type { Key, Table } from '../store/contract.js'
import type { RetentionCursor } from './contract.js'
import { expireRecords, hasRecords } from './history.js'
import {
  callerIdTable,
  deadLetterTable,
  outgoingTable,
  parkedTable,
  providerIdTable,
  seenTable,
  turnTable,
} from './tables.js'

export const expiryTimer = 'expire'

/** Goes on at once with a walk that has not ended, and otherwise begins another a day later. */
export function scheduleExpiry(
  tx: Tx,
  { asid, sandbox }: Pick<Conversation, 'asid' | 'sandbox'>,
  at: number,
  timeScale: number,
  cursor?: RetentionCursor,
): void {
  const dueAt = at + (cursor ? 0 : Math.ceil(limits.tidyEveryMs / timeScale))
  const input = { asid, ...(cursor && { cursor }) }
  // Conversations of the sandbox are deleted before their time.
  tx.schedule({
    name: expiryTimer,
    dueAt,
    command: 'conversation.expireRows',
    input,
    ...(!sandbox && { isFirm: true }),
  })
}

interface ExpiringRow {
  readonly at: number
  readonly until: number
}

/** A table under an asid, with the field that says when a row expires: its own time, or when it was written. */
export type ExpiringTable = readonly [table: Table<Key, ExpiringRow>, time: keyof ExpiringRow]

const ownTables: readonly ExpiringTable[] = [
  [callerIdTable, 'until'],
  [providerIdTable, 'until'],
  [seenTable, 'until'],
  [parkedTable, 'until'],
  [outgoingTable, 'at'],
  [turnTable, 'at'],
] as never

/** An entry of the list of expiring tables. */
export function expiring<K extends Key, V>(table: Table<K, V>, time: keyof V & keyof ExpiringRow): ExpiringTable {
  return [table, time] as never
}

/** Answers whether rows are left that will expire, and where to go on when there are more to look at. */
export function expireRows(
  tx: Tx,
  conversation: Conversation,
  at: number,
  timeScale: number,
  others: readonly ExpiringTable[],
  cursor: RetentionCursor = { table: 0, left: false },
): { left: boolean; next?: RetentionCursor } {
  const { asid, agent } = conversation
  const { orgId, agentId } = agent
  const keptSince = at - Math.ceil(limits.keptMs / timeScale)
  const overAt = { until: at, at: keptSince }
  const tables = [...ownTables, ...others]
  let { left } = cursor
  let room = limits.tidyRows
  for (let number = cursor.table; number < tables.length; number++) {
    const [table, time] = tables[number]!
    const after = number === cursor.table && cursor.after ? { after: cursor.after } : {}
    for (const { key, value } of tx.range(table, { prefix: [asid], ...after, limit: room })) {
      room--
      if (value[time] <= overAt[time]) tx.remove(table, key)
      else left = true
      if (room === 0) return { left, next: { table: number, after: key, left } }
    }
  }
  // Records lie by their agent and in the order of time: each conversation takes away whatever is over.
  room -= expireRecords(tx, agent, keptSince, room, timeScale)
  const [letter] = tx.range(deadLetterTable, { prefix: [orgId, agentId], limit: 1 })
  if (letter || hasRecords(conversation, keptSince, timeScale)) left = true
  return room > 0 ? { left } : { left, next: { table: tables.length, left } }
}
