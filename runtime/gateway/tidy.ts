/** What conversations forget: names, receipts and messages whose time is over, a bounded part of them at a time. */
import type { Conversation } from '../../core/conversation/state.js'
import { conversation as limits } from '../../core/limits.js'
import type { Tx } from '../shard/contract.js'
import type { Key, Table } from '../store/contract.js'
import { lineTable } from '../webchat/transcript.js'
import { leftRecords, sweepRecords } from './records.js'
import { directiveTable } from './sandboxturns.js'
import {
  callerIdTable,
  deadLetterTable,
  outgoingTable,
  parkedTable,
  providerIdTable,
  seenTable,
  turnTable,
} from './tables.js'

const tidying = 'tidy'

/** Where a walk through what a conversation keeps goes on, and whether it has seen anything that stays. */
export interface TidyWalk {
  readonly table: number
  readonly after?: Key
  readonly left: boolean
}

/** Goes on at once with a walk that is not through, and otherwise looks again a day later. */
export function tidyLater(
  tx: Tx,
  { asid, sandbox }: Pick<Conversation, 'asid' | 'sandbox'>,
  at: number,
  timeScale: number,
  walk?: TidyWalk,
): void {
  const dueAt = at + (walk ? 0 : Math.ceil(limits.tidyEveryMs / timeScale))
  const input = { asid, ...(walk && { walk }) }
  // Only what was rehearsed is forgotten before its time.
  tx.schedule({ name: tidying, dueAt, command: 'conversation.tidy', input, ...(!sandbox && { isFirm: true }) })
}

interface Row {
  readonly at: number
  readonly until: number
}

/** All that is kept under an asid, with what says when a row of it is over: its own time, or how long ago it was written. */
const kept: readonly (readonly [table: Table<Key, Row>, time: keyof Row])[] = [
  [callerIdTable, 'until'],
  [providerIdTable, 'until'],
  [seenTable, 'until'],
  [parkedTable, 'until'],
  [outgoingTable, 'at'],
  [lineTable, 'at'],
  [turnTable, 'at'],
  [directiveTable, 'at'],
] as never

/** Answers whether anything is left that will have to be forgotten, and where to go on when there is more to look at. */
export function tidy(
  tx: Tx,
  conversation: Conversation,
  at: number,
  timeScale: number,
  walk: TidyWalk = { table: 0, left: false },
): { left: boolean; next?: TidyWalk } {
  const { asid, agent } = conversation
  const { orgId, agentId } = agent
  const keptSince = at - Math.ceil(limits.keptMs / timeScale)
  const overAt = { until: at, at: keptSince }
  let { left } = walk
  let room = limits.tidyRows
  for (let number = walk.table; number < kept.length; number++) {
    const [table, time] = kept[number]!
    const after = number === walk.table && walk.after ? { after: walk.after } : {}
    for (const { key, value } of tx.range(table, { prefix: [asid], ...after, limit: room })) {
      room--
      if (value[time] <= overAt[time]) tx.remove(table, key)
      else left = true
      if (room === 0) return { left, next: { table: number, after: key, left } }
    }
  }
  // Records lie by their agent and in the order of time: each conversation takes away whatever is over.
  room -= sweepRecords(tx, agent, keptSince, room, timeScale)
  const [letter] = tx.range(deadLetterTable, { prefix: [orgId, agentId], limit: 1 })
  if (letter || leftRecords(conversation, keptSince, timeScale)) left = true
  return room > 0 ? { left } : { left, next: { table: kept.length, left } }
}
