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

/** Looks again a day later, or at once when there was more than is done in one go. */
export function tidyLater(tx: Tx, asid: string, at: number, isMore: boolean, timeScale: number): void {
  const dueAt = at + (isMore ? 0 : Math.ceil(limits.tidyEveryMs / timeScale))
  tx.schedule({ name: tidying, dueAt, command: 'conversation.tidy', input: { asid } })
}

/** Answers whether anything is left that will have to be forgotten, and whether there is more to do right now. */
export function tidy(
  tx: Tx,
  conversation: Conversation,
  at: number,
  timeScale: number,
): { left: boolean; isMore: boolean } {
  const { asid, agent } = conversation
  let room = limits.tidyRows
  let left = false
  const { orgId, agentId } = agent
  const keptSince = at - Math.ceil(limits.keptMs / timeScale)

  function forget<K extends Key, V>(table: Table<K, V>, prefix: Key, isOver: (value: V, key: K) => boolean): void {
    for (const { key, value } of tx.range(table, { prefix: prefix as never, limit: limits.tidyRows })) {
      if (!isOver(value, key)) {
        left = true
        continue
      }
      if (room-- <= 0) return
      tx.remove(table, key)
    }
  }

  for (const table of [callerIdTable, providerIdTable, seenTable])
    forget(table as Table<[string, string], { until: number }>, [asid], ({ until }) => until <= at)
  forget(parkedTable, [asid], ({ until }) => until <= at)
  forget(outgoingTable, [asid], (outgoing) => outgoing.at <= keptSince)
  forget(lineTable, [asid], (line) => line.at <= keptSince)
  for (const table of [turnTable, directiveTable])
    forget(table as Table<[string, number], { at: number }>, [asid], (turn) => turn.at <= keptSince)
  // Records lie by their agent: each conversation takes away whatever is over, and looks again while it has some of its own.
  room -= sweepRecords(tx, agent, keptSince, Math.max(0, room), timeScale)
  if (leftRecords(conversation, keptSince, timeScale)) left = true
  forget(deadLetterTable, [orgId, agentId], (letter) => letter.at <= keptSince)
  return { left, isMore: room <= 0 }
}
