/** Who an agent is and what it must and must not do: personality, goals, instructions, guardrails, rules. */
import Type from 'typebox'
import {
  goalsReplaced,
  goalsView,
  guardrailsImported,
  guardrailsPatched,
  guardrailsReplaced,
  instructionsReplaced,
  personalityDiff,
  personalityImported,
  personalityReplaced,
  rulesReplaced,
} from '../../../core/agent/index.js'
import {
  GoalsBody,
  GoalsView,
  Guardrails,
  GuardrailsPatch,
  Personality,
  Rule,
  RulesBody,
  StandingInstructionsBody,
  StandingInstructionsView,
} from '../../../core/agent/resources/character.js'
import { closed, orNull } from '../../../core/agent/resources/words.js'
import { refuse } from '../../../core/errors.js'
import { becomes, type Resource, type Seen } from '../resource.js'
import { applying, listOf, ofAgents, reading, writing } from '../schema.js'
import { fromTemplate, TemplateBody } from './template.js'

const { tag } = ofAgents
const conflicts = ['request.invalid', 'agent.integrity_conflict'] as const

const personality = { tag, path: '/personality', of: ['personality'], reply: { 200: Personality } } as const
const goals = { tag, path: '/goals', of: ['goals', 'defaultGoal'], reply: { 200: GoalsView } } as const
const instructions = {
  tag,
  path: '/standing-instructions',
  of: ['standingInstructions'],
  reply: { 200: StandingInstructionsView },
} as const
const guardrails = { tag, path: '/guardrails', of: ['guardrails'], reply: { 200: Guardrails } } as const
const rules = { tag, path: '/rules', of: ['rules'], reply: { 200: listOf(Rule, 'AgentRuleList') } } as const

const PersonalityDiff = closed('AgentPersonalityDiff', {
  current: orNull(Personality),
  baseline: orNull(Personality),
  divergence: orNull(closed('PersonalityDivergence', { description: Type.Boolean(), text: Type.Boolean() })),
})

const noPersonality = refuse('resource.not_found', { detail: 'The agent has no personality yet.' })
const showPersonality = ({ document }: Seen) => document.personality ?? noPersonality
const showGoals = ({ document }: Seen) => goalsView(document)
const showInstructions = ({ document }: Seen) => ({ data: document.standingInstructions ?? [] })
const showGuardrails = ({ document }: Seen) => document.guardrails ?? {}
const showRules = ({ document }: Seen) => ({ data: document.rules })

export const characterResources: readonly Resource[] = [
  {
    ...personality,
    method: 'GET',
    access: reading,
    summary: 'Read the personality of an agent',
    view: showPersonality,
  },
  {
    ...personality,
    method: 'GET',
    path: '/personality/diff',
    access: reading,
    summary: 'Compare the personality with the template it was copied from',
    reply: { 200: PersonalityDiff },
    view: ({ document }) => personalityDiff(document),
    isBeyondTag: true,
  },
  {
    ...personality,
    method: 'PUT',
    access: writing,
    summary: 'Replace the personality',
    body: Personality,
    errors: ['request.invalid'],
    write: becomes((document, { body }) => personalityReplaced(document, body)),
    view: showPersonality,
  },
  {
    ...personality,
    method: 'POST',
    path: '/personality/import',
    access: applying,
    summary: 'Copy a personality from the catalog',
    body: TemplateBody,
    errors: ['request.invalid'],
    write: becomes(fromTemplate(personalityImported)),
    view: showPersonality,
  },
  { ...goals, method: 'GET', access: reading, summary: 'Read the goals of an agent', view: showGoals },
  {
    ...goals,
    method: 'PUT',
    access: writing,
    summary: 'Replace the goals; a default that is left out stays, null takes it away',
    body: GoalsBody,
    errors: [...conflicts, 'goal.unknown'],
    write: becomes((document, { body }) => goalsReplaced(document, body)),
    view: showGoals,
  },
  {
    ...instructions,
    method: 'GET',
    access: reading,
    summary: 'Read the standing instructions',
    view: showInstructions,
  },
  {
    ...instructions,
    method: 'PUT',
    access: writing,
    summary: 'Replace the standing instructions',
    body: StandingInstructionsBody,
    errors: ['request.invalid'],
    write: becomes((document, { body }) => instructionsReplaced(document, body)),
    view: showInstructions,
  },
  { ...guardrails, method: 'GET', access: reading, summary: 'Read the guardrails', view: showGuardrails },
  {
    ...guardrails,
    method: 'PUT',
    access: writing,
    summary: 'Replace the guardrails',
    body: Guardrails,
    errors: ['request.invalid'],
    write: becomes((document, { body }) => guardrailsReplaced(document, body)),
    view: showGuardrails,
  },
  {
    ...guardrails,
    method: 'PATCH',
    access: writing,
    summary: 'Add to single lists of the guardrails, or remove from them',
    body: GuardrailsPatch,
    errors: ['request.invalid'],
    write: becomes((document, { body }) => guardrailsPatched(document, body)),
    view: showGuardrails,
  },
  {
    ...guardrails,
    method: 'POST',
    path: '/guardrails/import',
    access: applying,
    summary: 'Merge a template of the catalog into the guardrails',
    body: TemplateBody,
    errors: ['request.invalid'],
    write: becomes(fromTemplate(guardrailsImported)),
    view: showGuardrails,
  },
  { ...rules, method: 'GET', access: reading, summary: 'List the rules that replies are held to', view: showRules },
  {
    ...rules,
    method: 'PUT',
    access: writing,
    summary: 'Replace the rules',
    body: RulesBody,
    errors: ['request.invalid'],
    write: becomes((document, { body }) => rulesReplaced(document, body)),
    view: showRules,
  },
]
