/**
 * The request of a journey platform, read as leniently as the contract says: null, empty and missing are the same,
 * numbers and booleans stand for their text, and an unknown field is refused by name.
 */
import { type FieldError, invalidAll, type Refusal, refuse } from '../errors.js'
import { isRecord } from '../json.js'
import { outreachSend as limits } from '../limits/index.js'
import { inputsRefusal, type Recipient, type SendRequest } from '../outreach/request.js'

export interface JourneyCall {
  /** A named send without its outreach and idempotency key. */
  readonly send: Omit<SendRequest, 'outreachId' | 'idempotencyKey'>
  readonly isDryRun: boolean
  /** The step of a journey that a profile entered: with all three, it is sent once. */
  readonly step?: { readonly versionId: string; readonly nodeId: string; readonly instanceId: string }
  /** The recipient for the key of a call without a step; absent in the sandbox, where calls may be repeated. */
  readonly recipientKey?: string
}

/** Every supported member, with the members below it. */
const knownFields = {
  profile: ['phone', 'channel', 'id', 'firstName', 'lastName', 'email'],
  profileUpdate: null,
  consent: ['sms', 'evidence'],
  journey: ['versionId', 'nodeId', 'instanceId'],
  inputs: null,
  emulator: ['personaId'],
  dryRun: null,
} as const
type Group = 'profile' | 'consent' | 'journey' | 'emulator'

/** Fields of the profile that are written to the person. */
const profileFields = ['phone', 'firstName', 'lastName', 'email'] as const
const phone = /^\+[0-9]{7,15}$/

export function readJourneyCall(body: unknown): JourneyCall | Refusal {
  const errors: FieldError[] = []
  const root = recordOf(body)
  if (!root) return malformedRequest([{ field: 'body', message: 'must be an object' }])
  for (const name of Object.keys(root)) {
    if (name === '') errors.push({ field: 'body', message: 'has a member without a name' })
    else if (!Object.hasOwn(knownFields, name)) errors.push({ field: name, message: 'is not known here' })
  }
  const groups = {
    profile: groupOf(root, 'profile', errors),
    consent: groupOf(root, 'consent', errors),
    journey: groupOf(root, 'journey', errors),
    emulator: groupOf(root, 'emulator', errors),
  }
  const inputs = inputsOf(root.inputs, errors)
  const profileUpdate = textOf(root.profileUpdate, 'profileUpdate', errors)
  if (profileUpdate && profileUpdate !== 'fill' && profileUpdate !== 'overwrite') {
    errors.push({ field: 'profileUpdate', message: 'must be fill or overwrite' })
  }
  const isDryRun = booleanOf(root.dryRun, 'dryRun', errors)
  const recipient = recipientOf(groups, errors)
  if (errors.length > 0 || !recipient) return malformedRequest(errors)

  const { profile, journey, consent } = groups
  const { versionId, nodeId, instanceId } = journey
  const fields: Record<string, string> = {}
  for (const name of profileFields) if (profile[name]) fields[name] = profile[name]
  const claim = consentClaim(consent)
  return {
    send: {
      recipient,
      ...(Object.keys(fields).length > 0 && { profile: fields }),
      ...(profileUpdate && { profileUpdate: profileUpdate as 'fill' | 'overwrite' }),
      source: 'journey',
      ...(Object.keys(inputs).length > 0 && { inputs }),
      ...(claim && { consent: claim }),
    },
    isDryRun,
    ...(versionId && nodeId && instanceId && { step: { versionId, nodeId, instanceId } }),
    ...(recipient.kind !== 'persona' && { recipientKey: profile.id ?? `${recipient.channel}:${recipient.address}` }),
  }
}

/** A sandbox call names a persona and no profile; any other names a phone. */
function recipientOf(
  { profile, emulator }: Readonly<Record<'profile' | 'emulator', Fields>>,
  errors: FieldError[],
): Extract<Recipient, { kind: 'persona' | 'address' }> | undefined {
  const { personaId } = emulator
  if (personaId) {
    for (const name of Object.keys(profile)) {
      errors.push({ field: `profile.${name}`, message: 'must be empty in a test with a persona' })
    }
    return { kind: 'persona', personaId }
  }
  const { phone: address, channel = 'rcs' } = profile
  if (!address) errors.push({ field: 'profile.phone', message: 'is required' })
  else if (!phone.test(address)) {
    errors.push({ field: 'profile.phone', message: 'must be a plus sign and 7 to 15 digits' })
  } else return { kind: 'address', channel, address }
  return undefined
}

/** Only a clear yes or no counts, in any spelling of its case. */
function consentClaim({ sms = '', evidence }: Fields): SendRequest['consent'] | undefined {
  const answer = sms.trim().toLowerCase()
  const isAnswered = answer === 'y' || answer === 'n'
  if (!isAnswered) return evidence ? { evidence } : undefined
  return { optIn: answer === 'y', evidence: evidence ?? `The journey's consent.sms was ${answer}.` }
}

type Fields = Readonly<Record<string, string | undefined>>

function groupOf(root: Readonly<Record<string, unknown>>, name: Group, errors: FieldError[]): Fields {
  const value = root[name]
  if (isAbsent(value)) return {}
  const group = recordOf(value)
  if (!group) {
    errors.push({ field: name, message: 'must be an object' })
    return {}
  }
  const values: Record<string, string> = {}
  for (const [member, memberValue] of Object.entries(group)) {
    const field = `${name}.${member}`
    if (!(knownFields[name] as readonly string[]).includes(member)) errors.push({ field, message: 'is not known here' })
    const text = textOf(memberValue, field, errors, member === 'evidence' ? limits.evidenceChars : undefined)
    if (text !== undefined) values[member] = text
  }
  return values
}

function inputsOf(value: unknown, errors: FieldError[]): Readonly<Record<string, string>> {
  if (isAbsent(value)) return {}
  const members = recordOf(value)
  if (!members) errors.push({ field: 'inputs', message: 'must be an object' })
  const values: Record<string, string> = {}
  for (const [key, each] of Object.entries(members ?? {})) {
    const text = textOf(each, `inputs.${key}`, errors, limits.inputValueChars)
    if (text !== undefined) values[key] = text
  }
  if (Object.keys(values).length > limits.inputs) {
    errors.push({ field: 'inputs', message: `must have at most ${limits.inputs} members` })
  }
  errors.push(...(inputsRefusal(values)?.errors ?? []))
  return values
}

function textOf(
  value: unknown,
  field: string,
  errors: FieldError[],
  maxChars: number = limits.profileChars,
): string | undefined {
  if (isAbsent(value)) return undefined
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
  if (typeof text !== 'string') errors.push({ field, message: 'must be text' })
  else if (text.length > maxChars) errors.push({ field, message: `must have at most ${maxChars} characters` })
  else return text
  return undefined
}

function booleanOf(value: unknown, field: string, errors: FieldError[]): boolean {
  if (isAbsent(value) || value === false || value === 'false') return false
  if (value === true || value === 'true') return true
  errors.push({ field, message: 'must be true or false' })
  return false
}

function isAbsent(value: unknown): value is null | undefined | '' {
  return value === undefined || value === null || value === ''
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return isRecord(value) ? value : undefined
}

export function malformedRequest(errors: readonly FieldError[]): Refusal {
  return errors.length > 0 ? invalidAll(errors, { status: 400 }) : refuse('request.invalid', { status: 400 })
}
