/** One conversation with a managed agent in memory, whose commands are decided one after the other, without a node. */
import type { Conversation } from '../../../core/conversation/state.js'
import type { Refusal } from '../../../core/errors.js'
import type { ToolOutcome } from '../../../core/tools/contract.js'
import type { AnsweredCall } from '../../../core/turn/openturn.js'
import type { Play } from '../../../core/turn/play.js'
import type { TurnRecord } from '../../../core/turn/record.js'
import { turnIdOf } from '../../../core/turn/turnid.js'
import { createConversation, newConversation } from '../../../runtime/conversation/commands.js'
import { conversationTable, logTable, messageTable } from '../../../runtime/conversation/tables.js'
import type { Command, CommandMeta, Tx } from '../../../runtime/shard/contract.js'
import { createOverlay } from '../../../runtime/shard/overlay.js'
import { encodeWrites } from '../../../runtime/store/space.js'
import { createTurnCommands } from '../../../runtime/turn/commands.js'
import type { CutTurn, StepInput } from '../../../runtime/turn/contract.js'
import type { PlannedTurn } from '../../../runtime/turn/planner.js'
import { firstRecord, silencedRecord, type TurnStart } from '../../../runtime/turn/recordofplan.js'
import { closeCutTurn } from '../../../runtime/turn/records.js'
import { openTurnTable } from '../../../runtime/turn/state.js'
import { turnTable } from '../../../runtime/turn/tables.js'
import { contextOn } from '../../harness/agentcontext.js'

const asid = 'ada'
const identity = { asid, agent: { orgId: 'acme', agentId: 'desk' }, channel: 'sms', address: '+12025550123' } as const
const agent = contextOn('sms', {
  provider: 'emulator',
  receivesEvents: true,
  isManaged: true,
  binding: { isActive: true, minDelayMs: 0 },
})

export interface BeginOptions {
  /** The conversation as the planner saw it. */
  readonly seen?: Conversation
  /** The tool that the turn then waits for. */
  readonly call?: string
  /** The plan for a person who has opted out. */
  readonly isSilent?: boolean
}

export function openTurnConversation() {
  const root = createOverlay({ get: () => undefined, range: () => [], encode: encodeWrites })
  const none = () => undefined
  const tx: Tx = Object.assign(root, { emit: none, send: none, schedule: none, unschedule: none })
  const { commands, apply } = createConversation({ timeScale: 1, onTurnCut: closeCutTurn })
  const turns = createTurnCommands({ apply, timeScale: 1 })
  let now = 1_000_000
  /** The record of the newest turn as it began. */
  let began: TurnRecord | undefined

  function decide<I, R>(command: Command<I, R>, input: I): R | Refusal {
    const at = ++now
    const meta: CommandMeta = { commandId: `c${at}`, at, mint: (prefix) => `${prefix}_${++now}` }
    return command.decide(tx, input, meta)
  }

  const conversation = () => tx.get(conversationTable, [asid])!

  function turnStart(): TurnStart {
    const turnId = turnIdOf(asid, ++now, 1)
    const trigger = { eventIds: ['evt'], at: now, sessionId: 'ses', text: 'hello', hasStarted: false }
    return { turnId, startedAt: now, conversation: conversation() ?? newConversation(identity, now), trigger }
  }

  /** A step that answers with one message, unless it waits for a call. */
  function step(record: TurnRecord, call: string | undefined): StepInput {
    const message = { spec: 'amf/1' as const, parts: [{ type: 'text' as const, text: 'Hello.' }] }
    return {
      requests: call ? [] : [{ message, from: 'reply' }],
      play,
      record,
      zone: 'UTC',
      ...(call && { call: { name: call, arguments: {} } }),
    }
  }

  return {
    tx,
    conversation,
    turnStart,
    plannedWith,
    receive(text: string) {
      const items = [{ id: `i${++now}`, inbound: { kind: 'content' as const, content: { text } } }]
      decide(commands.receiveInbound, { identity, agent, items })
    },
    begin({ seen = conversation(), call, isSilent = false }: BeginOptions = {}) {
      const { firstEvent: first, nextEvent } = seen
      const start = turnStart()
      const silent = { requests: [], record: silencedRecord(start), zone: 'UTC' }
      began = firstRecord(start, plannedWith({}))
      const planned = isSilent ? silent : step(began, call)
      const events = { first, taken: nextEvent - first, seen: nextEvent, absorbs: false }
      return decide(turns.begin, { asid, agent, ...events, step: planned })
    },
    attempting: (number: number) => decide(turns.attempting, { asid, turnId: began!.id, number }),
    /** The outcome of the call of that step, and the tool that the turn waits for next. */
    advance(number: number, outcome: ToolOutcome, call?: string, more: Partial<AnsweredCall & StepInput> = {}) {
      const { record } = tx.get(openTurnTable, [asid]) ?? { record: began! }
      const { reads, notes, attempt = 0 } = more
      const answered = { outcome, attempt, ms: 1, ...(notes && { notes }) }
      const input = { asid, agent, turnId: record.id, number, answered }
      return decide(turns.advance, { ...input, step: { ...step(record, call), ...(reads && { reads }) } })
    },
    keepAnswer(number: number, answered: AnsweredCall) {
      return decide(turns.keepAnswer, { asid, turnId: began!.id, number, answered })
    },
    cut(why: CutTurn['why'], answered: AnsweredCall) {
      return decide(turns.cut, { asid, agent, turnId: began!.id, why, requests: [], answered })
    },
    replies: () => Array.from(tx.range(messageTable), ({ value }) => value).filter(({ from }) => from === 'reply'),
    log: () => Array.from(tx.range(logTable), ({ value: { event, data } }) => ({ event, data })),
    calls: () => Array.from(tx.range(turnTable), ({ value }) => value.toolCalls).flat(),
    turnId: () => began!.id,
    /** Of each turn, how it ended and what its calls came to. */
    records: () =>
      Array.from(tx.range(turnTable), ({ value: { state, endedBy, toolCalls } }) => {
        return { state, endedBy, calls: toolCalls.map((each) => each.state) }
      }),
  }
}

const play: Play = {
  sessionId: 'ses',
  startedAt: 0,
  stack: [],
  summary: { playbooks: [], outcomes: [], savedFields: [] },
}

/** A planned step, as far as records read it. */
function plannedWith(findings: Partial<PlannedTurn['step']['findings']>): PlannedTurn {
  return {
    step: {
      kind: 'step',
      messages: [],
      play,
      findings: { playbook: { why: 'default' }, found: [], outcomes: [], warnings: [], trace: [], ...findings },
    },
    gathered: {
      subject: { agent: { name: 'Desk', updatedAt: 0 }, digest: 'd', appointments: [], unavailableTools: {} },
    },
    zone: 'UTC',
    requests: [],
    rules: [],
    warnings: [],
    gatheringMs: 0,
  } as unknown as PlannedTurn
}
