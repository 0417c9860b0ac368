/** Schemas of outreach links. The routes check the bounds of values apart, because they answer 400 for them. */
import Type, { type Static } from 'typebox'
import { outreachLink as limits } from '../../core/limits/index.js'

export const ofLinks = { plane: 'mgmt', tag: 'Outreach links' } as const
export const readAccess = { who: 'member', role: 'viewer', scopes: ['agents:read'] } as const
export const writeAccess = { who: 'member', role: 'editor', scopes: ['agents:write'] } as const

const closed = { additionalProperties: false } as const
const optional = Type.Optional
const moment = Type.String({ format: 'date-time' })

export const LinkCreate = Type.Object(
  {
    bindingId: Type.String({ minLength: 1, maxLength: 100, description: 'An rcs binding of the agent.' }),
    label: optional(Type.String({ maxLength: limits.labelChars })),
    maxUses: optional(Type.Integer({ minimum: 1, maximum: limits.usesMax })),
    expiresAt: optional(moment),
  },
  { ...closed, title: 'OutreachLinkCreate' },
)
export type LinkCreate = Static<typeof LinkCreate>

export const LinkPatch = Type.Object({ disabled: Type.Boolean() }, { ...closed, title: 'OutreachLinkPatch' })
export type LinkPatch = Static<typeof LinkPatch>

export const LinkView = Type.Object(
  {
    id: Type.String(),
    code: Type.String(),
    url: Type.String({ description: 'The page where a tester enters a number.' }),
    bindingId: Type.String(),
    label: optional(Type.String()),
    maxUses: Type.Integer(),
    usesRemaining: Type.Integer(),
    redemptionCount: Type.Integer(),
    expiresAt: moment,
    disabled: Type.Boolean(),
    disabledReason: optional(Type.Literal('binding_deleted')),
    createdAt: optional(moment),
  },
  { ...closed, title: 'OutreachLink' },
)

export const LinkList = Type.Object({ data: Type.Array(LinkView) }, { ...closed, title: 'OutreachLinkList' })

export const RedeemBody = Type.Object(
  { personaId: Type.String({ minLength: 1, maxLength: 64 }) },
  { ...closed, title: 'OutreachLinkRedeem' },
)

export const Redeemed = Type.Object(
  { status: Type.Literal('queued'), personaId: Type.String(), userId: Type.String() },
  { ...closed, title: 'OutreachLinkRedeemed' },
)
