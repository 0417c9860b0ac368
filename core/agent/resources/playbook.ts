/** Playbooks as callers send and read them. */
import Type, { type Static } from 'typebox'
import { agentLimits } from '../../limits.js'
import { GoalAssignment } from './character.js'
import { Flow } from './flow.js'
import { closed, DerivedFrom, optional, orNull, qualifiedId, slug, text, words } from './words.js'

const limits = agentLimits.playbooks

const ExampleLine = closed('PlaybookExampleLine', {
  role: Type.Enum(['user', 'agent']),
  content: words(limits.exampleChars),
})

const name = words(limits.nameChars)
const examples = Type.Array(Type.Array(ExampleLine, { maxItems: limits.exampleLines }), { maxItems: limits.examples })
const toolRefs = Type.Array(qualifiedId, { maxItems: limits.toolRefs })
const messageTemplateRefs = Type.Array(slug, { maxItems: limits.messageTemplateRefs })
const contents = {
  description: optional(text(limits.descriptionChars)),
  whenToUse: optional(text(limits.whenToUseChars)),
  body: optional(text(limits.bodyChars)),
  examples: optional(examples),
  toolRefs: optional(toolRefs),
  messageTemplateRefs: optional(messageTemplateRefs),
  /** Which ids there are depends on the agent: another one is `agent.playbook.uses_unknown`. */
  uses: optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: limits.uses })),
  isDefault: optional(Type.Boolean()),
  /** Set by the house; what a caller sends is what was read, or does not count. */
  outreachId: optional(slug),
  derivedFrom: optional(DerivedFrom),
}

/** As it is read. */
export const Playbook = closed('AgentPlaybook', {
  ...contents,
  id: slug,
  name,
  body: text(limits.bodyChars),
  uses: Type.Array(Type.String({ maxLength: 100 }), { maxItems: limits.uses }),
  isDefault: Type.Boolean(),
  flow: optional(Flow),
  goal: optional(GoalAssignment),
})
export type Playbook = Static<typeof Playbook>

/** As it is kept: `flowBodyHash` is of the body that a flow without `generatedFrom` was written for, and not shown. */
export const KeptPlaybook = closed('KeptAgentPlaybook', {
  ...Playbook.properties,
  flowBodyHash: optional(Type.String()),
})
export type KeptPlaybook = Static<typeof KeptPlaybook>

const sent = { ...contents, id: optional(slug), flow: optional(orNull(Flow)), goal: optional(orNull(GoalAssignment)) }
/** For POST and PUT. A flow of null clears it. */
export const PlaybookBody = closed('AgentPlaybookBody', { ...sent, name })
export type PlaybookBody = Static<typeof PlaybookBody>
/** Null takes away what is optional. */
export const PlaybookPatch = closed('AgentPlaybookPatch', {
  ...sent,
  name: optional(name),
  description: optional(orNull(text(limits.descriptionChars))),
  whenToUse: optional(orNull(text(limits.whenToUseChars))),
  examples: optional(orNull(examples)),
  toolRefs: optional(orNull(toolRefs)),
  messageTemplateRefs: optional(orNull(messageTemplateRefs)),
})
export type PlaybookPatch = Static<typeof PlaybookPatch>
