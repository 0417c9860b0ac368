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
const contents = {
  description: optional(text(limits.descriptionChars)),
  whenToUse: optional(text(limits.whenToUseChars)),
  body: optional(text(limits.bodyChars)),
  examples: optional(
    Type.Array(Type.Array(ExampleLine, { maxItems: limits.exampleLines }), { maxItems: limits.examples }),
  ),
  toolRefs: optional(Type.Array(qualifiedId, { maxItems: limits.toolRefs })),
  messageTemplateRefs: optional(Type.Array(slug, { maxItems: limits.messageTemplateRefs })),
  /** Which ids there are depends on the agent: another one is `agent.playbook.uses_unknown`. */
  uses: optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: limits.uses })),
  isDefault: optional(Type.Boolean()),
  /** Set by the house; what a caller sends is what was read, or does not count. */
  outreachId: optional(slug),
  derivedFrom: optional(DerivedFrom),
}

/** As it is kept and read. */
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

const sent = { ...contents, id: optional(slug), flow: optional(orNull(Flow)), goal: optional(orNull(GoalAssignment)) }
/** For POST and PUT. A flow of null clears it. */
export const PlaybookBody = closed('AgentPlaybookBody', { ...sent, name })
export type PlaybookBody = Static<typeof PlaybookBody>
export const PlaybookPatch = closed('AgentPlaybookPatch', { ...sent, name: optional(name) })
export type PlaybookPatch = Static<typeof PlaybookPatch>
