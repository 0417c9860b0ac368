/** Who an agent is and what it wants: personality, goals, objectives, standing instructions, guardrails. */
import Type, { type Static } from 'typebox'
import { agentLimits as limits } from '../../limits.js'
import { expressionSubset } from '../pattern/index.js'
import { closed, DerivedFrom, eitherBy, matching, optional, orNull, qualifiedId, slug, text, words } from './words.js'

export const Personality = closed('AgentPersonality', {
  description: optional(text(limits.personality.descriptionChars)),
  text: words(limits.personality.textChars),
  derivedFrom: optional(DerivedFrom),
})
export type Personality = Static<typeof Personality>

export const goalEvents = ['appointment.booked', 'contact.captured', 'person.replied', 'link.tapped'] as const

const GoalDefinition = eitherBy(
  'kind',
  [
    closed('EventGoal', { kind: Type.Literal('event'), event: Type.Enum([...goalEvents]) }),
    closed('JudgedGoal', { kind: Type.Literal('judged'), criterion: words(limits.goals.criterionChars) }),
  ],
  'GoalDefinition',
)

export const Goal = closed('AgentGoal', {
  id: slug,
  name: words(limits.goals.nameChars),
  description: optional(text(limits.goals.descriptionChars)),
  definition: GoalDefinition,
})
export type Goal = Static<typeof Goal>

export const consentStatuses = ['granted', 'denied', 'unknown'] as const

/** Which operation and value each field takes is told by `conditionFaults`. */
export const GoalCondition = closed('GoalCondition', {
  field: matching(
    '^person\\.(lastCallAt|consent\\.status|status|customFields\\.[A-Za-z_][A-Za-z0-9_-]{0,127})$',
    'must be person.lastCallAt, person.consent.status, person.status or person.customFields.<key>',
    160,
  ),
  op: Type.Enum(['eq', 'exists']),
  value: optional(text(limits.goals.conditionValueChars)),
})
export type GoalCondition = Static<typeof GoalCondition>

export const GoalAssignment = closed('GoalAssignment', {
  goalId: slug,
  unless: optional(GoalCondition),
  /** Becomes the goal when the condition holds. */
  // biome-ignore lint/suspicious/noThenProperty: it is the contract's word, and holds an id
  then: optional(slug),
})
export type GoalAssignment = Static<typeof GoalAssignment>

export const GoalsBody = closed('AgentGoalsBody', {
  goals: Type.Array(Goal, { maxItems: limits.goals.most }),
  defaultGoal: optional(orNull(GoalAssignment)),
})
export const GoalsView = closed('AgentGoals', { data: Type.Array(Goal), defaultGoal: optional(GoalAssignment) })

/** What the agent works towards, in prose; it comes with templates and has no route of its own. */
export const Objective = closed('AgentObjective', {
  id: slug,
  name: words(limits.objectives.nameChars),
  description: optional(text(limits.objectives.descriptionChars)),
  body: words(limits.objectives.bodyChars),
  derivedFrom: optional(DerivedFrom),
})
export type Objective = Static<typeof Objective>

export const StandingInstructions = Type.Array(words(limits.standingInstructions.chars), {
  maxItems: limits.standingInstructions.most,
})
export const StandingInstructionsBody = closed('StandingInstructionsBody', {
  standingInstructions: StandingInstructions,
})
export const StandingInstructionsView = closed('StandingInstructions', { data: Type.Array(Type.String()) })

const guardrailList = Type.Array(words(limits.guardrails.chars), { maxItems: limits.guardrails.most })
export const guardrailLists = ['topicsToAvoid', 'claimsNotToMake', 'requiredDisclaimers'] as const
export type GuardrailList = (typeof guardrailLists)[number]

export const Guardrails = closed('AgentGuardrails', {
  topicsToAvoid: optional(guardrailList),
  claimsNotToMake: optional(guardrailList),
  requiredDisclaimers: optional(guardrailList),
  derivedFromTemplates: optional(Type.Array(qualifiedId, { maxItems: limits.guardrails.templates, uniqueItems: true })),
})
export type Guardrails = Static<typeof Guardrails>

const ListChange = closed('GuardrailListChange', { add: optional(guardrailList), remove: optional(guardrailList) })
export const GuardrailsPatch = closed('AgentGuardrailsPatch', {
  topicsToAvoid: optional(ListChange),
  claimsNotToMake: optional(ListChange),
  requiredDisclaimers: optional(ListChange),
})
export type GuardrailsPatch = Static<typeof GuardrailsPatch>

export const Rule = closed('AgentRule', {
  id: slug,
  /** The sentence the operator wrote. */
  text: words(limits.rules.textChars),
  check: closed('AgentRuleCheck', {
    kind: Type.Literal('pattern'),
    patterns: Type.Array(words(limits.rules.patternChars, { description: expressionSubset }), {
      minItems: 1,
      maxItems: limits.rules.patterns,
    }),
  }),
  action: optional(Type.Enum(['block', 'flag'])),
  replacement: optional(text(limits.rules.replacementChars)),
  enabled: optional(Type.Boolean()),
})
export type Rule = Static<typeof Rule>
export const RulesBody = closed('AgentRulesBody', { rules: Type.Array(Rule, { maxItems: limits.rules.most }) })
