/** Schemas of channel bindings. */
import Type, { type Static } from 'typebox'
import { channelNames } from '../../core/channelnames.js'
import { channelBinding as limits } from '../../core/limits/index.js'
import { statuses } from './statemachine.js'

/** Defaults of the area's routes, and their accesses for reading and writing. */
export const routeDefaults = { plane: 'mgmt', tag: 'Channels', bodyLimitBytes: limits.bodyBytes } as const
export const readAccess = { who: 'member', role: 'viewer', scopes: ['agents:read'] } as const
export const writeAccess = { who: 'member', role: 'editor', scopes: ['agents:write'] } as const

const closed = { additionalProperties: false } as const

const channel = Type.Enum([...channelNames])
const mode = Type.Enum(['managed', 'unmanaged'])
const status = Type.Enum([...statuses])

export const actors = ['operator', 'sysop', 'system'] as const
export type BindingActor = (typeof actors)[number]

const StatusEvent = Type.Object(
  {
    at: Type.String({ format: 'date-time' }),
    from: Type.Optional(status),
    to: status,
    note: Type.Optional(Type.String()),
    actor: Type.Enum([...actors]),
  },
  { ...closed, title: 'ChannelStatusEvent' },
)

/** Bounds are not in the schema: a value out of bounds is answered with 400 in the form of the channels area. */
const minMessageDelayMs = Type.Optional(
  Type.Number({ description: `Whole milliseconds from ${limits.delayMinMs} to ${limits.delayMaxMs}.` }),
)
const rangeDescription = (max: number, byDefault: number) => ({
  description: `From 1 to ${max}; ${byDefault} unless it is set.`,
})
const messages = Type.Number(rangeDescription(limits.loopGuardMax.messages, limits.loopGuard.messages))
const seconds = Type.Number(rangeDescription(limits.loopGuardMax.seconds, limits.loopGuard.seconds))
const guardDescription =
  'The most messages of the agent to one person within so many seconds without anything from that person; one more is ' +
  'refused with `loopDetected`. Outreach, campaigns and reminders are not counted.'
const LoopGuard = Type.Object(
  { messages, seconds },
  { ...closed, title: 'ChannelLoopGuard', description: guardDescription },
)
const LoopGuardSet = Type.Object(
  { messages: Type.Optional(messages), seconds: Type.Optional(seconds) },
  { ...closed, title: 'ChannelLoopGuardSet', description: guardDescription },
)

const Delivery = Type.Object(
  {
    minMessageDelayMs,
    loopGuard: Type.Optional(LoopGuard),
  },
  { ...closed, title: 'ChannelDelivery' },
)
export type Delivery = Static<typeof Delivery>
const DeliverySet = Type.Object(
  {
    minMessageDelayMs,
    loopGuard: Type.Optional(
      Type.Union([LoopGuardSet, Type.Null()], { description: 'Null gives the default of both members back.' }),
    ),
  },
  { ...closed, title: 'ChannelDeliverySet', description: 'Members that are absent stay; without any, none is set.' },
)

const disclaimerText = Type.Optional(
  Type.String({ description: `At most ${limits.disclaimerChars} characters; absent, the usual text.` }),
)
const Compliance = Type.Object({ enabled: Type.Boolean(), disclaimerText }, { ...closed, title: 'ChannelCompliance' })
export type Compliance = Static<typeof Compliance>
const ComplianceSet = Type.Object(
  { enabled: Type.Optional(Type.Boolean({ description: 'Off unless it is true.' })), disclaimerText },
  { ...closed, title: 'ChannelComplianceSet' },
)

const Inputs = Type.Record(Type.String(), Type.Unknown(), { maxProperties: limits.maxInputs })
const Auth = Type.Record(Type.String(), Type.Unknown(), {
  description: 'Credentials as the form of the provider in the channels catalog asks for them; never shown again.',
  writeOnly: true,
})

/** A binding as its shard knows it; the node adds the URLs at which providers reach it. */
const bindingFields = {
  id: Type.String(),
  agentId: Type.String(),
  channel,
  provider: Type.Optional(Type.String({ description: 'Of unmanaged bindings.' })),
  mode,
  status,
  statusDetail: Type.Optional(Type.String()),
  events: Type.Array(StatusEvent, { description: `The last ${limits.retainedEvents}, oldest first.` }),
  routingId: Type.Optional(Type.String({ description: 'What the provider calls it.' })),
  inputs: Type.Optional(Inputs),
  delivery: Type.Optional(Delivery),
  compliance: Type.Optional(Compliance),
}
const BindingFields = Type.Object(bindingFields, closed)
export type BindingView = Static<typeof BindingFields>

export const ChannelBinding = Type.Object(
  {
    ...bindingFields,
    ingressUrl: Type.String({ description: 'Where the provider calls in.' }),
    chatUrl: Type.Optional(Type.String({ description: 'Of web chat: its page, and where its visitors connect.' })),
    widgetUrl: Type.Optional(Type.String({ description: 'Of web chat: the script that puts it on a site.' })),
  },
  { ...closed, title: 'ChannelBinding' },
)

export const ChannelBindingList = Type.Object(
  { data: Type.Array(ChannelBinding) },
  { ...closed, title: 'ChannelBindingList' },
)

export const ChannelCreate = Type.Object(
  {
    channel,
    mode,
    inputs: Type.Optional(Inputs),
    provider: Type.Optional(Type.String({ minLength: 1, maxLength: 63 })),
    auth: Type.Optional(Auth),
  },
  { ...closed, title: 'ChannelCreate' },
)
export type ChannelCreate = Static<typeof ChannelCreate>

export const ChannelPatch = Type.Object(
  {
    auth: Type.Optional(Auth),
    inputs: Type.Optional(Inputs),
    delivery: Type.Optional(Type.Union([DeliverySet, Type.Null()])),
    compliance: Type.Optional(Type.Union([ComplianceSet, Type.Null()])),
  },
  { ...closed, title: 'ChannelPatch' },
)
export type ChannelPatch = Static<typeof ChannelPatch>
