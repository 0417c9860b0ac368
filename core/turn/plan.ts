/**
 * Plans one step of a turn as a pure function: from what came and what is known, to what the agent says, remembers and
 * does next. The same input always gives the same plan, so a plan that a crash has lost is made again.
 */
import { createSlotReader } from '../agent/index.js'
import type { ContentMessage } from '../amf/index.js'
import { reasonsWithExamples } from '../flow/reasons.js'
import { isDone, type ToolCall, type ToolOutcome } from '../tools/contract.js'
import { composeMessages, type Say } from './compose.js'
import type { Came, Plan, PlanInput, PlannedStep } from './contract.js'
import { type Answered, TurnConversation } from './conversation.js'
import { activeGoal, type GoalEvent, isReached } from './goals.js'
import { addHardValues, type HardValues } from './grounding.js'
import { guardReply } from './guard.js'
import type { Play } from './play.js'
import type { TurnWarning } from './record.js'
import { sentences } from './sentences.js'

export function planTurn(input: PlanInput): Plan {
  const conversation = new TurnConversation(input)
  const answered =
    input.came.kind === 'events' ? conversation.answer(input.came.trigger) : conversation.resume(input.came.outcome)
  return answered.kind === 'read' ? answered : finish(input, conversation, answered)
}

function finish(
  input: PlanInput,
  conversation: TurnConversation,
  { call }: Exclude<Answered, { kind: 'read' }>,
): PlannedStep {
  const { prepared, subject, came, zone, reader } = input
  const { document } = prepared
  const warnings: TurnWarning[] = [...conversation.warnings, ...unavailableTools(input, conversation)]
  const composed = composeMessages(saysOf(input, conversation, call), {
    document,
    readSlot: slotReaderOf(input),
    zone,
  })
  const guard = (messages: readonly ContentMessage[]) =>
    guardReply({
      messages,
      document,
      hasDisclaimers: conversation.play.hasSaidDisclaimers === true,
      sources: [prepared.hardValues, ownValues(input, conversation)],
      reader,
    })
  const asPlanned = guard(composed.messages)
  const isSilent = call === undefined && asPlanned.messages.length === 0 && conversation.isAwaited
  // The person never waits for nothing: what was left out is replaced by how to reach the business.
  const guarded = isSilent ? guard([conversation.contact()]) : asPlanned
  warnings.push(...composed.warnings, ...asPlanned.warnings, ...(isSilent ? guarded.warnings : []))
  const play = withProgress(input, conversation, guarded.hasDisclaimers)
  const goal = activeGoal(document, play, subject.person)
  const reached = isReached(document, { ...play, goal }, eventsOf(came, play))
  const { goal: _before, ...rest } = play
  return {
    kind: 'step',
    messages: guarded.messages,
    play: {
      ...rest,
      ...(goal && { goal }),
      ...(goal && reached && { reachedGoals: [...(play.reachedGoals ?? []), goal.id] }),
    },
    ...(call && { call }),
    findings: {
      ...conversation.findings(),
      ...(goal && { goal: { ...goal, ...(reached && { reached: true as const }) } }),
      warnings,
    },
  }
}

/** Catalog tools that the playbook names and that cannot be called: said once a turn, by its first step. */
function unavailableTools({ prepared, subject, came }: PlanInput, { play }: TurnConversation): TurnWarning[] {
  if (came.kind !== 'events') return []
  const playbook = prepared.document.playbooks.find(({ id }) => id === play.playbookId)
  return (playbook?.toolRefs ?? []).flatMap((toolId): TurnWarning[] => {
    const message = subject.unavailableTools[toolId]
    return message === undefined ? [] : [{ code: 'tool.unavailable', message }]
  })
}

/** A turn that ends without a word says that it is done, unless its tool has failed. */
function saysOf({ came }: PlanInput, conversation: TurnConversation, call: ToolCall | undefined): readonly Say[] {
  const hasFailed = came.kind === 'outcome' && !isDone(came.outcome)
  const isSilent = conversation.say.length === 0 && conversation.isAwaited && call === undefined
  return isSilent && !hasFailed ? [{ kind: 'text', aml: sentences.done }] : conversation.say
}

export function slotReaderOf({ prepared, subject }: Pick<PlanInput, 'prepared' | 'subject'>) {
  const { name, description } = subject.agent
  return createSlotReader({ ...subject.person }, { name, description, ...prepared.document.identity })
}

/**
 * Values that the reply may hold besides those of the document: the person's, the tools' and what was said before. They
 * are collected when a reply has one that the document does not, as few have.
 */
function ownValues(input: PlanInput, conversation: TurnConversation): HardValues {
  let values: HardValues | undefined
  return {
    has(value) {
      values ??= collectOwnValues(input, conversation)
      return values.has(value)
    },
  }
}

function collectOwnValues({ subject, before, came, reads }: PlanInput, { play }: TurnConversation): HardValues {
  const values = new Set<string>()
  const words = came.kind === 'events' ? came.trigger.text : JSON.stringify(came)
  // A flow that ends in this turn has left its frames, and may repeat what it was told.
  const frames = [...(before?.stack ?? []), ...play.stack].map(({ slots, results }) => [slots, results])
  for (const reason of reasonsWithExamples) addHardValues(values, reason)
  addHardValues(
    values,
    JSON.stringify([words, subject.person ?? null, subject.appointments, frames, [...reads.values()]]),
  )
  return values
}

function withProgress({ came }: PlanInput, { play }: TurnConversation, hasSaidDisclaimers: boolean): Play {
  const isContent = came.kind === 'events' && (came.trigger.text !== '' || came.trigger.result !== undefined)
  return {
    ...play,
    ...(hasSaidDisclaimers && { hasSaidDisclaimers }),
    ...(isContent && { hasReplied: true as const }),
    summary: came.kind === 'outcome' ? withOutcome(play.summary, came.call, came.outcome) : play.summary,
  }
}

function withOutcome(summary: Play['summary'], { name }: ToolCall, outcome: ToolOutcome): Play['summary'] {
  if (outcome.state !== 'ok') return summary
  const { start, saved = [] } = (outcome.result ?? {}) as { start?: string; saved?: readonly string[] }
  if (name === 'people.save') return { ...summary, savedFields: [...new Set([...summary.savedFields, ...saved])] }
  if (name === 'scheduling.cancel') return { ...summary, booked: `cancelled the appointment of ${start}` }
  if (name === 'scheduling.book') return { ...summary, booked: `booked ${start}` }
  return name === 'scheduling.reschedule' ? { ...summary, booked: `moved the appointment to ${start}` } : summary
}

function eventsOf(came: Came, { hasReplied }: Play): ReadonlySet<GoalEvent> {
  const events = new Set<GoalEvent>()
  if (hasReplied) events.add('person.replied')
  if (came.kind !== 'outcome' || came.outcome.state !== 'ok') return events
  if (came.call.name === 'scheduling.book') events.add('appointment.booked')
  const { captured } = (came.outcome.result ?? {}) as { captured?: boolean }
  if (came.call.name === 'people.save' && captured) events.add('contact.captured')
  return events
}
