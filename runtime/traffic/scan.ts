/** Scans of traffic tables in one shard: newest first, with a bounded number of rows per query. */
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import type { Conversation } from '../../core/conversation/state.js'
import { traffic as limits } from '../../core/limits/index.js'
import { newestFirst, type Position, type PositionedRecord, type ScanPage } from '../../core/traffic/merge.js'
import type { TimeWindow } from '../../core/traffic/window.js'
import { recordTables } from '../conversation/history.js'
import { conversationTable } from '../conversation/tables.js'
import type { Reader, Table } from '../store/contract.js'

/** One part of a list, after the position `after`: at most `limit` matching rows. */
export interface ScanInput extends AgentRef {
  readonly window: TimeWindow
  readonly after?: Position
  readonly limit: number
  readonly includeTest: boolean
}

export type OfPerson<A extends ScanInput> = A & { readonly asid: string }

export function tablesFor({ includeTest }: Pick<ScanInput, 'includeTest'>) {
  return includeTest ? [recordTables.live, recordTables.test] : [recordTables.live]
}

/** The conversation, if it belongs to the agent and to the list. */
export function conversationOf(reader: Reader, input: OfPerson<ScanInput>): Conversation | undefined {
  const conversation = reader.get(conversationTable, [input.asid])
  if (!conversation || formatAgentKey(conversation.agent) !== formatAgentKey(input)) return undefined
  return conversation.sandbox && !input.includeTest ? undefined : conversation
}

type TimedKey = readonly [orgId: string, agentId: string, ...position: Position]

/** Rows of all tables merged into one list, from `after` back to `from`, at most one more than `maxRows`. */
export function* scanBackwards<K extends TimedKey, V>(
  reader: Reader,
  tables: readonly Table<K, V>[],
  { orgId, agentId, window: { until }, after }: ScanInput,
  { from, maxRows }: { readonly from: number; readonly maxRows: number },
): Generator<{ position: Position; key: K; value: V }> {
  const start = after ?? (until === undefined ? undefined : [until])
  const options = {
    prefix: [orgId, agentId],
    reverse: true,
    ...(start && { after: [orgId, agentId, ...start] }),
    limit: maxRows + 1,
  }
  const heads = tables.flatMap((table) => {
    const rows = reader.range(table, options)[Symbol.iterator]()
    const first = rows.next()
    return first.done ? [] : [{ rows, row: first.value }]
  })
  while (heads.length > 0) {
    if (heads.length > 1) heads.sort((a, b) => newestFirst(positionOf(a.row.key), positionOf(b.row.key)))
    const head = heads[0]!
    const { key, value } = head.row
    const position = positionOf(key)
    if (position[0] < from) return
    yield { position, key, value }
    const next = head.rows.next()
    if (next.done) heads.shift()
    else head.row = next.value
  }
}

function positionOf([, , ...position]: TimedKey): Position {
  return position
}

/**
 * Collects rows until the limit, or until the row bound is reached while the scan has more. A large record may count as
 * several rows.
 */
export function collectScanPage<S extends { readonly position: Position }, T>(
  entries: Iterable<S>,
  limit: number,
  rowsOf: (seen: S) => readonly PositionedRecord<T>[],
  countOf: (seen: S) => number = () => 1,
): ScanPage<T> {
  const rows: PositionedRecord<T>[] = []
  let seen = 0
  let scannedTo: Position | undefined
  for (const each of entries) {
    if (scannedTo && (rows.length >= limit || seen >= limits.rowsPerRead)) return { rows, scannedTo }
    rows.push(...rowsOf(each))
    scannedTo = each.position
    seen += countOf(each)
  }
  return { rows }
}
