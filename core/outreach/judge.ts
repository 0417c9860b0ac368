/**
 * Everything that is decided about a send when it is asked for: whether there is such an outreach and somebody to send
 * it to, what becomes of that person's record, and whether anything forbids it. What it refuses has changed nothing.
 */
import type { AgentDocument } from '../agent/index.js'
import type { Outreach } from '../agent/resources/templates.js'
import type { ChannelName } from '../channelnames.js'
import { type Refusal, refuse } from '../errors.js'
import { newPerson } from '../people/change.js'
import { customTypesOf } from '../people/customfields.js'
import { numberOf, phoneNumberOf } from '../people/numbers.js'
import { type Person, type PersonIdentity, type TextField, textFields } from '../people/person.js'
import { withInputs, withProfile } from '../people/profile.js'
import { type Finding, type GuardedOrigin, guard } from './guardrails.js'
import type { Hours } from './hours.js'
import { isOutreachChannel, outreachChannels, type SendRequest } from './request.js'
import type { Send, SendReason } from './send.js'
import type { Sending } from './settings.js'

export interface Asked {
  readonly request: SendRequest
  readonly origin: Exclude<GuardedOrigin, 'reminder' | 'followUp'>
  readonly document: AgentDocument
  readonly sending: Sending
  readonly at: number
  readonly timeScale: number
  /** Whoever the recipient names, as they are; absent when nobody does. */
  readonly person?: Person
  /** Of an address, or of an asid that its conversation knows: for a person who does not hold it yet. */
  readonly identity?: PersonIdentity
  /** For somebody new. */
  readonly personId: string
  readonly standing: { readonly asid: string; readonly isOptedOut: boolean; readonly heardAt?: number }
  /** Of the rule or campaign it comes from. */
  readonly sendWindow?: Hours
  readonly ignoresSafeHours?: boolean
  /** A marketing send to this person is queued or under way. */
  readonly isMarketingUnderWay?: boolean
}

/** The send may go: the person as they become, and what is kept of it on the send. */
export interface Accepted {
  readonly kind: 'accepted'
  readonly person: Person
  readonly isNew: boolean
  readonly identity: PersonIdentity
  readonly consent: NonNullable<Send['consent']>
  readonly unknownInputs: readonly string[]
  readonly warning?: string
}

/** Not an error: what a rule or a campaign does with this person instead. */
export type Postponed =
  | { readonly kind: 'skip'; readonly reason: SendReason }
  | { readonly kind: 'wait'; readonly until: number; readonly waitsFor: string }

export type Verdict = Accepted | Postponed | Refusal

const recipientNotFound = refuse('agent.outreach.recipient_not_found')

export function judge(asked: Asked): Verdict {
  const { request, document, at } = asked
  const outreach = outreachIn(document, request.outreachId)
  if (!outreach?.enabled)
    return refuse('agent.outreach.not_found', { detail: `There is no outreach ${request.outreachId} that is enabled.` })
  const found = recipientOf(asked)
  if ('refused' in found) return found
  const { identity, isNew } = found
  const held = guard(asked.origin, factsOf(asked, found.person, outreach))
  if (held && held.kind !== 'warn') return verdictOf(held)
  const { inputs = {}, profile, profileUpdate = 'fill' } = request
  const locked = lockedIn(document.peopleFields)
  const profiled = profile ? withProfile(found.person, profile, profileUpdate, at, locked) : found.person
  const person = request.inputs ? withInputs(profiled, inputs, at, locked, typesIn(document.peopleFields)) : profiled
  const missing = outreach.inputs.filter((key) => isBlank(ownIn(inputs, key)) && isBlank(inputOf(person, key)))
  if (missing.length > 0) return missingInputs(missing)
  return {
    kind: 'accepted',
    person,
    isNew,
    identity,
    consent: consentOf(request, found.person, isNew),
    unknownInputs: request.inputs ? Object.keys(inputs).filter((key) => !isDeclared(document, key)) : [],
    ...(held && { warning: held.warning }),
  }
}

function verdictOf(found: Exclude<Finding, { kind: 'warn' }>): Verdict {
  return found.kind === 'refuse' ? found.refusal : found
}

function recipientOf(
  asked: Asked,
): { readonly person: Person; readonly identity: PersonIdentity; readonly isNew: boolean } | Refusal {
  const { request, person, identity, personId, at, standing } = asked
  const { recipient } = request
  if (recipient.kind === 'persona') {
    const own = person?.sandbox && person.identities[0]
    return own ? { person: person!, identity: own, isNew: false } : recipientNotFound
  }
  if (person?.sandbox) return recipientNotFound
  if (person) {
    // Whatever was chosen when the conversation was asked is what its answer is about.
    const own = person.identities.find(({ asid }) => asid === standing.asid)
    if (own && !isOutreachChannel(own.channel)) return unavailable(own.channel)
    if (own) return { person, identity: own, isNew: false }
    if (!identity) return refuse('agent.outreach.no_channel_identity')
    if (!isOutreachChannel(identity.channel)) return unavailable(identity.channel)
    return { person: { ...person, identities: [...person.identities, identity] }, identity, isNew: false }
  }
  if (!identity) return recipientNotFound
  if (!isOutreachChannel(identity.channel)) return unavailable(identity.channel)
  const made = { ...newPerson(personId, request.source ?? 'api', at), identities: [identity] }
  return { person: made, identity, isNew: true }
}

/**
 * Of the identities on that channel, or of those that outreach can go to: the one at the phone on record, else the one
 * heard from last. One that is kept for a single send is no choice.
 */
export function chosenIdentity(person: Person, channel?: string): PersonIdentity | undefined {
  const onChannel = person.identities.filter((each) =>
    channel === undefined ? isOutreachChannel(each.channel) : each.channel === channel,
  )
  const isKept = onChannel.some(({ partsWith }) => partsWith !== undefined)
  const phone = onChannel.length > 1 || isKept ? phoneNumberOf(person) : undefined
  const atPhone = phone === undefined ? undefined : onChannel.find((each) => numberOf(each) === phone)
  if (atPhone) return atPhone
  const fit = isKept ? onChannel.filter(({ partsWith }) => partsWith === undefined) : onChannel
  const heard = ({ lastSeenAt = 0 }: PersonIdentity) => lastSeenAt
  return fit.reduce<PersonIdentity | undefined>(
    (best, each) => (best && heard(best) >= heard(each) ? best : each),
    undefined,
  )
}

export function unavailable(channel: string): Refusal {
  const detail = `Outreach goes out on ${outreachChannels.join(', ')} and not on ${channel}.`
  return refuse('agent.outreach.channel_unavailable', {
    detail,
    errors: [{ field: 'recipient.channel', message: detail }],
  })
}

export function missingInputs(keys: readonly string[]): Refusal {
  const errors = keys.map((key) => ({ field: `inputs.${key}`, message: 'is needed by the opening' }))
  return refuse('agent.outreach.missing_inputs', { detail: `Missing: ${keys.join(', ')}`, errors })
}

function factsOf(asked: Asked, person: Person, outreach: Outreach) {
  const { at, request, sending, standing, sendWindow, ignoresSafeHours, isMarketingUnderWay, timeScale } = asked
  return {
    at,
    consent: person.consent.status,
    hasDeclined: request.consent?.optIn === false,
    isOptedOut: standing.isOptedOut,
    heardAt: standing.heardAt,
    safeHours: sending.safeHours,
    sendWindow,
    ignoresSafeHours,
    isMarketing: outreach.class === 'marketing',
    marketingAt: person.outreach?.marketingAt,
    isMarketingUnderWay,
    minTouchIntervalHours: sending.minTouchIntervalHours,
    timeScale,
  }
}

function consentOf({ consent = {} }: SendRequest, person: Person, isNew: boolean): Accepted['consent'] {
  const { optIn, ...kept } = consent
  const recorded = isNew ? 'new' : person.consent.status === 'granted' ? 'granted' : 'unknown'
  return { claimed: optIn === true ? 'yes' : 'none', recorded, ...kept }
}

const textFieldNames: ReadonlySet<string> = new Set(textFields)

/** Inputs may be named as the slots of an opener are. */
const personSlot = 'person.'
const customSlot = 'person.customFields.'

/** What a person has under the key of an input. */
export function inputOf(person: Person, key: string): string | undefined {
  if (key.startsWith(customSlot)) return ownIn(person.customFields, key.slice(customSlot.length))
  const field = key.startsWith(personSlot) ? key.slice(personSlot.length) : key
  return textFieldNames.has(field) ? person[field as TextField] : ownIn(person.customFields, key)
}

/** A key may be a name that every object has. */
export function ownIn(record: Readonly<Record<string, string>> | undefined, key: string): string | undefined {
  return record && Object.hasOwn(record, key) ? record[key] : undefined
}

export function isBlank(value: string | undefined): boolean {
  return value === undefined || value.trim() === ''
}

/** Lists of a document stay the same object for as long as it says the same, so what is made of them is made once. */
function once<L extends object, T>(make: (list: L) => T): (list: L) => T {
  const made = new WeakMap<L, T>()
  return (list) => {
    let found = made.get(list)
    if (found === undefined) {
      found = make(list)
      made.set(list, found)
    }
    return found
  }
}

const outreachById = once((list: AgentDocument['outreach']) => new Map(list.map((each) => [each.id, each])))
const fieldKeys = once((list: AgentDocument['peopleFields']) => new Set(list.map(({ key }) => key)))
const lockedIn = once(
  (list: AgentDocument['peopleFields']) => new Set(list.flatMap(({ key, locked }) => (locked ? [key] : []))),
)

const typesIn = once((list: AgentDocument['peopleFields']) => customTypesOf(list))

export function outreachIn(document: AgentDocument, id: string): Outreach | undefined {
  return outreachById(document.outreach).get(id) as Outreach | undefined
}

function isDeclared({ peopleFields }: AgentDocument, key: string): boolean {
  return textFieldNames.has(key) || fieldKeys(peopleFields).has(key)
}

/** The channel and address as they are sent to, or why they cannot be. */
export function checkedAddress(
  channel: string,
  address: string,
  read: (channel: ChannelName, text: string) => string | undefined,
): { readonly channel: ChannelName; readonly address: string } | Refusal {
  if (!isOutreachChannel(channel)) return unavailable(channel)
  const canonical = read(channel, address)
  return canonical === undefined ? invalidAddress : { channel, address: canonical }
}

export const invalidAddress: Refusal = refuse('agent.outreach.invalid_address', {
  errors: [{ field: 'recipient.address', message: 'must be a phone number in international format' }],
})
