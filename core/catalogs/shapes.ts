/** The shape of every kind of catalog entry, as schemas that routes, documentation and tests all read. */
import Type, { type Static, type TProperties } from 'typebox'
import { FormSchema, ProviderForm, sentence, shortName } from '../channel/form.js'
import { channelNames } from '../channelnames.js'
import { slugPattern } from '../ids.js'

/** The word that stands for a kind inside a qualified id: `@svc/playbook.booking`. */
const qualifiedId = (word: string) => Type.String({ pattern: `^@svc/${word}\\.${slugPattern.slice(1)}` })
const qualifiedIds = (word: string) => Type.Array(qualifiedId(word), { uniqueItems: true, minItems: 1 })
const text = Type.String({ minLength: 1 })
const texts = Type.Array(text, { uniqueItems: true, minItems: 1 })
const closed = <P extends TProperties>(title: string, properties: P) =>
  Type.Object(properties, { additionalProperties: false, title })

/** Content of a later version is offered to agents that copied an earlier one, so it changes with every edit. */
const version = Type.String({ pattern: '^[0-9]+\\.[0-9]+\\.[0-9]+$' })
const titled = (word: string) => ({
  id: qualifiedId(word),
  version,
  name: shortName,
  description: sentence,
})

export const AgentTemplate = closed('AgentTemplate', {
  ...titled('agent'),
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

export const ExampleLine = closed('ExampleLine', { role: Type.Enum(['user', 'agent']), content: text })
export type ExampleLine = Static<typeof ExampleLine>

export const PlaybookTemplate = closed('PlaybookTemplate', {
  ...titled('playbook'),
  whenToUse: Type.Optional(text),
  body: text,
  examples: Type.Optional(Type.Array(Type.Array(ExampleLine, { minItems: 2 }), { minItems: 1 })),
  derivedSkillTemplateIds: Type.Optional(qualifiedIds('skill')),
  /** The mode an agent rests in. An agent template names exactly one such playbook, and that one becomes its default. */
  isDefault: Type.Optional(Type.Boolean()),
  /** Written for conversations that the business opens, to be owned by an Outreach. */
  isOutbound: Type.Optional(Type.Boolean()),
})
export type PlaybookTemplate = Static<typeof PlaybookTemplate>

export const SkillTemplate = closed('SkillTemplate', {
  ...titled('skill'),
  body: text,
  requiredTools: Type.Optional(qualifiedIds('tool')),
})
export type SkillTemplate = Static<typeof SkillTemplate>

export const ObjectiveTemplate = closed('ObjectiveTemplate', { ...titled('objective'), body: text })
export type ObjectiveTemplate = Static<typeof ObjectiveTemplate>

export const PersonalityTemplate = closed('PersonalityTemplate', { ...titled('personality'), promptFragment: text })
export type PersonalityTemplate = Static<typeof PersonalityTemplate>

export const GuardrailTemplate = closed('GuardrailTemplate', {
  ...titled('guardrail'),
  topicsToAvoid: Type.Optional(texts),
  claimsNotToMake: Type.Optional(texts),
  requiredDisclaimers: Type.Optional(texts),
})
export type GuardrailTemplate = Static<typeof GuardrailTemplate>

export const Tool = closed('Tool', {
  ...titled('tool'),
  category: Type.String({ pattern: slugPattern }),
  parameters: FormSchema,
  configSchema: Type.Optional(FormSchema),
})
export type Tool = Static<typeof Tool>

export const StatusCopy = closed('StatusCopy', { headline: shortName, text: sentence })
export type StatusCopy = Static<typeof StatusCopy>

export const ChannelSetup = closed('ChannelSetup', {
  id: Type.Enum(channelNames),
  name: shortName,
  description: sentence,
  /** A managed binding is Active as soon as it is made: nobody has to approve it. */
  instant: Type.Boolean(),
  /** Whether the disclaimer and the opt-out keywords of `compliance` apply here. */
  compliance: Type.Boolean(),
  managed: closed('ManagedForm', { description: sentence, inputs: FormSchema }),
  unmanaged: Type.Array(ProviderForm),
  provisioning: closed('ProvisioningCopy', {
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

export const LogEvent = closed('LogEvent', {
  id: eventName,
  level: Type.Enum(['debug', 'info', 'warn', 'error']),
  description: sentence,
})
export type LogEvent = Static<typeof LogEvent>

export const WebhookEvent = closed('WebhookEvent', { id: eventName, description: sentence })
export type WebhookEvent = Static<typeof WebhookEvent>
