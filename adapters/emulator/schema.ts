/** Schemas of the management API of the emulated providers. */
import Type, { type TProperties } from 'typebox'
import { adapter, providerEmulator as limits } from '../../core/limits/index.js'
import { type Act, providerNames } from './contract.js'
import { faultKinds } from './faults.js'

const closed = { additionalProperties: false } as const
const AccountName = Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,62}$' })
const Address = Type.String({ minLength: 1, maxLength: 200 })
const ingressUrl = Type.String({ maxLength: 2_048, description: 'That of a binding of this installation.' })
const reads = Type.Boolean({ description: 'Whether people read what they get by themselves; true unless it is said.' })

export const AccountView = Type.Object(
  {
    id: AccountName,
    wire: Type.Enum(providerNames),
    auth: Type.Record(Type.String(), Type.Unknown(), { description: 'Goes into a binding as it is.' }),
    ingressUrl: Type.Optional(ingressUrl),
    reads,
  },
  { ...closed, title: 'EmulatedAccount' },
)
export const NewAccount = Type.Object(
  {
    wire: Type.Enum(providerNames),
    id: Type.Optional(AccountName),
    ingressUrl: Type.Optional(ingressUrl),
    reads: Type.Optional(reads),
  },
  { ...closed, title: 'NewEmulatedAccount' },
)
export const AccountChange = Type.Object(
  { ingressUrl: Type.Optional(ingressUrl), reads: Type.Optional(reads) },
  { ...closed, title: 'EmulatedAccountChange' },
)

const act = (kind: Act['kind'], more: TProperties = {}) => Type.Object({ kind: Type.Literal(kind), ...more }, closed)
const plainActs = ['typing', 'read', 'stop', 'optOut', 'optIn', 'offline', 'online'] as const
const tap = {
  label: Type.Optional(Type.String({ maxLength: 500 })),
  postback: Type.Optional(Type.String({ maxLength: 2_048, description: 'What it returns.' })),
  index: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000 })),
  number: Type.Optional(Type.Integer({ minimum: 1, description: 'Which message, as in what was sent.' })),
}
export const ActBody = Type.Object(
  {
    address: Address,
    act: Type.Union([
      act('text', { text: Type.String({ minLength: 1, maxLength: 10_000 }) }),
      act('tap', tap),
      act('row', tap),
      act('location', {
        latitude: Type.Number({ minimum: -90, maximum: 90 }),
        longitude: Type.Number({ minimum: -180, maximum: 180 }),
        label: Type.Optional(Type.String({ maxLength: 500 })),
      }),
      act('media', {
        url: Type.String({
          minLength: 1,
          maxLength: limits.fileUrlChars,
          description: 'Where the file is; a `data:` URL holds it.',
        }),
        type: Type.String({ minLength: 1, maxLength: 100 }),
        name: Type.Optional(Type.String({ maxLength: 200 })),
      }),
      act('device', {
        abilities: Type.Array(Type.String({ minLength: 1, maxLength: adapter.deviceCapabilityChars }), {
          minItems: 1,
          maxItems: adapter.deviceCapabilities,
          description: 'All that it can do, in words of the provider.',
        }),
      }),
      ...plainActs.map((kind) => act(kind)),
    ]),
  },
  { ...closed, title: 'EmulatedAct' },
)

const fault = {
  account: AccountName,
  address: Type.Optional(Address),
  kind: Type.Enum(faultKinds),
  ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 600_000 })),
  status: Type.Optional(Type.Integer({ minimum: 500, maximum: 599 })),
  retryAfterSeconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400 })),
  states: Type.Optional(Type.Array(Type.Enum(['sent', 'delivered', 'read', 'failed']), { maxItems: 4 })),
  times: Type.Optional(Type.Integer({ minimum: 1, description: 'For how many calls; otherwise until it is deleted.' })),
  rate: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: 'The share of calls that it is for.' })),
  allCalls: Type.Optional(Type.Boolean({ description: 'Typing, read marks and checks too, not messages alone.' })),
}
export const NewFault = Type.Object(fault, { ...closed, title: 'NewEmulatedFault' })
export const FaultView = Type.Object({ id: Type.String(), ...fault }, { ...closed, title: 'EmulatedFault' })

export const SentView = Type.Object(
  {
    number: Type.Integer({ description: 'Go on after it.' }),
    account: Type.String(),
    wire: Type.Enum(providerNames),
    address: Type.String(),
    providerId: Type.String({ description: 'What receipts call it.' }),
    body: Type.Unknown({ description: 'As the provider got it.' }),
    at: Type.Integer({ description: 'Milliseconds since 1970.' }),
  },
  { ...closed, title: 'EmulatedSent' },
)
export const ServersView = Type.Object(
  { running: Type.Boolean(), httpUrl: Type.Optional(Type.String()), smppPort: Type.Optional(Type.Integer()) },
  { ...closed, title: 'EmulatedProviders' },
)

export const ActResultView = Type.Object(
  { calls: Type.Integer(), taken: Type.Boolean() },
  { ...closed, title: 'EmulatedTold' },
)
export const GreetingView = Type.Object({ outcome: Type.Enum(['taken', 'refused', 'none']) }, closed)
