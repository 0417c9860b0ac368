/** Schemas of API keys, sessions and callers. */
import Type, { type Static } from 'typebox'
import { roles, scopes } from '../../core/access.js'
import { apiKey as limits } from '../../core/limits/index.js'

const Scopes = Type.Array(Type.Enum([...scopes]), { uniqueItems: true, maxItems: scopes.length })
const Moment = Type.String({ format: 'date-time' })

const keyFields = {
  name: Type.String({ minLength: 1, maxLength: limits.nameChars }),
  description: Type.Optional(Type.String({ maxLength: limits.descriptionChars })),
  scopes: Scopes,
  expiresAt: Type.Optional(Moment),
}

export const ApiKey = Type.Object(
  {
    id: Type.String(),
    ...keyFields,
    prefix: Type.String({ description: 'The first characters of the key, to tell keys apart' }),
    isSysop: Type.Optional(
      Type.Boolean({ description: 'A system operator’s key: only system operators change or remove it' }),
    ),
    lastUsedAt: Type.Optional(Moment),
    createdAt: Moment,
    updatedAt: Moment,
  },
  { additionalProperties: false, title: 'ApiKey' },
)
export type ApiKey = Static<typeof ApiKey>

export const ApiKeyCreated = Type.Object(
  { ...ApiKey.properties, key: Type.String({ description: 'The key itself, shown this once' }) },
  { additionalProperties: false, title: 'ApiKeyCreated' },
)

export const ApiKeyCreate = Type.Object(
  {
    ...keyFields,
    scopes: Type.Optional(Scopes),
    isSysop: Type.Optional(Type.Boolean({ description: 'Makes it a system operator’s key; asked by one of those' })),
  },
  { additionalProperties: false, title: 'ApiKeyCreate' },
)
export type ApiKeyCreate = Static<typeof ApiKeyCreate>

/** Null removes an optional field. */
export const ApiKeyPatch = Type.Object(
  {
    name: Type.Optional(keyFields.name),
    description: Type.Optional(Type.Union([Type.String({ maxLength: limits.descriptionChars }), Type.Null()])),
    scopes: Type.Optional(Scopes),
    expiresAt: Type.Optional(Type.Union([Moment, Type.Null()])),
  },
  { additionalProperties: false, title: 'ApiKeyPatch' },
)
export type ApiKeyPatch = Static<typeof ApiKeyPatch>

export const Me = Type.Object(
  {
    caller: Type.Object({ kind: Type.Literal('user'), id: Type.String() }, { additionalProperties: false }),
    org: Type.Object(
      { id: Type.String(), name: Type.Optional(Type.String()), role: Type.Enum([...roles]) },
      { additionalProperties: false },
    ),
    isSysop: Type.Boolean(),
    scopes: Type.Array(Type.Enum([...scopes])),
    rateLimit: Type.Null(),
  },
  { additionalProperties: false, title: 'Me' },
)

export const SessionAsk = Type.Object(
  { role: Type.Optional(Type.Enum(['viewer', 'editor', 'admin'])) },
  { additionalProperties: false, title: 'SessionAsk' },
)

export const Session = Type.Object(
  { idToken: Type.String(), expiresAt: Moment },
  { additionalProperties: false, title: 'Session' },
)

export const EmulatorSession = Type.Object(
  {
    orgId: Type.String(),
    agentId: Type.String(),
    kind: Type.Enum(['link', 'sitting']),
    expiresAt: Type.Optional(Moment),
  },
  { additionalProperties: false, title: 'EmulatorSession' },
)
