/** Schemas of the org as callers see and change it. */
import Type, { type Static } from 'typebox'
import { org as limits } from '../../core/limits/index.js'

export const Org = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    description: Type.Optional(Type.String()),
    timeZone: Type.Optional(Type.String({ description: 'IANA zone' })),
    features: Type.Array(Type.String()),
    products: Type.Array(Type.String()),
    createdAt: Type.String({ format: 'date-time' }),
    updatedAt: Type.String({ format: 'date-time' }),
  },
  { additionalProperties: false, title: 'Org' },
)
export type Org = Static<typeof Org>

/** Null removes an optional field. */
export const OrgPatch = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: limits.nameChars })),
    description: Type.Optional(Type.Union([Type.String({ maxLength: limits.descriptionChars }), Type.Null()])),
    timeZone: Type.Optional(Type.Union([Type.String({ maxLength: 64 }), Type.Null()])),
  },
  { additionalProperties: false, title: 'OrgPatch' },
)
export type OrgPatch = Static<typeof OrgPatch>
