/** The record of a turn while it goes on: its beginning from the first plan, and each further plan added to it. */
import type { Conversation } from '../../core/conversation/state.js'
import { turn as limits } from '../../core/limits/index.js'
import type { TurnRecord, TurnTrigger } from '../../core/turn/record.js'
import type { Trigger } from '../../core/turn/trigger.js'
import type { PlannedTurn } from './planner.js'

const noUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0 } as const

export interface TurnStart {
  readonly turnId: string
  readonly startedAt: number
  readonly conversation: Conversation
  readonly trigger: Trigger
}

export function firstRecord(start: TurnStart, planned: PlannedTurn): TurnRecord {
  const { step, gathered, rules, warnings, gatheringMs } = planned
  const { subject } = gathered
  const empty = emptyRecord(start)
  return {
    ...empty,
    ...(subject.person && { personId: subject.person.id }),
    took: { ...empty.took, total: empty.took.total + gatheringMs, gathering: gatheringMs },
    definition: { digest: subject.digest, updatedAt: subject.agent.updatedAt },
    ...step.findings,
    rules,
    warnings: [...step.findings.warnings, ...warnings].slice(0, limits.warnings),
  }
}

/** Of a message that is not answered, because the person has opted out since. */
export function silencedRecord(start: TurnStart): TurnRecord {
  return { ...emptyRecord(start), state: 'cut', endedBy: 'stopped' }
}

function emptyRecord({ turnId, startedAt, conversation, trigger }: TurnStart): TurnRecord {
  const { asid, channel, sandbox, start } = conversation
  const waiting = Math.max(0, startedAt - trigger.at)
  return {
    id: turnId,
    userId: asid,
    sessionId: trigger.sessionId,
    channel,
    ...(sandbox && { test: true as const, emulatedChannel: channel }),
    state: 'completed',
    trigger: triggerOf(trigger, start?.kind),
    startedAt,
    took: { total: waiting, waiting, gathering: 0, model: 0, tools: 0, committing: 0 },
    definition: { digest: '', updatedAt: 0 },
    playbook: { why: '' },
    modelCalls: [],
    toolCalls: [],
    found: [],
    rules: [],
    messages: [],
    effects: [],
    outcomes: [],
    warnings: [],
    usage: noUsage,
    trace: [],
  }
}

/** The record with what a later step found. */
export function withStep(record: TurnRecord, { step, rules, warnings, gatheringMs }: PlannedTurn): TurnRecord {
  const { findings } = step
  const { playbook, flow, goal } = findings
  return {
    ...record,
    playbook: { ...record.playbook, ...(playbook.after !== undefined && { after: playbook.after }) },
    ...(flow && { flow: joinFlow(record.flow, flow) }),
    ...(goal && { goal: { ...goal, ...(record.goal?.id === goal.id && record.goal) } }),
    found: [...record.found, ...findings.found],
    outcomes: [...record.outcomes, ...findings.outcomes],
    rules: [...record.rules, ...rules],
    warnings: [...record.warnings, ...findings.warnings, ...warnings].slice(0, limits.warnings),
    trace: [...record.trace, ...findings.trace].slice(0, limits.traceLines),
    took: { ...record.took, gathering: record.took.gathering + gatheringMs },
  }
}

/** From where the turn began to where it is now. */
function joinFlow(before: TurnRecord['flow'], now: NonNullable<TurnRecord['flow']>): NonNullable<TurnRecord['flow']> {
  if (!before) return now
  const { to: _passed, ...began } = before
  const { from: _place, ...rest } = now
  return { ...began, ...rest }
}

function triggerOf({ eventIds, text, result, hasStarted }: Trigger, opening: TurnTrigger['opening']): TurnTrigger {
  const words = result ? (result.labels[0] ?? result.optionIds[0]) : text
  const isStart = hasStarted && text === '' && !result
  return {
    kind: isStart ? 'started' : result ? 'result' : 'message',
    eventIds,
    ...(words && { text: words }),
    ...(opening && { opening }),
  }
}
