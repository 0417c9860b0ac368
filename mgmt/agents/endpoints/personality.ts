/** Endpoints of an agent's personality, goals, instructions, guardrails and rules. */
import Type from 'typebox'
import {
  goalsView,
  importGuardrails,
  importPersonality,
  patchGuardrails,
  personalityDiff,
  replaceGoals,
  replaceGuardrails,
  replaceInstructions,
  replacePersonality,
  replaceRules,
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
import { closedObject, orNull } from '../../../core/agent/resources/schemas.js'
import { refuse } from '../../../core/errors.js'
import { type Endpoint, type ReadContext, updates } from '../endpoint.js'
import { applyAccess, listOf, readAccess, routeDefaults, writeAccess } from '../schema.js'
import { fromTemplate, TemplateBody } from './template.js'

const { tag } = routeDefaults
const conflictErrors = ['request.invalid', 'agent.integrity_conflict'] as const

const personality = { tag, path: '/personality', sections: ['personality'], reply: { 200: Personality } } as const
const goals = { tag, path: '/goals', sections: ['goals', 'defaultGoal'], reply: { 200: GoalsView } } as const
const instructions = {
  tag,
  path: '/standing-instructions',
  sections: ['standingInstructions'],
  reply: { 200: StandingInstructionsView },
} as const
const guardrails = { tag, path: '/guardrails', sections: ['guardrails'], reply: { 200: Guardrails } } as const
const rules = { tag, path: '/rules', sections: ['rules'], reply: { 200: listOf(Rule, 'AgentRuleList') } } as const

const PersonalityDiff = closedObject('AgentPersonalityDiff', {
  current: orNull(Personality),
  baseline: orNull(Personality),
  divergence: orNull(closedObject('PersonalityDivergence', { description: Type.Boolean(), text: Type.Boolean() })),
})

const noPersonality = refuse('resource.not_found', { detail: 'The agent has no personality yet.' })
const showPersonality = ({ document }: ReadContext) => document.personality ?? noPersonality
const showGoals = ({ document }: ReadContext) => goalsView(document)
const showInstructions = ({ document }: ReadContext) => ({ data: document.standingInstructions ?? [] })
const showGuardrails = ({ document }: ReadContext) => document.guardrails ?? {}
const showRules = ({ document }: ReadContext) => ({ data: document.rules })

export const characterEndpoints: readonly Endpoint[] = [
  {
    ...personality,
    method: 'GET',
    access: readAccess,
    summary: 'Read the personality of an agent',
    view: showPersonality,
  },
  {
    ...personality,
    method: 'GET',
    path: '/personality/diff',
    access: readAccess,
    summary: 'Compare the personality with the template it was copied from',
    reply: { 200: PersonalityDiff },
    view: ({ document }) => personalityDiff(document),
    viewExceedsTag: true,
  },
  {
    ...personality,
    method: 'PUT',
    access: writeAccess,
    summary: 'Replace the personality',
    body: Personality,
    errors: ['request.invalid'],
    write: updates((document, { body }) => replacePersonality(document, body)),
    view: showPersonality,
  },
  {
    ...personality,
    method: 'POST',
    path: '/personality/import',
    access: applyAccess,
    summary: 'Copy a personality from the catalog',
    body: TemplateBody,
    errors: ['request.invalid'],
    write: updates(fromTemplate(importPersonality)),
    view: showPersonality,
  },
  { ...goals, method: 'GET', access: readAccess, summary: 'Read the goals of an agent', view: showGoals },
  {
    ...goals,
    method: 'PUT',
    access: writeAccess,
    summary: 'Replace the goals; a default that is left out stays, null takes it away',
    body: GoalsBody,
    errors: [...conflictErrors, 'goal.unknown'],
    write: updates((document, { body }) => replaceGoals(document, body)),
    view: showGoals,
  },
  {
    ...instructions,
    method: 'GET',
    access: readAccess,
    summary: 'Read the standing instructions',
    view: showInstructions,
  },
  {
    ...instructions,
    method: 'PUT',
    access: writeAccess,
    summary: 'Replace the standing instructions',
    body: StandingInstructionsBody,
    errors: ['request.invalid'],
    write: updates((document, { body }) => replaceInstructions(document, body)),
    view: showInstructions,
  },
  { ...guardrails, method: 'GET', access: readAccess, summary: 'Read the guardrails', view: showGuardrails },
  {
    ...guardrails,
    method: 'PUT',
    access: writeAccess,
    summary: 'Replace the guardrails',
    body: Guardrails,
    errors: ['request.invalid'],
    write: updates((document, { body }) => replaceGuardrails(document, body)),
    view: showGuardrails,
  },
  {
    ...guardrails,
    method: 'PATCH',
    access: writeAccess,
    summary: 'Add to single lists of the guardrails, or remove from them',
    body: GuardrailsPatch,
    errors: ['request.invalid'],
    write: updates((document, { body }) => patchGuardrails(document, body)),
    view: showGuardrails,
  },
  {
    ...guardrails,
    method: 'POST',
    path: '/guardrails/import',
    access: applyAccess,
    summary: 'Merge a template of the catalog into the guardrails',
    body: TemplateBody,
    errors: ['request.invalid'],
    write: updates(fromTemplate(importGuardrails)),
    view: showGuardrails,
  },
  { ...rules, method: 'GET', access: readAccess, summary: 'List the rules that replies are held to', view: showRules },
  {
    ...rules,
    method: 'PUT',
    access: writeAccess,
    summary: 'Replace the rules',
    body: RulesBody,
    errors: ['request.invalid'],
    write: updates((document, { body }) => replaceRules(document, body)),
    view: showRules,
  },
]
