/** Retention: removes expired rows of a conversation, a bounded number at a time. */
import type { Conversation } from '../../core/conversation/state.js'
import { conversation as limits } from '../../core/limits/index.js'
import { scaledMs } from '../../core/time.js'
import type { Tx } from '../shard/contract.js'
import type { Key, Table } from '../store/contract.js'
import type { RetentionCursor } from './contract.js'
import { expireRecords, hasRetainedRecords } from './history.js'
import {
  clientIdTable,
  deadLetterTable,
  messageTable,
  parkedTable,
  providerIdTable,
  sandboxTurnTable,
  seenTable,
} from './tables.js'

export const expiryTimer = 'expire'

/** Schedules the next step of an unfinished walk at once, or a new walk a day later. */
export function scheduleExpiry(
  tx: Tx,
  { asid, sandbox }: Pick<Conversation, 'asid' | 'sandbox'>,
  at: number,
  timeScale: number,
  cursor?: RetentionCursor,
): void {
  const dueAt = at + (cursor ? 0 : scaledMs(limits.retentionEveryMs, timeScale))
  const input = { asid, ...(cursor && { cursor }) }
  // The sandbox deletes its conversations before their rows expire.
  tx.schedule({
    name: expiryTimer,
    dueAt,
    command: 'conversation.expireRows',
    input,
    ...(!sandbox && { noReplace: true }),
  })
}

interface ExpiringRow {
  readonly at: number
  readonly until: number
}

/** A table under an asid, with the field of its expiry time or of its write time. */
export type ExpiringTable = readonly [table: Table<Key, ExpiringRow>, time: keyof ExpiringRow]

const ownTables: readonly ExpiringTable[] = [
  [clientIdTable, 'until'],
  [providerIdTable, 'until'],
  [seenTable, 'until'],
  [parkedTable, 'until'],
  [messageTable, 'at'],
  [sandboxTurnTable, 'at'],
] as never

/** An entry of the list of expiring tables. */
export function expiring<K extends Key, V>(table: Table<K, V>, time: keyof V & keyof ExpiringRow): ExpiringTable {
  return [table, time] as never
}

/** Returns whether rows are left that will expire, and the cursor when the walk is not finished. */
export function expireRows(
  tx: Tx,
  conversation: Conversation,
  at: number,
  timeScale: number,
  otherTables: readonly ExpiringTable[],
  cursor: RetentionCursor = { table: 0, hasLiveRows: false },
): { hasLiveRows: boolean; next?: RetentionCursor } {
  const { asid, agent } = conversation
  const { orgId, agentId } = agent
  const retainedSince = at - scaledMs(limits.retentionMs, timeScale)
  const cutoff = { until: at, at: retainedSince }
  const tables = [...ownTables, ...otherTables]
  let { hasLiveRows } = cursor
  let rowsLeft = limits.retentionRows
  for (let number = cursor.table; number < tables.length; number++) {
    const [table, time] = tables[number]!
    const after = number === cursor.table && cursor.after ? { after: cursor.after } : {}
    for (const { key, value } of tx.range(table, { prefix: [asid], ...after, limit: rowsLeft })) {
      rowsLeft--
      if (value[time] <= cutoff[time]) tx.remove(table, key)
      else hasLiveRows = true
      if (rowsLeft === 0) return { hasLiveRows, next: { table: number, after: key, hasLiveRows } }
    }
  }
  // Records are stored by agent and in the order of time: each conversation removes any that have expired.
  rowsLeft -= expireRecords(tx, agent, retainedSince, rowsLeft, timeScale)
  const [deadLetter] = tx.range(deadLetterTable, { prefix: [orgId, agentId], limit: 1 })
  if (deadLetter || hasRetainedRecords(conversation, retainedSince, timeScale)) hasLiveRows = true
  return rowsLeft > 0 ? { hasLiveRows } : { hasLiveRows, next: { table: tables.length, hasLiveRows } }
}
