/**
 * Admission of a send: whether the outreach and its recipient exist, how the person's record changes, and whether a
 * guardrail forbids the send. A refusal changes nothing.
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
import { evaluateGuardrails, type GuardDecision, type GuardedOrigin } from './guardrails.js'
import type { Hours } from './hours.js'
import { isOutreachChannel, outreachChannels, type SendRequest } from './request.js'
import type { Send, SendReason } from './send.js'
import type { SendingPolicy } from './settings.js'

export interface AdmissionInput {
  readonly request: SendRequest
  readonly origin: Exclude<GuardedOrigin, 'reminder' | 'followUp'>
  readonly document: AgentDocument
  readonly sending: SendingPolicy
  readonly at: number
  readonly timeScale: number
  /** The person that the recipient names, before changes; absent when there is none. */
  readonly person?: Person
  /** The identity of an address, or of an asid that its conversation knows: for a person without that identity. */
  readonly identity?: PersonIdentity
  /** The id of a new person. */
  readonly personId: string
  readonly consentState: { readonly asid: string; readonly isOptedOut: boolean; readonly lastInboundAt?: number }
  /** Of the rule or campaign that sends. */
  readonly sendWindow?: Hours
  readonly ignoresSafeHours?: boolean
  /** Whether a marketing send to this person is queued or in flight. */
  readonly isMarketingUnderWay?: boolean
}

/** The send may go: the person after their changes, and members of the send's record. */
export interface Accepted {
  readonly kind: 'accepted'
  readonly person: Person
  readonly isNew: boolean
  readonly identity: PersonIdentity
  readonly consent: NonNullable<Send['consent']>
  readonly unknownInputs: readonly string[]
  readonly warning?: string
}

/** No error: what a rule or a campaign does with this person instead. */
export type NotAdmitted =
  | { readonly kind: 'skip'; readonly reason: SendReason }
  | { readonly kind: 'wait'; readonly until: number; readonly waitsFor: string }

export type AdmissionResult = Accepted | NotAdmitted | Refusal

const recipientNotFound = refuse('agent.outreach.recipient_not_found')

export function admitSend(input: AdmissionInput): AdmissionResult {
  const { request, document, at } = input
  const outreach = findOutreach(document, request.outreachId)
  if (!outreach?.enabled)
    return refuse('agent.outreach.not_found', { detail: `There is no outreach ${request.outreachId} that is enabled.` })
  const resolved = recipientOf(input)
  if ('refused' in resolved) return resolved
  const { identity, isNew } = resolved
  const decision = evaluateGuardrails(input.origin, factsOf(input, resolved.person, outreach))
  if (decision && decision.kind !== 'warn') return admissionResultOf(decision)
  const { inputs = {}, profile, profileUpdate = 'fill' } = request
  const locked = lockedKeys(document.peopleFields)
  const withProfileFields = profile ? withProfile(resolved.person, profile, profileUpdate, at, locked) : resolved.person
  const person = request.inputs
    ? withInputs(withProfileFields, inputs, at, locked, customTypes(document.peopleFields))
    : withProfileFields
  const missing = outreach.inputs.filter((key) => isBlank(ownValue(inputs, key)) && isBlank(inputOf(person, key)))
  if (missing.length > 0) return missingInputsRefusal(missing)
  return {
    kind: 'accepted',
    person,
    isNew,
    identity,
    consent: consentOf(request, resolved.person, isNew),
    unknownInputs: request.inputs ? Object.keys(inputs).filter((key) => !isDeclared(document, key)) : [],
    ...(decision && { warning: decision.warning }),
  }
}

function admissionResultOf(decision: Exclude<GuardDecision, { kind: 'warn' }>): AdmissionResult {
  return decision.kind === 'refuse' ? decision.refusal : decision
}

function recipientOf(
  input: AdmissionInput,
): { readonly person: Person; readonly identity: PersonIdentity; readonly isNew: boolean } | Refusal {
  const { request, person, identity, personId, at, consentState } = input
  const { recipient } = request
  if (recipient.kind === 'persona') {
    const own = person?.sandbox && person.identities[0]
    return own ? { person: person!, identity: own, isNew: false } : recipientNotFound
  }
  if (person?.sandbox) return recipientNotFound
  if (person) {
    // `consentState` is about the identity that was chosen when the conversation was queried, so that identity is used.
    const own = person.identities.find(({ asid }) => asid === consentState.asid)
    if (own && !isOutreachChannel(own.channel)) return channelUnavailable(own.channel)
    if (own) return { person, identity: own, isNew: false }
    if (!identity) return refuse('agent.outreach.no_channel_identity')
    if (!isOutreachChannel(identity.channel)) return channelUnavailable(identity.channel)
    return { person: { ...person, identities: [...person.identities, identity] }, identity, isNew: false }
  }
  if (!identity) return recipientNotFound
  if (!isOutreachChannel(identity.channel)) return channelUnavailable(identity.channel)
  const created = { ...newPerson(personId, request.source ?? 'api', at), identities: [identity] }
  return { person: created, identity, isNew: true }
}

/**
 * The identity on that channel, or on any outreach channel: the one at the phone on record, else the one last seen. An
 * identity that is reserved for another send is never chosen.
 */
export function chooseIdentity(person: Person, channel?: string): PersonIdentity | undefined {
  const onChannel = person.identities.filter((each) =>
    channel === undefined ? isOutreachChannel(each.channel) : each.channel === channel,
  )
  const hasReserved = onChannel.some(({ reservedFor }) => reservedFor !== undefined)
  const phone = onChannel.length > 1 || hasReserved ? phoneNumberOf(person) : undefined
  const atPhone = phone === undefined ? undefined : onChannel.find((each) => numberOf(each) === phone)
  if (atPhone) return atPhone
  const eligible = hasReserved ? onChannel.filter(({ reservedFor }) => reservedFor === undefined) : onChannel
  const lastSeen = ({ lastSeenAt = 0 }: PersonIdentity) => lastSeenAt
  return eligible.reduce<PersonIdentity | undefined>(
    (best, each) => (best && lastSeen(best) >= lastSeen(each) ? best : each),
    undefined,
  )
}

export function channelUnavailable(channel: string): Refusal {
  const detail = `Outreach goes out on ${outreachChannels.join(', ')} and not on ${channel}.`
  return refuse('agent.outreach.channel_unavailable', {
    detail,
    errors: [{ field: 'recipient.channel', message: detail }],
  })
}

export function missingInputsRefusal(keys: readonly string[]): Refusal {
  const errors = keys.map((key) => ({ field: `inputs.${key}`, message: 'is needed by the opening' }))
  return refuse('agent.outreach.missing_inputs', { detail: `Missing: ${keys.join(', ')}`, errors })
}

function factsOf(input: AdmissionInput, person: Person, outreach: Outreach) {
  const { at, request, sending, consentState, sendWindow, ignoresSafeHours, isMarketingUnderWay, timeScale } = input
  return {
    at,
    consent: person.consent.status,
    hasDeclined: request.consent?.optIn === false,
    isOptedOut: consentState.isOptedOut,
    lastInboundAt: consentState.lastInboundAt,
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
  const { optIn, ...evidence } = consent
  const recorded = isNew ? 'new' : person.consent.status === 'granted' ? 'granted' : 'unknown'
  return { claimed: optIn === true ? 'yes' : 'none', recorded, ...evidence }
}

const textFieldNames: ReadonlySet<string> = new Set(textFields)

/** Inputs may have the names of an opener's slots. */
const personSlot = 'person.'
const customSlot = 'person.customFields.'

/** The person's value for an input. */
export function inputOf(person: Person, key: string): string | undefined {
  if (key.startsWith(customSlot)) return ownValue(person.customFields, key.slice(customSlot.length))
  const field = key.startsWith(personSlot) ? key.slice(personSlot.length) : key
  return textFieldNames.has(field) ? person[field as TextField] : ownValue(person.customFields, key)
}

/** An own member only: the key may also be one that every object inherits. */
export function ownValue(record: Readonly<Record<string, string>> | undefined, key: string): string | undefined {
  return record && Object.hasOwn(record, key) ? record[key] : undefined
}

export function isBlank(value: string | undefined): boolean {
  return value === undefined || value.trim() === ''
}

/** Lists of a document are immutable, so a value derived from one is computed once. */
function memoizeByList<L extends object, T>(make: (list: L) => T): (list: L) => T {
  const cache = new WeakMap<L, T>()
  return (list) => {
    let cached = cache.get(list)
    if (cached === undefined) {
      cached = make(list)
      cache.set(list, cached)
    }
    return cached
  }
}

const outreachById = memoizeByList((list: AgentDocument['outreach']) => new Map(list.map((each) => [each.id, each])))
const fieldKeys = memoizeByList((list: AgentDocument['peopleFields']) => new Set(list.map(({ key }) => key)))
const lockedKeys = memoizeByList(
  (list: AgentDocument['peopleFields']) => new Set(list.flatMap(({ key, locked }) => (locked ? [key] : []))),
)

const customTypes = memoizeByList((list: AgentDocument['peopleFields']) => customTypesOf(list))

export function findOutreach(document: AgentDocument, id: string): Outreach | undefined {
  return outreachById(document.outreach).get(id) as Outreach | undefined
}

function isDeclared({ peopleFields }: AgentDocument, key: string): boolean {
  return textFieldNames.has(key) || fieldKeys(peopleFields).has(key)
}

/** The channel and the normalized address, or the refusal. */
export function checkAddress(
  channel: string,
  address: string,
  read: (channel: ChannelName, text: string) => string | undefined,
): { readonly channel: ChannelName; readonly address: string } | Refusal {
  if (!isOutreachChannel(channel)) return channelUnavailable(channel)
  const canonical = read(channel, address)
  return canonical === undefined ? invalidAddress : { channel, address: canonical }
}

export const invalidAddress: Refusal = refuse('agent.outreach.invalid_address', {
  errors: [{ field: 'recipient.address', message: 'must be a phone number in international format' }],
})
