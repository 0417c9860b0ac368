/** Records of turns: written when a turn ends or is cut, and completed when an outcome comes after the end. */
import type { Conversation } from '../../core/conversation/state.js'
import { kindOfTool } from '../../core/tools/builtin.js'
import { isDone, type ToolOutcome } from '../../core/tools/contract.js'
import type { ToolCallRecord, TurnRecord } from '../../core/turn/record.js'
import { parseTurnId } from '../../core/turn/turnid.js'
import { HistoryWriter } from '../conversation/history.js'
import { conversationTable, type RecordKey } from '../conversation/tables.js'
import type { CutTurn } from '../conversation/transaction.js'
import type { Tx } from '../shard/contract.js'
import { openTurnTable, playTable, turnTimers } from './state.js'
import { testTurnTable, turnTable } from './tables.js'

/** Writes the record of a turn that has ended, with the conversation as it is after it. */
export function saveRecord(
  tx: Tx,
  conversation: Conversation,
  record: TurnRecord,
  at: number,
  timeScale: number,
): void {
  const history = new HistoryWriter(tx, conversation, at, timeScale)
  history.turn(record)
  tx.put(conversationTable, [conversation.asid], history.applyTo(conversation))
}

/** Removes the row and the timer of a turn that waited for a tool. */
export function closeTurn(tx: Tx, asid: string): void {
  tx.remove(openTurnTable, [asid])
  tx.unschedule(turnTimers.deadline)
}

/**
 * The record of a turn that is cut, while its row is removed and its flow is left: its call is not made, or its outcome
 * is not known, unless the turn was cut when it came.
 */
export function closeCutTurn(tx: Tx, asid: string, { turnId, why }: CutTurn, at: number): TurnRecord | undefined {
  const open = tx.get(openTurnTable, [asid])
  if (open?.id !== turnId) return undefined
  const { record, call } = open
  // An attempt at a tool inside is not marked.
  const mayBeMade = call.attempts > 0 || kindOfTool(call.call.name) === 'inside'
  const unanswered: ToolOutcome = mayBeMade
    ? { state: 'unknown', reason: 'The turn ended before the tool had answered.' }
    : { state: 'cancelled', reason: 'The turn ended before the tool was called.' }
  closeTurn(tx, asid)
  const play = tx.get(playTable, [asid])
  if (play) tx.put(playTable, [asid], { ...play, stack: [] })
  const { outcome, ms } = call.answered ?? { outcome: unanswered, ms: at - call.startedAt }
  const toolCalls = withOutcome(record.toolCalls, call.key, outcome, ms)
  const warnings = why === 'deadline' ? [...record.warnings, deadlineWarning] : record.warnings
  return { ...record, toolCalls, warnings, state: 'cut', endedBy: why, ...endTimes(record, at) }
}

const deadlineWarning = { code: 'turn.deadline', message: 'The turn did not end within its deadline.' } as const

/** An outcome that came after the turn had ended, or had gone on without it. */
export interface LateOutcome {
  readonly turnId: string
  readonly key: string
  readonly outcome: ToolOutcome
  readonly ms: number
}

/**
 * Notes in the record of its turn that a call was done, which is never taken back. That it was not done says nothing:
 * another attempt may have done it.
 */
export function noteLateOutcome(tx: Tx, { asid, agent, sandbox }: Conversation, late: LateOutcome): void {
  if (!isDone(late.outcome)) return
  const open = tx.get(openTurnTable, [asid])
  if (open?.id === late.turnId) {
    return tx.put(openTurnTable, [asid], { ...open, record: withLateOutcome(open.record, late) })
  }
  const parsed = parseTurnId(late.turnId)
  if (!parsed) return
  const recordKey: RecordKey = [agent.orgId, agent.agentId, parsed.startedAt, parsed.asid, parsed.number]
  const table = sandbox ? testTurnTable : turnTable
  const record = tx.get(table, recordKey)
  if (record) tx.put(table, recordKey, { ...withLateOutcome(record, late), hasLateOutcome: true })
}

function withLateOutcome<R extends TurnRecord>(record: R, { key, outcome, ms }: LateOutcome): R {
  const call = record.toolCalls.find((each) => each.key === key)
  if (call?.state === 'ok' || call?.state === 'captured') return record
  return { ...record, toolCalls: withOutcome(record.toolCalls, key, outcome, ms) }
}

export function withOutcome(
  calls: readonly ToolCallRecord[],
  key: string,
  outcome: ToolOutcome,
  ms: number,
): readonly ToolCallRecord[] {
  return calls.map((call) => {
    if (call.key !== key) return call
    const detail = 'result' in outcome ? { result: outcome.result } : { reason: outcome.reason }
    return { ...call, state: outcome.state, ms, ...detail }
  })
}

export function endTimes({ startedAt, took }: TurnRecord, at: number): Pick<TurnRecord, 'endedAt' | 'took'> {
  return { endedAt: at, took: { ...took, total: took.waiting + at - startedAt } }
}
