/** Schemas of an agent's gateway access as operators read it, and of its webhook as the agent sets it. */
import Type, { type Static } from 'typebox'
import { gatewayAccess, orgWebhook } from '../../core/limits/index.js'

const closed = { additionalProperties: false } as const

export const modes = ['managed', 'webhook'] as const
export type Mode = (typeof modes)[number]

export const GatewayAccess = Type.Object(
  {
    accessTokenPrefix: Type.String(),
    signingSecretPrefix: Type.String(),
    webhookUrl: Type.Optional(Type.String()),
    instanceId: Type.Optional(Type.String()),
    mode: Type.Enum([...modes], { description: 'Whether the built-in runtime answers, or the webhook.' }),
    warning: Type.Optional(Type.String({ description: 'Present while the agent cannot answer: people get no reply.' })),
  },
  { ...closed, title: 'GatewayAccess' },
)
export type GatewayAccess = Static<typeof GatewayAccess>

export const TokenOnce = Type.Object(
  { accessToken: Type.String({ description: 'The token itself, shown this once' }) },
  { ...closed, title: 'AccessToken' },
)

export const SecretOnce = Type.Object(
  { signingSecret: Type.String({ description: 'The secret itself, shown this once' }) },
  { ...closed, title: 'SigningSecret' },
)

const instanceId = Type.String({
  maxLength: gatewayAccess.instanceIdChars,
  description: 'Comes back on every envelope. Until one is chosen it is the id of the agent.',
})

export const AgentWebhook = Type.Object({ webhookUrl: Type.String(), instanceId }, { ...closed, title: 'AgentWebhook' })
export type AgentWebhook = Static<typeof AgentWebhook>

export const AgentWebhookSet = Type.Object(
  {
    webhookUrl: Type.String({
      minLength: 1,
      maxLength: orgWebhook.urlChars,
      description: 'Where events are posted: an https URL on a public host.',
    }),
    instanceId: Type.Optional(instanceId),
  },
  { ...closed, title: 'AgentWebhookSet' },
)

export const Confirmation = Type.Object({ message: Type.String() }, { ...closed, title: 'Confirmation' })
