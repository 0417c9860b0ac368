/** Schemas of an agent's character: personality, goals, objectives, standing instructions, guardrails. */
import Type, { type Static } from 'typebox'
import { agentLimits as limits } from '../../limits/index.js'
import { expressionSubset } from '../pattern/index.js'
import {
  closedObject,
  DerivedFrom,
  matching,
  nonEmptyText,
  optional,
  orNull,
  qualifiedId,
  slug,
  taggedUnion,
  text,
} from './schemas.js'

export const Personality = closedObject('AgentPersonality', {
  description: optional(text(limits.personality.descriptionChars)),
  text: nonEmptyText(limits.personality.textChars),
  derivedFrom: optional(DerivedFrom),
})
export type Personality = Static<typeof Personality>

export const goalEvents = ['appointment.booked', 'contact.captured', 'person.replied', 'link.tapped'] as const

const GoalDefinition = taggedUnion(
  'kind',
  [
    closedObject('EventGoal', { kind: Type.Literal('event'), event: Type.Enum([...goalEvents]) }),
    closedObject('JudgedGoal', { kind: Type.Literal('judged'), criterion: nonEmptyText(limits.goals.criterionChars) }),
  ],
  'GoalDefinition',
)

export const Goal = closedObject('AgentGoal', {
  id: slug,
  name: nonEmptyText(limits.goals.nameChars),
  description: optional(text(limits.goals.descriptionChars)),
  definition: GoalDefinition,
})
export type Goal = Static<typeof Goal>

export const consentStatuses = ['granted', 'denied', 'unknown'] as const

/** `conditionFaults` checks which operation and value each field takes. */
export const GoalCondition = closedObject('GoalCondition', {
  field: matching(
    '^person\\.(lastCallAt|consent\\.status|status|customFields\\.[A-Za-z_][A-Za-z0-9_-]{0,127})$',
    'must be person.lastCallAt, person.consent.status, person.status or person.customFields.<key>',
    160,
  ),
  op: Type.Enum(['eq', 'exists']),
  value: optional(text(limits.goals.conditionValueChars)),
})
export type GoalCondition = Static<typeof GoalCondition>

export const GoalAssignment = closedObject('GoalAssignment', {
  goalId: slug,
  unless: optional(GoalCondition),
  /** Becomes the goal when the condition holds. */
  // biome-ignore lint/suspicious/noThenProperty: it is the contract's word, and holds an id
  then: optional(slug),
})
export type GoalAssignment = Static<typeof GoalAssignment>

export const GoalsBody = closedObject('AgentGoalsBody', {
  goals: Type.Array(Goal, { maxItems: limits.goals.max }),
  defaultGoal: optional(orNull(GoalAssignment)),
})
export const GoalsView = closedObject('AgentGoals', { data: Type.Array(Goal), defaultGoal: optional(GoalAssignment) })

/** What the agent works towards, in prose; it comes with templates and has no route of its own. */
export const Objective = closedObject('AgentObjective', {
  id: slug,
  name: nonEmptyText(limits.objectives.nameChars),
  description: optional(text(limits.objectives.descriptionChars)),
  body: nonEmptyText(limits.objectives.bodyChars),
  derivedFrom: optional(DerivedFrom),
})
export type Objective = Static<typeof Objective>

export const StandingInstructions = Type.Array(nonEmptyText(limits.standingInstructions.chars), {
  maxItems: limits.standingInstructions.max,
})
export const StandingInstructionsBody = closedObject('StandingInstructionsBody', {
  standingInstructions: StandingInstructions,
})
export const StandingInstructionsView = closedObject('StandingInstructions', { data: Type.Array(Type.String()) })

const guardrailList = Type.Array(nonEmptyText(limits.guardrails.chars), { maxItems: limits.guardrails.max })
export const guardrailLists = ['topicsToAvoid', 'claimsNotToMake', 'requiredDisclaimers'] as const
export type GuardrailList = (typeof guardrailLists)[number]

export const Guardrails = closedObject('AgentGuardrails', {
  topicsToAvoid: optional(guardrailList),
  claimsNotToMake: optional(guardrailList),
  requiredDisclaimers: optional(guardrailList),
  derivedFromTemplates: optional(Type.Array(qualifiedId, { maxItems: limits.guardrails.templates, uniqueItems: true })),
})
export type Guardrails = Static<typeof Guardrails>

const ListChange = closedObject('GuardrailListChange', {
  add: optional(guardrailList),
  remove: optional(guardrailList),
})
export const GuardrailsPatch = closedObject('AgentGuardrailsPatch', {
  topicsToAvoid: optional(ListChange),
  claimsNotToMake: optional(ListChange),
  requiredDisclaimers: optional(ListChange),
})
export type GuardrailsPatch = Static<typeof GuardrailsPatch>

export const Rule = closedObject('AgentRule', {
  id: slug,
  /** The sentence the operator wrote. */
  text: nonEmptyText(limits.rules.textChars),
  check: closedObject('AgentRuleCheck', {
    kind: Type.Literal('pattern'),
    patterns: Type.Array(nonEmptyText(limits.rules.patternChars, { description: expressionSubset }), {
      minItems: 1,
      maxItems: limits.rules.patterns,
    }),
  }),
  action: optional(Type.Enum(['block', 'flag'])),
  replacement: optional(text(limits.rules.replacementChars)),
  enabled: optional(Type.Boolean()),
})
export type Rule = Static<typeof Rule>
export const RulesBody = closedObject('AgentRulesBody', { rules: Type.Array(Rule, { maxItems: limits.rules.max }) })
