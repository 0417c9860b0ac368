/**
 * The commands of managed turns: begin, advance, attempting, keepAnswer, cut and timerFired. A conversation has at most
 * one open turn, and a result counts only for the turn and the step that asked for it. Whatever a step says, remembers
 * and asks for is one commit.
 */
import type { LogNote } from '../../core/catalogs/logevents.js'
import type { AgentContext } from '../../core/conversation/context.js'
import type { TurnStep } from '../../core/conversation/managedturn.js'
import type { SendResult } from '../../core/conversation/outbound.js'
import type { Conversation } from '../../core/conversation/state.js'
import { invalid } from '../../core/errors.js'
import { turn as limits } from '../../core/limits/index.js'
import { isDone } from '../../core/tools/contract.js'
import { notesOf } from '../../core/turn/notes.js'
import type { AnsweredCall, OpenTurn } from '../../core/turn/openturn.js'
import type { ToolCallRecord, TurnRecord } from '../../core/turn/record.js'
import type { ApplyInput } from '../conversation/commands.js'
import { conversationTable, eventTable } from '../conversation/tables.js'
import type { CommandMeta, Tx } from '../shard/contract.js'
import type { StepInput, TurnCommands } from './contract.js'
import { type TurnCall, type TurnDeadline, turnEffects } from './effects.js'
import { closeTurn, endTimes, noteLateOutcome, saveRecord, withOutcome } from './records.js'
import { createSessions, type SessionsOptions } from './sessions.js'
import { openTurnTable, playTable, timerCommand, turnTimers } from './state.js'

/** A step that is committed. */
interface Committed {
  readonly agent: AgentContext
  /** Events at the head of the queue that the turn answers. */
  readonly taken: number
  /** Of the step, from 1. */
  readonly number: number
  readonly step: StepInput
  readonly notes?: readonly LogNote[]
}

export interface TurnCommandsOptions extends SessionsOptions {
  /** Changes the conversation in the transaction of a turn's command. */
  readonly apply: ApplyInput
}

export function createTurnCommands({ apply, ...options }: TurnCommandsOptions): TurnCommands {
  const sessions = createSessions(options)

  function commitStep(
    tx: Tx,
    meta: CommandMeta,
    before: Conversation,
    { agent, taken, number, step, notes = [] }: Committed,
  ): void {
    const { asid } = before
    const { play, call, requests } = step
    const soFar = withReads(step.record, step.reads)
    const ended: TurnRecord = call ? soFar : { ...soFar, ...endTimes(soFar, meta.at) }
    const conversationStep: TurnStep = {
      taken,
      requests,
      notes: [...withTurn(notes, ended), ...(call ? [] : notesOf(ended))],
      ...(call && { open: { id: ended.id, step: number } }),
    }
    const { answer, conversation } = apply(tx, meta, { asid }, { kind: 'turn', agent, step: conversationStep })!
    const record = withMessages(ended, answer)
    if (play) tx.put(playTable, [asid], play)
    if (!call) {
      if (number > 1) closeTurn(tx, asid)
      return saveRecord(tx, conversation, record, meta.at, options.timeScale)
    }
    const key = `${record.id}.${number}`
    const row: ToolCallRecord = { name: call.name, by: 'flow', state: 'pending', arguments: call.arguments, key }
    const deadlineAt = record.startedAt + limits.deadlineMs
    tx.put(openTurnTable, [asid], {
      id: record.id,
      step: number,
      deadlineAt,
      zone: step.zone,
      call: { key, call, startedAt: meta.at, attempts: 0 },
      record: { ...record, toolCalls: [...record.toolCalls, row] },
    })
    const payload: TurnCall = { asid, turnId: record.id, number }
    tx.emit({ kind: turnEffects.call, payload, destination: asid })
    const input = { asid, turnId: record.id }
    if (number === 1) tx.schedule({ name: turnTimers.deadline, dueAt: deadlineAt, command: timerCommand, input })
  }

  /** The open turn, if it waits for the call of that step. */
  function openAt(tx: Tx, asid: string, turnId: string, number: number): OpenTurn | undefined {
    const open = tx.get(openTurnTable, [asid])
    return open?.id === turnId && open.step === number ? open : undefined
  }

  return {
    begin: {
      name: 'turn.begin',
      decide(tx, { asid, agent, first, taken, seen, absorbs, step }, meta) {
        const before = tx.get(conversationTable, [asid])
        if (!before || before.turn || before.firstEvent !== first) return 'passed'
        const hasMore = before.nextEvent > seen && tx.get(eventTable, [asid, seen])?.event.type === 'message'
        if (absorbs && hasMore) return invalid('seen', 'more has arrived')
        // The STOP came while the step was planned.
        if (step?.play && before.optedOutAt !== undefined) return invalid('seen', 'the person has opted out')
        if (!step) {
          apply(tx, meta, { asid }, { kind: 'turn', agent, step: { taken, requests: [], notes: [] } })
          return 'done'
        }
        if (step.play) sessions.follow(tx, before, tx.get(playTable, [asid]), step.play, meta.at)
        commitStep(tx, meta, before, { agent, taken, number: 1, step })
        return 'done'
      },
    },
    advance: {
      name: 'turn.advance',
      decide(tx, { asid, agent, turnId, number, answered, step }, meta) {
        const { outcome, effects = [], notes, ms } = answered
        const before = tx.get(conversationTable, [asid])
        if (!before) return 'passed'
        const key = `${turnId}.${number}`
        const open = openAt(tx, asid, turnId, number)
        if (!open) {
          noteLateOutcome(tx, before, { turnId, key, outcome, ms })
          return 'passed'
        }
        if (!isDecisive(open, answered)) return invalid('attempt', 'another one has begun')
        const { record } = step
        const merged: TurnRecord = {
          ...record,
          messages: open.record.messages,
          toolCalls: withOutcome(open.record.toolCalls, key, outcome, ms),
          effects: [...open.record.effects, ...effects],
          took: { ...record.took, tools: open.record.took.tools + ms },
        }
        const committed = { agent, taken: 0, number: number + 1, step: { ...step, record: merged } }
        commitStep(tx, meta, before, { ...committed, ...(notes && { notes }) })
        return 'done'
      },
    },
    attempting: {
      name: 'turn.attempting',
      decide(tx, { asid, turnId, number }) {
        const open = openAt(tx, asid, turnId, number)
        if (!open) return 'passed'
        const attempts = open.call.attempts + 1
        tx.put(openTurnTable, [asid], { ...open, call: { ...open.call, attempts } })
        return attempts
      },
    },
    keepAnswer: {
      name: 'turn.keepAnswer',
      decide(tx, { asid, turnId, number, answered }) {
        const open = openAt(tx, asid, turnId, number)
        if (open && isDecisive(open, answered))
          tx.put(openTurnTable, [asid], { ...open, call: { ...open.call, answered } })
        return null
      },
    },
    cut: {
      name: 'turn.cut',
      decide(tx, { asid, agent, turnId, why, requests, answered }, meta) {
        const open = tx.get(openTurnTable, [asid])
        if (open?.id !== turnId) return 'passed'
        const sent = apply(tx, meta, { asid }, { kind: 'send', agent, requests })
        if (!sent) return 'passed'
        const call = answered && isDecisive(open, answered) ? { ...open.call, answered } : open.call
        tx.put(openTurnTable, [asid], { ...open, call, record: withMessages(open.record, sent.answer) })
        apply(tx, meta, { asid }, { kind: 'cutTurn', why })
        return 'done'
      },
    },
    timerFired: {
      name: timerCommand,
      decide(tx, { asid, turnId, sessionId }, { at }) {
        const conversation = tx.get(conversationTable, [asid])
        const open = tx.get(openTurnTable, [asid])
        if (conversation && sessionId !== undefined) sessions.wake(tx, conversation, sessionId, at)
        if (turnId === undefined || open?.id !== turnId) return null
        const payload: TurnDeadline = { asid, turnId }
        tx.emit({ kind: turnEffects.deadline, payload, destination: asid })
        return null
      },
    },
  }
}

function withReads(record: TurnRecord, reads: StepInput['reads'] = []): TurnRecord {
  const { id, toolCalls } = record
  const rows = reads.map((read, nth): ToolCallRecord => ({ ...read, key: `${id}.r${toolCalls.length + nth}` }))
  return { ...record, toolCalls: [...toolCalls, ...rows] }
}

function withTurn(notes: readonly LogNote[], { id: turnId }: TurnRecord): readonly LogNote[] {
  return notes.map(({ event, data }) => ({ event, data: { turnId, ...data } }))
}

/** That a call failed says nothing once a later attempt has begun, which may do it. */
function isDecisive({ call }: OpenTurn, { outcome, attempt }: AnsweredCall): boolean {
  return isDone(outcome) || attempt >= call.attempts
}

/** Adds the ids of accepted messages; a refused one leaves its reason in the trace. */
function withMessages(record: TurnRecord, answer: readonly SendResult[]): TurnRecord {
  const messages = answer.flatMap((each) => ('messageId' in each ? [each.messageId] : []))
  const refused = answer.flatMap((each) => ('reason' in each ? [`message refused: ${each.reason}`] : []))
  return { ...record, messages: [...record.messages, ...messages], trace: [...record.trace, ...refused] }
}
