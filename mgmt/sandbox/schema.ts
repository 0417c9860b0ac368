/** Schemas of personas, their turns and their grants, as callers send and read them. */
import Type, { type Static } from 'typebox'
import type { OutboundMessage } from '../../core/amf/index.js'
import { emulatorLink } from '../../core/limits/access.js'
import { persona as limits, page } from '../../core/limits/index.js'
import { DirectiveBody } from '../../core/sandbox/directive.js'
import { presetMembers } from '../../core/sandbox/preset.js'

/**
 * Common settings of the routes of personas. A grant is a viewer of personas that may also create, reset and play them.
 */
export const ofPersonas = { plane: 'mgmt', tag: 'Personas', bodyLimitBytes: limits.bodyBytes } as const
export const readAccess = { who: 'member', role: 'viewer', scopes: ['agents:read'], grant: true } as const
export const playAccess = { who: 'member', role: 'editor', scopes: ['agents:write'], grant: true } as const
export const writeAccess = { who: 'member', role: 'editor', scopes: ['agents:write'] } as const

const closed = { additionalProperties: false } as const
const optional = Type.Optional
const moment = Type.String({ format: 'date-time' })

/** Channels of personas: those that test cases name. */
export const personaChannels = ['rcs', 'sms', 'messengerA', 'vendorMessages'] as const
const channel = Type.Enum([...personaChannels])

export const PersonaCreate = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: limits.nameChars, pattern: '\\S' }),
    channel: optional(channel),
    ...presetMembers,
  },
  { ...closed, title: 'PersonaCreate' },
)
export type PersonaCreate = Static<typeof PersonaCreate>

export const PersonaView = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    channel,
    userId: optional(Type.String({ description: 'How the agent knows them; another one after a reset.' })),
    personId: Type.String(),
    fields: presetMembers.fields,
    consent: presetMembers.consent,
    historySeed: presetMembers.historySeed,
    createdAt: moment,
    resetAt: optional(moment),
  },
  { ...closed, title: 'Persona' },
)
export type PersonaView = Static<typeof PersonaView>

/** Paging of lists that are complete unless a limit is given. */
export const PageQuery = Type.Object(
  {
    limit: optional(Type.Integer({ minimum: 1, maximum: page.maxRows, description: 'Without it the list is whole.' })),
    pageToken: optional(Type.String({ maxLength: page.tokenChars })),
  },
  closed,
)
const nextPageToken = optional(Type.String({ description: 'Absent at the end.' }))

export const PersonaList = Type.Object(
  { data: Type.Array(PersonaView), nextPageToken },
  { ...closed, title: 'PersonaList' },
)

export const TurnView = Type.Object(
  {
    number: Type.Integer({ description: 'Counts up; not every number is a turn.' }),
    at: moment,
    role: Type.Enum(['user', 'agent', 'system']),
    text: Type.String(),
    messageId: optional(Type.String()),
    message: optional(
      Type.Unsafe<OutboundMessage>({ type: 'object', description: 'What the agent said, as it sent it.' }),
    ),
    directive: optional(DirectiveBody),
    seeded: optional(Type.Literal(true, { description: 'From the history that the persona was made with.' })),
  },
  { ...closed, title: 'PersonaTurn' },
)
export type TurnView = Static<typeof TurnView>

export const TurnQuery = Type.Object(
  {
    limit: optional(Type.Integer({ minimum: 1, maximum: page.maxRows })),
    pageToken: optional(Type.String({ maxLength: 1024 })),
  },
  closed,
)

export const TurnList = Type.Object(
  { data: Type.Array(TurnView), nextPageToken },
  { ...closed, title: 'PersonaTurnList' },
)

export const TurnRun = Type.Object(
  {
    turn: TurnView,
    replies: Type.Array(TurnView, { description: 'What the agent said to it, oldest first.' }),
    pending: Type.Boolean({ description: 'The agent has not answered yet; what it says will be among the turns.' }),
  },
  { ...closed, title: 'PersonaTurnRun' },
)

export const GrantView = Type.Object(
  {
    id: Type.String(),
    token: Type.String({ description: 'Shown once.' }),
    expiresAt: optional(moment),
  },
  { ...closed, title: 'EmulatorGrant' },
)

export const EmulatorLinkCreate = Type.Object(
  {
    label: optional(Type.String({ minLength: 1, maxLength: emulatorLink.labelChars, description: 'Whom it is for.' })),
    expiresAt: optional(
      Type.String({ format: 'date-time', description: 'When it ends: in 30 days unless said, and within 365.' }),
    ),
  },
  { ...closed, title: 'EmulatorLinkCreate' },
)

export const EmulatorLinkView = Type.Object(
  {
    id: Type.String(),
    label: optional(Type.String()),
    createdAt: moment,
    expiresAt: moment,
    lastUsedAt: optional(moment),
    createdBy: optional(Type.Object({ kind: Type.String(), id: Type.String() }, closed)),
  },
  { ...closed, title: 'EmulatorLink' },
)
export type EmulatorLinkView = Static<typeof EmulatorLinkView>

export const EmulatorLinkList = Type.Object(
  { data: Type.Array(EmulatorLinkView), nextPageToken },
  { ...closed, title: 'EmulatorLinkList' },
)

export const EmulatorLinkCreated = Type.Object(
  { ...EmulatorLinkView.properties, token: Type.String({ description: 'Shown once.' }) },
  { ...closed, title: 'EmulatorLinkCreated' },
)
