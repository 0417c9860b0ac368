/** An open turn: one that waits for a tool, as the conversation stores it until the tool has answered. */
import type { ToolCall } from '../tools/contract.js'
import type { OutsideOutcome } from './port.js'
import type { TurnRecord } from './record.js'

export interface OpenTurn {
  readonly id: string
  /** Counts the steps of the turn; the outcome of a call names the step that asked for it. */
  readonly step: number
  readonly deadlineAt: number
  /** The person's time zone as the turn knows it. */
  readonly zone: string
  readonly call: PendingCall
  /** The record so far, with a row for the pending call. */
  readonly record: TurnRecord
}

export interface PendingCall {
  /** The same in every attempt: the idempotency key of the call. */
  readonly key: string
  readonly call: ToolCall
  readonly startedAt: number
  /** Attempts that may have reached an outside system. */
  readonly attempts: number
  /** Present when the tool has answered and the turn could not go on yet. */
  readonly answered?: AnsweredCall
}

/** What an attempt at the call of a turn came to. */
export interface AnsweredCall extends OutsideOutcome {
  /** As attempts are counted; 0 for a tool inside. */
  readonly attempt: number
  readonly ms: number
}
