/** Schemas of playbooks as callers send and read them. */
import Type, { type Static } from 'typebox'
import { agentLimits } from '../../limits/index.js'
import { GoalAssignment } from './character.js'
import { Flow } from './flow.js'
import { closedObject, DerivedFrom, nonEmptyText, optional, orNull, qualifiedId, slug, text } from './schemas.js'

const limits = agentLimits.playbooks

const ExampleLine = closedObject('PlaybookExampleLine', {
  role: Type.Enum(['user', 'agent']),
  content: nonEmptyText(limits.exampleChars),
})

const name = nonEmptyText(limits.nameChars)
const examples = Type.Array(Type.Array(ExampleLine, { maxItems: limits.exampleLines }), { maxItems: limits.examples })
const toolRefs = Type.Array(qualifiedId, { maxItems: limits.toolRefs })
const messageTemplateRefs = Type.Array(slug, { maxItems: limits.messageTemplateRefs })
const commonFields = {
  description: optional(text(limits.descriptionChars)),
  whenToUse: optional(text(limits.whenToUseChars)),
  body: optional(text(limits.bodyChars)),
  examples: optional(examples),
  toolRefs: optional(toolRefs),
  messageTemplateRefs: optional(messageTemplateRefs),
  /** Valid ids depend on the agent: an unknown one is `agent.playbook.uses_unknown`. */
  uses: optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: limits.uses })),
  isDefault: optional(Type.Boolean()),
  /** Read-only: accepted so that a read can be sent back, and ignored. */
  outreachId: optional(slug),
  derivedFrom: optional(DerivedFrom),
}

/** A playbook as callers read it. */
export const Playbook = closedObject('AgentPlaybook', {
  ...commonFields,
  id: slug,
  name,
  body: text(limits.bodyChars),
  uses: Type.Array(Type.String({ maxLength: 100 }), { maxItems: limits.uses }),
  isDefault: Type.Boolean(),
  flow: optional(Flow),
  goal: optional(GoalAssignment),
})
export type Playbook = Static<typeof Playbook>

/**
 * A stored playbook: `flowBodyHash` is of the body for which a flow without `generatedFrom` was written, and is not
 * shown.
 */
export const StoredPlaybook = closedObject('KeptAgentPlaybook', {
  ...Playbook.properties,
  flowBodyHash: optional(Type.String()),
})
export type StoredPlaybook = Static<typeof StoredPlaybook>

const writable = {
  ...commonFields,
  id: optional(slug),
  flow: optional(orNull(Flow)),
  goal: optional(orNull(GoalAssignment)),
}
/** For POST and PUT. A flow of null clears it. */
export const PlaybookBody = closedObject('AgentPlaybookBody', { ...writable, name })
export type PlaybookBody = Static<typeof PlaybookBody>
/** Null removes an optional member. */
export const PlaybookPatch = closedObject('AgentPlaybookPatch', {
  ...writable,
  name: optional(name),
  description: optional(orNull(text(limits.descriptionChars))),
  whenToUse: optional(orNull(text(limits.whenToUseChars))),
  examples: optional(orNull(examples)),
  toolRefs: optional(orNull(toolRefs)),
  messageTemplateRefs: optional(orNull(messageTemplateRefs)),
})
export type PlaybookPatch = Static<typeof PlaybookPatch>
