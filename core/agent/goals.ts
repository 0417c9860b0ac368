/** Goals: the library of an agent, and assignments that name one of its goals. */
import { type FieldError, type Refusal, refuseFields } from '../errors.js'
import { type AgentDocument, withSection } from './document.js'
import { invalidFields, type Outcome, schemaError } from './outcome.js'
import {
  consentStatuses,
  type Goal,
  type GoalAssignment,
  type GoalCondition,
  GoalsBody,
} from './resources/character.js'
import { customFieldIn } from './templates/slots.js'

/** Checks which operation and value each field of a condition takes. */
export function conditionFaults({ field, op, value }: GoalCondition, at: string): FieldError[] {
  const faultAt = (member: string, message: string): FieldError[] => [{ field: `${at}.${member}`, message }]
  const isCustom = customFieldIn(field) !== undefined
  if (field === 'person.lastCallAt' && op !== 'exists') return faultAt('op', 'must be exists')
  if ((field === 'person.status' || field === 'person.consent.status') && op !== 'eq')
    return faultAt('op', 'must be eq')
  if (op === 'eq' && value === undefined) return faultAt('value', 'is required')
  if (op === 'exists' && value !== undefined && !isCustom) return faultAt('value', 'is not a known field')
  if (field === 'person.consent.status' && !(consentStatuses as readonly string[]).includes(value ?? '')) {
    return faultAt('value', `must be one of ${consentStatuses.join(', ')}`)
  }
  return []
}

interface AssignedGoal {
  readonly at: string
  readonly goal: GoalAssignment | undefined
}

/** The refusal of assignments that are malformed or name an unknown goal; undefined when all are valid. */
export function assignmentRefusal(
  goals: readonly { readonly id: string }[],
  assignments: readonly AssignedGoal[],
): Refusal | undefined {
  const goalIds = new Set(goals.map(({ id }) => id))
  const malformedErrors: FieldError[] = []
  const unknownGoalErrors: FieldError[] = []
  for (const { at, goal } of assignments) {
    if (!goal) continue
    if (goal.unless) malformedErrors.push(...conditionFaults(goal.unless, `${at}.unless`))
    for (const member of ['goalId', 'then'] as const) {
      const id = goal[member]
      if (id === undefined || goalIds.has(id)) continue
      unknownGoalErrors.push({ field: `${at}.${member}`, code: 'goal.unknown', message: `There is no goal ${id}.` })
    }
  }
  if (malformedErrors.length > 0) return invalidFields(malformedErrors)
  const [first] = unknownGoalErrors
  return first && refuseFields('goal.unknown', unknownGoalErrors, `${first.field}: ${first.message}`)
}

/** PUT of the whole library. A default goal that the body leaves out stays; null removes it. */
export function replaceGoals(document: AgentDocument, body: unknown): Outcome {
  const error = schemaError(GoalsBody, body)
  if (error) return error
  const { goals, defaultGoal = document.defaultGoal } = body as { goals: Goal[]; defaultGoal?: GoalAssignment | null }
  const isDefaultGoalSet = (body as { defaultGoal?: unknown }).defaultGoal !== undefined
  /** A default that stays is checked like any other reference. */
  const refusal = isDefaultGoalSet
    ? assignmentRefusal(goals, [{ at: 'defaultGoal', goal: defaultGoal ?? undefined }])
    : undefined
  return refusal ?? withSection(withSection(document, 'goals', goals), 'defaultGoal', defaultGoal ?? undefined)
}

export function goalsView({ goals, defaultGoal }: AgentDocument) {
  return { data: goals, ...(defaultGoal && { defaultGoal }) }
}
