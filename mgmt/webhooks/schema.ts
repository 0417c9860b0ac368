/** Schemas of org webhooks and their deliveries. */
import Type, { type Static } from 'typebox'
import { orgWebhook, page } from '../../core/limits/index.js'
import { type OrgEventName, orgEventNames } from '../../core/orgevents.js'

/** Common settings of the routes of webhooks. */
export const ofWebhooks = {
  plane: 'mgmt',
  tag: 'Org webhooks',
  access: { who: 'member', role: 'admin', scopes: ['webhooks:manage'] },
} as const

const closed = { additionalProperties: false } as const

const url = Type.String({
  minLength: 1,
  maxLength: orgWebhook.urlChars,
  description: 'Where events are posted: an https URL on a public host.',
})
const eventName = Type.Unsafe<OrgEventName>({ type: 'string', enum: orgEventNames })
const events = Type.Array(eventName, {
  maxItems: 2 * orgEventNames.length,
  description: 'Names of the webhook-events catalog; an empty list subscribes to none.',
})
const timestamp = Type.String({ format: 'date-time' })

export const createBody = Type.Object(
  {
    url,
    events: Type.Optional(events),
    description: Type.Optional(Type.String({ maxLength: orgWebhook.descriptionChars })),
    active: Type.Optional(
      Type.Boolean({ description: 'False registers the webhook paused: events wait until it is true.' }),
    ),
  },
  closed,
)
export type CreateBody = Static<typeof createBody>

export const patchBody = Type.Object(
  {
    url: Type.Optional(url),
    events: Type.Optional(events),
    description: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        maxLength: orgWebhook.descriptionChars,
        description: 'Null clears it.',
      }),
    ),
    active: Type.Optional(
      Type.Boolean({
        description: 'False pauses deliveries: events wait until it is true, for as long as the log is kept (30 days).',
      }),
    ),
  },
  closed,
)
export type PatchBody = Static<typeof patchBody>

const webhookFields = {
  id: Type.String(),
  url: Type.String(),
  events: Type.Array(Type.String()),
  active: Type.Boolean(),
  description: Type.Optional(Type.String()),
  signingSecretPrefix: Type.Optional(Type.String()),
  lastDeliveryAt: Type.Optional(timestamp),
  lastDeliveryStatus: Type.Optional(
    Type.Unsafe<'success' | 'failure'>({ type: 'string', enum: ['success', 'failure'] }),
  ),
  createdAt: timestamp,
  updatedAt: timestamp,
}

export const webhookView = Type.Object(webhookFields, closed)
export type WebhookView = Static<typeof webhookView>

/** The two replies that show the secret; no later read shows it. */
export const webhookWithSecret = Type.Object({ ...webhookFields, signingSecret: Type.String() }, closed)

export const webhookList = Type.Object({ data: Type.Array(webhookView) }, closed)

export const deliveryStates = ['pending', 'delivered', 'failed'] as const
export type DeliveryState = (typeof deliveryStates)[number]
const deliveryState = Type.Unsafe<DeliveryState>({ type: 'string', enum: [...deliveryStates] })

const attemptView = Type.Object(
  {
    at: timestamp,
    status: Type.Optional(Type.Integer({ description: 'The HTTP status the endpoint answered with.' })),
    error: Type.Optional(Type.String({ description: 'Why there is no good answer, in a sentence.' })),
    durationMs: Type.Integer(),
  },
  closed,
)

const orgEvent = Type.Object(
  {
    id: Type.String(),
    type: Type.String(),
    orgId: Type.String(),
    agentId: Type.Optional(Type.String()),
    createdAt: timestamp,
    data: Type.Record(Type.String(), Type.Unknown()),
  },
  closed,
)
export type OrgEvent = Static<typeof orgEvent>

export const deliveryView = Type.Object(
  {
    id: Type.String(),
    webhookId: Type.String(),
    state: deliveryState,
    event: orgEvent,
    attemptCount: Type.Integer({ description: 'All tries so far, those before a replay included.' }),
    attempts: Type.Array(attemptView, { description: `The last ${orgWebhook.retainedAttempts}, oldest first.` }),
    nextAttemptAt: Type.Optional(timestamp),
    createdAt: timestamp,
    updatedAt: timestamp,
  },
  closed,
)
export type DeliveryView = Static<typeof deliveryView>

export const deliveryList = Type.Object(
  { data: Type.Array(deliveryView), nextPageToken: Type.Optional(Type.String()) },
  closed,
)

export const deliveryQuery = Type.Object(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: page.maxRows })),
    pageToken: Type.Optional(Type.String({ maxLength: 1024 })),
    state: Type.Optional(deliveryState),
  },
  closed,
)
