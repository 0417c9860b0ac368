/** Schemas of every kind of catalog entry, for routes, documentation and tests. */
import Type, { type Static, type TProperties } from 'typebox'
import { FormSchema, ProviderForm, sentence, shortName } from '../channel/form.js'
import { channelNames } from '../channelnames.js'
import { slugPattern } from '../ids.js'

/** `kindName` stands for a kind inside a qualified id: `@svc/playbook.booking`. */
const qualifiedId = (kindName: string) => Type.String({ pattern: `^@svc/${kindName}\\.${slugPattern.slice(1)}` })
const qualifiedIds = (kindName: string) => Type.Array(qualifiedId(kindName), { uniqueItems: true, minItems: 1 })
const text = Type.String({ minLength: 1 })
const texts = Type.Array(text, { uniqueItems: true, minItems: 1 })
const closedObject = <P extends TProperties>(title: string, properties: P) =>
  Type.Object(properties, { additionalProperties: false, title })

/** Agents that copied an earlier version are offered a later one, so the version changes with every edit. */
const version = Type.String({ pattern: '^[0-9]+\\.[0-9]+\\.[0-9]+$' })
const entryFields = (kindName: string) => ({
  id: qualifiedId(kindName),
  version,
  name: shortName,
  description: sentence,
})

export const AgentTemplate = closedObject('AgentTemplate', {
  ...entryFields('agent'),
  category: Type.Optional(Type.String({ pattern: slugPattern })),
  identityPreamble: Type.Optional(text),
  playbookTemplateIds: Type.Optional(qualifiedIds('playbook')),
  personalityTemplateId: Type.Optional(qualifiedId('personality')),
  objectiveTemplateIds: Type.Optional(qualifiedIds('objective')),
  guardrailTemplateIds: Type.Optional(qualifiedIds('guardrail')),
  skillTemplateIds: Type.Optional(qualifiedIds('skill')),
  recommendedToolIds: Type.Optional(qualifiedIds('tool')),
})
export type AgentTemplate = Static<typeof AgentTemplate>

export const ExampleLine = closedObject('ExampleLine', { role: Type.Enum(['user', 'agent']), content: text })
export type ExampleLine = Static<typeof ExampleLine>

export const PlaybookTemplate = closedObject('PlaybookTemplate', {
  ...entryFields('playbook'),
  whenToUse: Type.Optional(text),
  body: text,
  examples: Type.Optional(Type.Array(Type.Array(ExampleLine, { minItems: 2 }), { minItems: 1 })),
  derivedSkillTemplateIds: Type.Optional(qualifiedIds('skill')),
  /**
   * The mode an agent rests in. An agent template names exactly one such playbook, and that one becomes its default.
   */
  isDefault: Type.Optional(Type.Boolean()),
  /** Written for conversations that the business opens, to be owned by an Outreach. */
  isOutbound: Type.Optional(Type.Boolean()),
})
export type PlaybookTemplate = Static<typeof PlaybookTemplate>

export const SkillTemplate = closedObject('SkillTemplate', {
  ...entryFields('skill'),
  body: text,
  requiredTools: Type.Optional(qualifiedIds('tool')),
})
export type SkillTemplate = Static<typeof SkillTemplate>

export const ObjectiveTemplate = closedObject('ObjectiveTemplate', { ...entryFields('objective'), body: text })
export type ObjectiveTemplate = Static<typeof ObjectiveTemplate>

export const PersonalityTemplate = closedObject('PersonalityTemplate', {
  ...entryFields('personality'),
  promptFragment: text,
})
export type PersonalityTemplate = Static<typeof PersonalityTemplate>

export const GuardrailTemplate = closedObject('GuardrailTemplate', {
  ...entryFields('guardrail'),
  topicsToAvoid: Type.Optional(texts),
  claimsNotToMake: Type.Optional(texts),
  requiredDisclaimers: Type.Optional(texts),
})
export type GuardrailTemplate = Static<typeof GuardrailTemplate>

export const Tool = closedObject('Tool', {
  ...entryFields('tool'),
  category: Type.String({ pattern: slugPattern }),
  parameters: FormSchema,
  configSchema: Type.Optional(FormSchema),
})
export type Tool = Static<typeof Tool>

export const StatusCopy = closedObject('StatusCopy', { headline: shortName, text: sentence })
export type StatusCopy = Static<typeof StatusCopy>

export const ChannelSetup = closedObject('ChannelSetup', {
  id: Type.Enum(channelNames),
  name: shortName,
  description: sentence,
  /** A managed binding is Active as soon as it is created, without an approval. */
  instant: Type.Boolean(),
  /** Whether the disclaimer and the opt-out keywords of `compliance` apply here. */
  compliance: Type.Boolean(),
  managed: closedObject('ManagedForm', { description: sentence, inputs: FormSchema }),
  unmanaged: Type.Array(ProviderForm),
  provisioning: closedObject('ProvisioningCopy', {
    Requested: StatusCopy,
    Provisioning: StatusCopy,
    ActionRequired: StatusCopy,
    Active: StatusCopy,
    Failed: StatusCopy,
    Disabled: StatusCopy,
  }),
})
export type ChannelSetup = Static<typeof ChannelSetup>
export type ChannelStatus = keyof ChannelSetup['provisioning']

const eventName = Type.String({ pattern: '^[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)+$' })

export const LogEvent = closedObject('LogEvent', {
  id: eventName,
  level: Type.Enum(['debug', 'info', 'warn', 'error']),
  description: sentence,
})
export type LogEvent = Static<typeof LogEvent>

export const WebhookEvent = closedObject('WebhookEvent', { id: eventName, description: sentence })
export type WebhookEvent = Static<typeof WebhookEvent>
