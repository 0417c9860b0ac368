/** Schemas of sends as callers create and read them. */
import Type, { type Static } from 'typebox'
import { channelNames } from '../../core/channelnames.js'
import { page } from '../../core/limits/index.js'
import { isoMoment, type NamedSend } from '../../core/outreach/request.js'
import { sendOrigins, sendReasons, sendStates } from '../../core/outreach/send.js'
import { OutreachSend } from '../../core/outreach/view.js'

export const ofSends = { plane: 'mgmt', tag: 'Outreach' } as const
export const readAccess = { who: 'member', role: 'viewer', scopes: ['people:read'] } as const
export const writeAccess = { who: 'member', role: 'editor', scopes: ['people:write'] } as const
/** A sandbox send reaches no real person, so a viewer of the agent may create one. */
export const sendAccess = {
  ...writeAccess,
  or: {
    role: 'viewer',
    scopes: ['agents:read'],
    appliesTo: ({ recipient: { personaId, ...others } }: NamedSend) =>
      typeof personaId === 'string' && Object.values(others).every((other) => other === null),
  },
} as const
export const settingsWriteAccess = { who: 'member', role: 'editor', scopes: ['agents:write'] } as const
export const settingsReadAccess = { who: 'member', role: 'viewer', scopes: ['agents:read'] } as const

const closed = { additionalProperties: false } as const
const text = Type.String()

export const CreateResult = Type.Object(
  {
    status: Type.Enum(['queued', 'duplicate', 'skipped']),
    sendId: Type.Optional(text),
    personId: Type.Optional(text),
    outreachId: text,
    asid: Type.Optional(text),
    channel: Type.Optional(Type.Enum([...channelNames])),
    unknownInputs: Type.Array(text),
    warning: Type.Optional(text),
  },
  { ...closed, title: 'OutreachSendCreated' },
)
export type CreateResult = Static<typeof CreateResult>

const id = Type.Optional(Type.String({ minLength: 1, maxLength: 200 }))
const moment = Type.Optional(Type.String({ maxLength: 40, pattern: isoMoment, description: 'ISO 8601.' }))

export const SendFilter = Type.Object(
  {
    outreachId: id,
    origin: Type.Optional(Type.Enum([...sendOrigins])),
    campaignId: id,
    automatedOutreachId: id,
    personId: id,
    state: Type.Optional(Type.Enum([...sendStates])),
    reason: Type.Optional(Type.Enum([...sendReasons])),
    since: moment,
    until: moment,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: page.maxRows })),
  },
  closed,
)
export type SendFilter = Static<typeof SendFilter>

export const SendList = Type.Object({ data: Type.Array(OutreachSend) }, { ...closed, title: 'OutreachSendList' })
