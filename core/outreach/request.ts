/** A named send as callers request it, and its normalized form: without null members, with one form of recipient. */

import Type, { type Static } from 'typebox'
import type { ChannelName } from '../channelnames.js'
import { invalid, invalidAll, type Refusal } from '../errors.js'
import { outreachSend as limits } from '../limits/index.js'
import { isMoment } from '../moment.js'
import { describePattern } from '../patterndescriptions.js'
import type { Profile, ProfileUpdate } from '../people/profile.js'

const closed = { additionalProperties: false } as const
const optional = Type.Optional

/** Null counts as absent. */
const text = (maxLength: number, more: object = {}) =>
  optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength, ...more }))
const flag = optional(Type.Unsafe<boolean | null>({ type: ['boolean', 'null'] }))
const object = <T extends ReturnType<typeof Type.Object>>(shape: T) =>
  optional(Type.Unsafe<Static<T> | null>({ ...shape, type: ['object', 'null'] }))

const profileUpdates = ['fill', 'overwrite'] as const satisfies ProfileUpdate[]

const id = text(200)
/** A date, or a date with a time. */
export const isoMoment = describePattern(
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:?[0-9]{2})?)?$',
  'must be a day or a moment in ISO 8601',
)

const sourcePattern = describePattern('^[A-Za-z0-9_.:-]{1,64}$', 'must hold letters, digits and _ . : - only')

export const NamedSend = Type.Object(
  {
    recipient: Type.Object(
      { channel: text(64), address: text(limits.profileChars), asid: id, personId: id, personaId: id },
      { ...closed, title: 'SendRecipient', description: 'One of: channel and address; asid; personId; personaId.' },
    ),
    profile: object(
      Type.Object(
        {
          firstName: text(limits.profileChars),
          lastName: text(limits.profileChars),
          fullName: text(limits.profileChars),
          email: text(limits.profileChars),
          phone: text(limits.profileChars),
        },
        { ...closed, title: 'SendProfile' },
      ),
    ),
    profileUpdate: optional(
      Type.Unsafe<ProfileUpdate | null>({ type: ['string', 'null'], enum: [...profileUpdates, null] }),
    ),
    source: text(limits.sourceChars, { pattern: sourcePattern }),
    inputs: optional(
      Type.Unsafe<Record<string, string | null> | null>({
        type: ['object', 'null'],
        maxProperties: limits.inputs,
        additionalProperties: { type: ['string', 'null'], maxLength: limits.inputValueChars },
      }),
    ),
    consent: object(
      Type.Object(
        {
          optIn: flag,
          evidence: text(limits.evidenceChars),
          capturedAt: text(40, { pattern: isoMoment }),
          source: text(limits.profileChars),
        },
        { ...closed, title: 'SendConsent' },
      ),
    ),
    idempotencyKey: text(limits.keyChars),
    dryRun: flag,
  },
  { ...closed, title: 'NamedSend' },
)
export type NamedSend = Static<typeof NamedSend>

export type Recipient =
  | { readonly kind: 'address'; readonly channel: string; readonly address: string }
  | { readonly kind: 'asid'; readonly asid: string }
  | { readonly kind: 'person'; readonly personId: string; readonly channel?: string }
  | { readonly kind: 'persona'; readonly personaId: string }

export interface Consent {
  readonly optIn?: boolean
  readonly evidence?: string
  readonly capturedAt?: string
  readonly source?: string
}

/** The request of a send, from a caller, a journey, a rule or a campaign alike. */
export interface SendRequest {
  readonly outreachId: string
  readonly recipient: Recipient
  readonly profile?: Profile
  readonly profileUpdate?: ProfileUpdate
  readonly source?: string
  readonly inputs?: Readonly<Record<string, string>>
  readonly consent?: Consent
  readonly idempotencyKey?: string
}

export function parseSendRequest(outreachId: string, body: NamedSend): SendRequest | Refusal {
  const recipient = recipientOf(body.recipient)
  if ('refused' in recipient) return recipient
  const inputs = body.inputs ? withoutNulls(body.inputs) : undefined
  const refusal = inputs && inputsRefusal(inputs)
  if (refusal) return refusal
  const { capturedAt } = body.consent ?? {}
  if (capturedAt && !isMoment(capturedAt)) return invalid('consent.capturedAt', 'must be a moment in ISO 8601')
  const { profileUpdate, source, idempotencyKey } = body
  return {
    outreachId,
    recipient,
    ...(body.profile && { profile: withoutNulls(body.profile) }),
    ...(profileUpdate && { profileUpdate }),
    ...(source && { source }),
    ...(inputs && { inputs }),
    ...(body.consent && { consent: withoutNulls(body.consent) as Consent }),
    ...(idempotencyKey && { idempotencyKey }),
  }
}

/** Drops members that are null. */
function withoutNulls<V>(values: Readonly<Record<string, V | null | undefined>>): Record<string, V> {
  const present: Record<string, V> = {}
  for (const name in values) {
    const value = values[name]
    if (value !== null && value !== undefined) present[name] = value
  }
  return present
}

function recipientOf(input: NamedSend['recipient']): Recipient | Refusal {
  const { channel, address, asid, personId, personaId } = withoutNulls(input as Record<string, string>)
  const named = [address, asid, personId, personaId].filter((each) => each !== undefined).length
  if (named !== 1) return invalid('recipient', 'must be exactly one of channel and address, asid, personId, personaId')
  if (address !== undefined) {
    return channel === undefined ? invalid('recipient.channel', 'is required') : { kind: 'address', channel, address }
  }
  if (personId !== undefined) return { kind: 'person', personId, ...(channel !== undefined && { channel }) }
  if (channel !== undefined) return invalid('recipient.channel', 'goes with an address or a personId only')
  return asid !== undefined ? { kind: 'asid', asid } : { kind: 'persona', personaId: personaId! }
}

/** Refuses keys that cannot be declared as a field. */
export function inputsRefusal(inputs: Readonly<Record<string, string>>): Refusal | undefined {
  const errors = []
  for (const key in inputs) {
    const length = key.length > limits.inputKeyChars ? [...key].length : key.length
    if (length === 0 || length > limits.inputKeyChars || key.includes('.') || key.startsWith('$')) {
      const message = `must have a key of 1 to ${limits.inputKeyChars} characters without a dot that does not begin with $`
      errors.push({ field: `inputs.${key.slice(0, limits.inputKeyChars)}`, message })
    }
  }
  return errors.length > 0 ? invalidAll(errors) : undefined
}

/** The one channel of outreach. */
export const outreachChannels: readonly ChannelName[] = ['rcs']

export function isOutreachChannel(name: string): name is ChannelName {
  return (outreachChannels as readonly string[]).includes(name)
}
