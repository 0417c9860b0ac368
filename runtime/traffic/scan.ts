/** How a list of traffic is walked where its tables are: newest first, and never more rows in one go than it may. */
import { type AgentPlace, agentKeyOf } from '../../core/agentkey.js'
import type { Conversation } from '../../core/conversation/state.js'
import { traffic as limits } from '../../core/limits.js'
import { newestFirst, type Position, type Row, type Stretch } from '../../core/traffic/stretch.js'
import type { Window } from '../../core/traffic/window.js'
import { recordTables } from '../conversation/history.js'
import { conversationTable } from '../conversation/tables.js'
import type { Reader, Table } from '../store/contract.js'

/** A part of a list, from behind `after` on: at most `limit` rows that are wanted. */
export interface Part extends AgentPlace {
  readonly window: Window
  readonly after?: Position
  readonly limit: number
  readonly includeTest: boolean
}

export type OfPerson<A extends Part> = A & { readonly asid: string }

export function shelvesFor({ includeTest }: Pick<Part, 'includeTest'>) {
  return includeTest ? [recordTables.live, recordTables.test] : [recordTables.live]
}

/** The conversation, if it is one of the agent's and belongs into the list. */
export function conversationOf(reader: Reader, asked: OfPerson<Part>): Conversation | undefined {
  const conversation = reader.get(conversationTable, [asked.asid])
  if (!conversation || agentKeyOf(conversation.agent) !== agentKeyOf(asked)) return undefined
  return conversation.sandbox && !asked.includeTest ? undefined : conversation
}

type TimedKey = readonly [orgId: string, agentId: string, ...position: Position]

/** Rows of all the tables as one list, from behind `after` down to that time, at most one more than `most`. */
export function* downTo<K extends TimedKey, V>(
  reader: Reader,
  tables: readonly Table<K, V>[],
  { orgId, agentId, window: { until }, after }: Part,
  { from, most }: { readonly from: number; readonly most: number },
): Generator<{ position: Position; key: K; value: V }> {
  const start = after ?? (until === undefined ? undefined : [until])
  const options = {
    prefix: [orgId, agentId],
    reverse: true,
    ...(start && { after: [orgId, agentId, ...start] }),
    limit: most + 1,
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

/** Walks until there are rows enough, or it has looked at as many records as it may and there are more. */
export function stretchOf<S extends { readonly position: Position }, T>(
  walk: Iterable<S>,
  limit: number,
  rowsOf: (seen: S) => readonly Row<T>[],
): Stretch<T> {
  const rows: Row<T>[] = []
  let seen = 0
  let seenTo: Position | undefined
  for (const each of walk) {
    if (seenTo && (rows.length >= limit || seen >= limits.rowsPerRead)) return { rows, seenTo }
    rows.push(...rowsOf(each))
    seenTo = each.position
    seen++
  }
  return { rows }
}
