/** Commands of managed turns, decided in the shard of the conversation. */

import type { AgentContext } from '../../core/conversation/context.js'
import type { TurnCutReason } from '../../core/conversation/effects.js'
import type { OutboundRequest } from '../../core/conversation/outbound.js'
import type { ToolCall } from '../../core/tools/contract.js'
import type { AnsweredCall } from '../../core/turn/openturn.js'
import type { Play } from '../../core/turn/play.js'
import type { ToolCallRecord, TurnRecord } from '../../core/turn/record.js'
import type { Command } from '../shard/contract.js'

/** A planned step, ready to be committed. */
export interface StepInput {
  readonly requests: readonly OutboundRequest[]
  /** Absent: what the conversation remembers stays. */
  readonly play?: Play
  /** The record of the turn so far, without the messages and the reads of this step. */
  readonly record: TurnRecord
  /** What was looked up for this step. */
  readonly reads?: readonly ReadRow[]
  /** The call that the turn waits for after this step; absent: the turn ends. */
  readonly call?: ToolCall
  /** The person's time zone as the turn knows it. */
  readonly zone: string
}

/** A read as the record of its turn shows it; the record gives it a key. */
export type ReadRow = Omit<ToolCallRecord, 'key'>

export interface BeginTurn {
  readonly asid: string
  readonly agent: AgentContext
  /** The numbers of the events that the turn takes, and of the first that its planner has not seen. */
  readonly first: number
  readonly taken: number
  readonly seen: number
  /** Whether content that arrived since joins the turn: the command is then refused, and the turn planned again. */
  readonly absorbs: boolean
  /** Absent: the events are taken, and nothing is said. */
  readonly step?: StepInput
}

export interface AdvanceTurn {
  readonly asid: string
  readonly agent: AgentContext
  readonly turnId: string
  readonly number: number
  readonly answered: AnsweredCall
  readonly step: StepInput
}

export interface CutTurn {
  readonly asid: string
  readonly agent: AgentContext
  readonly turnId: string
  readonly why: TurnCutReason
  readonly requests: readonly OutboundRequest[]
  /** What the call that it waited for came to, if that is known. */
  readonly answered?: AnsweredCall
}

/** `passed`: the turn has ended or gone on; nothing was changed. */
export type TurnAnswer = 'done' | 'passed'

export interface TurnCommands {
  /**
   * Begins a turn with the events at the head of the queue, all or nothing; a turn that waits for no tool ends in the
   * same commit. `request.invalid` when the turn must be planned again: more content has arrived that it should answer
   * too, or the person has opted out.
   */
  readonly begin: Command<BeginTurn, TurnAnswer>
  /**
   * Goes on with the outcome of the call of that step. That a call was done is noted also when it comes too late.
   * `request.invalid` when it was not done and another attempt has begun since, which may do it.
   */
  readonly advance: Command<AdvanceTurn, TurnAnswer>
  /**
   * Marks that the call of that step is about to leave for an outside system, and counts such attempts from 1: each
   * one before may have sent it.
   */
  readonly attempting: Command<{ asid: string; turnId: string; number: number }, number | 'passed'>
  /**
   * Keeps what the call of that step came to, while the turn cannot go on: the tool is not asked again. Changes nothing
   * where `advance` would be refused or pass.
   */
  readonly keepAnswer: Command<{ asid: string; turnId: string; number: number; answered: AnsweredCall }, null>
  /** Ends the open turn, with the messages that say so. */
  readonly cut: Command<CutTurn, TurnAnswer>
  /** The deadline of the open turn has passed, or the session may have become quiet. */
  readonly timerFired: Command<{ asid: string; turnId?: string; sessionId?: string }, null>
}
