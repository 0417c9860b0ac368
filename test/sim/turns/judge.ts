/**
 * Judges a run of turns by the rows of its conversations and by what the tools saw. Every rule of managed turns is one
 * function here.
 */
import type { ToolCallRecord } from '../../../core/turn/record.js'
import type { JournalEntry } from './journal.js'
import type { AgentState, PersonState } from './state.js'
import type { ToolLog } from './tools.js'

export interface TurnStates {
  readonly people: ReadonlyMap<string, PersonState>
  readonly agent: AgentState
}

export interface JudgeOptions {
  readonly states: TurnStates
  readonly tools: ReadonlyMap<string, ToolLog>
  /** How far clocks of processes may differ; undefined: by any time. */
  readonly clocksDifferMs: number | undefined
  /** The event of each person's last word, which a managed agent must have answered. */
  readonly isLastWordAnswered: boolean
  readonly addViolation: (sentence: string) => void
}

/** What is still under way; empty once everything that was begun has ended. */
export function unfinishedWork({ people, agent }: TurnStates): string[] {
  const problems = [...people].flatMap(([asid, { conversation, open, pendingEffects }]) => {
    const waiting = conversation ? conversation.nextEvent - conversation.firstEvent : 0
    return [
      ...(pendingEffects > 0 ? [`${pendingEffects} effects are owed in the shard of ${asid}`] : []),
      ...(waiting > 0 ? [`${waiting} events of ${asid} wait`] : []),
      ...(open ? [`the turn ${open.id} is open`] : []),
    ]
  })
  return agent.pendingEffects > 0 ? [...problems, `${agent.pendingEffects} effects are owed by the agent`] : problems
}

export function judgeTurns(options: JudgeOptions): void {
  const { states, addViolation } = options
  const keys = new Set<string>()
  for (const [asid, state] of states.people) {
    const rules = [eventsTakenOnce, silenceAfterStop, oneTurnAtATime, recordsNameMessages, flowsLeft]
    for (const rule of rules) for (const problem of rule(state)) addViolation(`${asid}: ${problem}`)
    for (const problem of turnsInOrder(state, options.clocksDifferMs)) addViolation(`${asid}: ${problem}`)
    if (options.isLastWordAnswered) for (const problem of lastWordAnswered(state)) addViolation(`${asid}: ${problem}`)
    for (const call of state.records.flatMap(({ toolCalls }) => toolCalls)) {
      if (keys.has(call.key)) addViolation(`two records have the call ${call.key}`)
      keys.add(call.key)
      for (const problem of callIsTrue(call, options)) addViolation(`${asid}: ${problem}`)
    }
  }
  for (const problem of toolsCalledOnce(options, keys)) addViolation(problem)
}

type Rule = (state: PersonState) => Iterable<string>

const isContent = (entry: JournalEntry) =>
  entry.kind === 'event' && (entry.type === 'message' || entry.type === 'result')

/** T1: one record has each event with content, and it has answered the event or says why not. */
const eventsTakenOnce: Rule = function* ({ journal, records, otherwise }) {
  for (const entry of journal) {
    if (entry.kind !== 'event' || !isContent(entry)) continue
    const { eventId } = entry
    const taken = records.filter(({ trigger }) => trigger.eventIds.includes(eventId)).length
    const isOtherwise = otherwise.includes(eventId)
    if (taken + Number(isOtherwise) !== 1) {
      yield `the event ${eventId} is in ${taken} records${isOtherwise ? ', and was taken otherwise' : ''}`
    }
  }
  for (const { id, state, endedBy, trigger, messages, trace, endedAt } of records) {
    if (state === 'open' || endedAt === undefined) yield `the record of ${id} has not ended`
    if (state === 'cut' && endedBy === undefined) yield `the record of ${id} does not say why it was cut`
    const isHeld = trace.some((line) => heldBack.test(line))
    if (state === 'completed' && trigger.kind !== 'started' && messages.length === 0 && !isHeld) {
      yield `the turn ${id} has completed without an answer: ${trace.join('; ')}`
    }
  }
}

/** The breaker of loops and the bound of the queue may refuse an answer. */
const heldBack = /^message refused: (loopDetected|tooLarge)/

/** T4: from the STOP on no turn is open, and no message is accepted until the START. */
const silenceAfterStop: Rule = function* ({ journal }) {
  let isSilent = false
  let open: string | undefined
  for (const entry of journal) {
    if (entry.kind === 'optedOut') isSilent = true
    else if (entry.kind === 'optedIn') isSilent = false
    else if (entry.kind === 'turn') open = entry.turn?.id
    else if (entry.kind === 'reply' && isSilent) yield `the message ${entry.messageId} was accepted after a STOP`
    if (isSilent && open && entry.kind !== 'optedOut') yield `the turn ${open} is open after a STOP`
  }
  if (isSilent && open) yield `the turn ${open} is open after a STOP`
}

/** T5: at most one turn is open, and its steps are in order. */
const oneTurnAtATime: Rule = function* ({ journal }) {
  let open: { readonly id: string; readonly step: number } | undefined
  const ended = new Set<string>()
  for (const entry of journal) {
    if (entry.kind !== 'turn') continue
    const { turn } = entry
    if (turn && open && turn.id !== open.id) yield `the turn ${turn.id} began while ${open.id} was open`
    if (turn && turn.step !== (open?.id === turn.id ? open.step + 1 : 1)) {
      yield `the turn ${turn.id} is at step ${turn.step} after ${open?.step ?? 'none'}`
    }
    if (turn && ended.has(turn.id)) yield `the turn ${turn.id} was open again`
    if (open && turn?.id !== open.id) ended.add(open.id)
    open = turn
  }
}

/** T5: records of one person follow each other in the order of the events that they answer. */
function* turnsInOrder({ records }: PersonState, clocksDifferMs: number | undefined): Iterable<string> {
  if (clocksDifferMs === undefined) return
  for (const [nth, { id, startedAt, endedAt = startedAt }] of records.entries()) {
    const before = records[nth - 1]
    if (endedAt < startedAt - clocksDifferMs) yield `the turn ${id} ended before it began`
    if (before && startedAt < (before.endedAt ?? before.startedAt) - clocksDifferMs) {
      yield `the turn ${id} began before ${before.id} ended`
    }
  }
}

/** T6: the messages of all records are the accepted answers of the conversation. */
const recordsNameMessages: Rule = function* ({ journal, records }) {
  const accepted = journal.flatMap((entry) => (entry.kind === 'reply' ? [entry.messageId] : []))
  const named = records.flatMap(({ messages }) => messages)
  for (const id of accepted) {
    const times = named.filter((each) => each === id).length
    if (times !== 1) yield `the message ${id} is in ${times} records`
  }
  const known = new Set(accepted)
  for (const id of named) if (!known.has(id)) yield `a record names the message ${id}, which was never accepted`
}

/** T7: a cut leaves the flow, so that nothing waits for what never comes. */
const flowsLeft: Rule = function* ({ play, records }) {
  const frame = play?.stack.find(({ waiting }) => waiting?.kind === 'call')
  if (frame) yield `the flow of ${frame.playbookId} waits for a call, and no turn is open`
  for (const [nth, { id, flow }] of records.entries()) {
    const before = records[nth - 1]
    const wasOpen = before?.state === 'cut' && before.toolCalls.length > 0
    if (wasOpen && flow?.from !== undefined) yield `the turn ${id} goes on in the flow of ${before.id}, which was cut`
  }
}

/** T7: whatever was cut before. */
const lastWordAnswered: Rule = function* ({ journal, records }) {
  const last = journal.findLast((entry) => entry.kind === 'event' && entry.type !== 'system')
  if (last?.kind !== 'event') return
  const record = records.find(({ trigger }) => trigger.eventIds.includes(last.eventId))
  if (record && record.messages.length === 0) {
    yield `the last word ${last.eventId} was not answered: ${record.state} ${record.trace.join('; ')}`
  }
}

/** T2 and T3, as the records tell it: a call is what its record says, and one that is in doubt is `unknown`. */
function* callIsTrue({ key, state, result, name }: ToolCallRecord, { tools, states }: JudgeOptions): Iterable<string> {
  const log = tools.get(key)
  const done = (log?.done ?? 0) + (states.agent.inside[key] ?? 0)
  const what = `the call ${key} of ${name} is ${state} in its record`
  const { ref } = (result ?? {}) as { ref?: string }
  if (state === 'ok' && (done === 0 || ref !== key))
    yield `${what} with ${ref ?? 'nothing'}, and was done ${done} times`
  if (state === 'pending') yield `${what}, though its turn has ended`
  if (['failed', 'refused', 'cancelled'].includes(state) && done > 0) yield `${what}, and was done`
  if (state === 'cancelled' && log) yield `${what}, and the tool had ${log.requests} requests`
}

/** T2 and T3, as the tools tell it. */
function* toolsCalledOnce({ tools, states }: JudgeOptions, keys: ReadonlySet<string>): Iterable<string> {
  for (const [id, count] of Object.entries(states.agent.inside)) {
    if (count !== 1) yield `the call ${id} had its effect inside ${count} times`
    if (!keys.has(id)) yield `no record has the call ${id}, which was done`
  }
  for (const [id, { name, isIdempotent, requests, turnedAway, done }] of tools) {
    if (!isIdempotent && requests - turnedAway > 1) yield `the tool ${name} had ${requests} requests for ${id}`
    if (done > 1) yield `the tool ${name} did ${id} ${done} times`
    if (!keys.has(id)) yield `no record has the call ${id}, for which ${name} had a request`
  }
}
