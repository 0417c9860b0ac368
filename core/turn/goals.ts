/** Goals of a conversation: which one is active, and which events reach it. */
import type { AgentDocument } from '../agent/index.js'
import type { GoalAssignment, GoalCondition } from '../agent/resources/character.js'
import type { Person } from '../people/person.js'
import type { Play } from './play.js'

export type GoalEvent = 'appointment.booked' | 'contact.captured' | 'person.replied'

type Source = NonNullable<Play['goal']>['from']
type Goals = Pick<AgentDocument, 'goals' | 'defaultGoal' | 'outreach' | 'playbooks'>

/** The most specific assignment: of the playbook, then of the outreach, then the default. */
export function activeGoal(
  document: Goals,
  { playbookId, outreachId }: Pick<Play, 'playbookId' | 'outreachId'>,
  person: Person | undefined,
): Play['goal'] {
  const sources: readonly [Source, GoalAssignment | undefined][] = [
    ['playbook', document.playbooks.find(({ id }) => id === playbookId)?.goal],
    ['outreach', document.outreach.find(({ id }) => id === outreachId)?.goal],
    ['default', document.defaultGoal],
  ]
  for (const [from, assignment] of sources) {
    const id = assignment && assignedGoal(assignment, person)
    if (id !== undefined && document.goals.some((goal) => goal.id === id)) return { id, from }
  }
  return undefined
}

/** Undefined when the condition holds and names no other goal: the next source decides. */
function assignedGoal({ goalId, unless, then }: GoalAssignment, person: Person | undefined): string | undefined {
  return unless && holds(unless, person) ? then : goalId
}

function holds({ field, op, value }: GoalCondition, person: Person | undefined): boolean {
  const current = fieldOf(field, person)
  return op === 'exists' ? current !== undefined && current !== '' : current === value
}

const customPrefix = 'person.customFields.'

function fieldOf(field: string, person: Person | undefined): string | undefined {
  if (field === 'person.lastCallAt') return person?.lastCallAt === undefined ? undefined : String(person.lastCallAt)
  if (field === 'person.consent.status') return person?.consent.status ?? 'unknown'
  if (field === 'person.status') return person?.status ?? 'new'
  const fields = person?.customFields ?? {}
  const key = field.slice(customPrefix.length)
  return Object.hasOwn(fields, key) ? fields[key] : undefined
}

/** Whether one of the events reaches the goal now: once a session, and never for a goal that a review judges. */
export function isReached(
  { goals }: Pick<AgentDocument, 'goals'>,
  { goal, reachedGoals = [] }: Pick<Play, 'goal' | 'reachedGoals'>,
  events: ReadonlySet<GoalEvent>,
): boolean {
  if (!goal || reachedGoals.includes(goal.id)) return false
  const definition = goals.find(({ id }) => id === goal.id)?.definition
  return definition?.kind === 'event' && (events as ReadonlySet<string>).has(definition.event)
}
