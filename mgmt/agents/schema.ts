/** Agents and their identity as callers send and read them. */
import Type, { type Static, type TProperties } from 'typebox'
import { business } from '../../core/catalogs/channel-forms.js'
import { slugPattern } from '../../core/ids.js'
import { agent as limits, page } from '../../core/limits.js'

/** What every route of this area has in common; the two accesses are those of reading and of writing. */
export const ofAgents = { plane: 'mgmt', tag: 'Agents' } as const
export const reading = { who: 'member', role: 'viewer', scopes: ['agents:read'] } as const
export const writing = { who: 'member', role: 'editor', scopes: ['agents:write'] } as const

const closed = { additionalProperties: false } as const
const Moment = Type.String({ format: 'date-time' })

/** A field that channel forms ask for as well is held to the same rule, without the words of the form. */
function asInForms(name: keyof typeof business): Readonly<Record<string, unknown>> {
  const { title: _title, description: _description, ...rule } = business[name] as Record<string, unknown>
  return rule
}

const identityRules = {
  smallLogoUrl: asInForms('smallLogoUrl'),
  largeBannerUrl: asInForms('largeBannerUrl'),
  defaultCardImageUrl: { ...asInForms('largeBannerUrl'), description: 'Stands in on cards sent without a picture.' },
  brandColor: { type: 'string', pattern: '^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$', description: 'A hex colour.' },
  contactEmail: asInForms('contactEmail'),
  contactPhone: { type: 'string', pattern: '^\\+?[0-9(][0-9 ().-]{2,}$', maxLength: limits.contactPhoneChars },
  websiteUrl: asInForms('websiteUrl'),
  privacyPolicyUrl: asInForms('privacyPolicyUrl'),
  termsOfServiceUrl: asInForms('termsOfServiceUrl'),
  contactAvailability: {
    type: 'string',
    maxLength: limits.contactAvailabilityChars,
    description: 'Shown as it is to whoever asks for a person.',
  },
  identityPreamble: {
    type: 'string',
    maxLength: limits.identityPreambleChars,
    description: 'A line of every system prompt, whatever playbook is active.',
  },
} as const

export type IdentityField = keyof typeof identityRules
const identityFields = Object.keys(identityRules) as IdentityField[]

function each<T>(made: (rule: Readonly<Record<string, unknown>>) => T): Record<IdentityField, T> {
  const entries = identityFields.map((name) => [name, made(identityRules[name])])
  return Object.fromEntries(entries) as Record<IdentityField, T>
}

export const Identity = Type.Object(
  each((rule) => Type.Optional(Type.Unsafe<string>(rule))),
  { ...closed, title: 'AgentIdentity' },
)
export type Identity = Static<typeof Identity>

/** Null takes a field away. */
export const IdentityPatch = Type.Object(
  each((rule) => Type.Optional(Type.Unsafe<string | null>({ ...rule, type: ['string', 'null'] }))),
  { ...closed, title: 'AgentIdentityPatch' },
)
export type IdentityPatch = Static<typeof IdentityPatch>

const name = Type.String({ minLength: 1, maxLength: limits.nameChars, pattern: '\\S' })
const description = { type: 'string', maxLength: limits.descriptionChars } as const
const framework = Type.Optional(Type.String({ description: 'Always v2.' }))

function agentBody<P extends TProperties>(title: string, properties: P) {
  return Type.Object(properties, { ...closed, title })
}

export const Agent = agentBody('Agent', {
  id: Type.String(),
  orgId: Type.String(),
  name: Type.String(),
  description: Type.Optional(Type.String()),
  identity: Type.Optional(Identity),
  framework: Type.Literal('v2'),
  createdAt: Moment,
  updatedAt: Moment,
})
export type Agent = Static<typeof Agent>

export const AgentCreate = agentBody('AgentCreate', {
  name,
  id: Type.Optional(
    Type.String({ pattern: slugPattern, description: 'For good. Made from the name when it is left out.' }),
  ),
  description: Type.Optional(Type.Unsafe<string>(description)),
  identity: Type.Optional(Identity),
  framework,
})

export const AgentPatch = agentBody('AgentPatch', {
  name: Type.Optional(name),
  description: Type.Optional(
    Type.Unsafe<string | null>({ ...description, type: ['string', 'null'], description: 'Null clears it.' }),
  ),
  identity: Type.Optional(IdentityPatch),
  framework,
})

export const AgentList = Type.Object(
  { data: Type.Array(Agent), nextPageToken: Type.Optional(Type.String()) },
  { ...closed, title: 'AgentList' },
)

export const AgentListQuery = Type.Object(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: page.maxRows })),
    pageToken: Type.Optional(Type.String({ maxLength: 1024 })),
  },
  closed,
)
