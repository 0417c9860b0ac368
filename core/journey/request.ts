/**
 * What a journey platform sends, read as leniently as the contract says: null, empty and missing are the same, numbers
 * and booleans stand for their text, and whatever is not known is refused by name.
 */
import { type FieldError, type Refusal, refuse } from '../errors.js'
import { isRecord } from '../json.js'
import { outreachSend as limits } from '../limits.js'
import { type Recipient, type SendRequest, wrongInputs } from '../outreach/request.js'

export interface JourneyCall {
  /** A named send in all but what makes it the same as another. */
  readonly send: Omit<SendRequest, 'outreachId' | 'idempotencyKey'>
  readonly isDryRun: boolean
  /** The step of a journey that a profile entered: with all three, it is sent once. */
  readonly step?: { readonly versionId: string; readonly nodeId: string; readonly instanceId: string }
  /** Whom a key is derived for where no step is named; absent in a rehearsal, which may be repeated. */
  readonly who?: string
}

/** Every member that is read, with the members below it. */
const known = {
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
const written = ['phone', 'firstName', 'lastName', 'email'] as const
const phone = /^\+[0-9]{7,15}$/

export function readJourneyCall(body: unknown): JourneyCall | Refusal {
  const wrong: FieldError[] = []
  const root = recordOf(body)
  if (!root) return malformed([{ field: 'body', message: 'must be an object' }])
  for (const name of Object.keys(root)) {
    if (name === '') wrong.push({ field: 'body', message: 'has a member without a name' })
    else if (!Object.hasOwn(known, name)) wrong.push({ field: name, message: 'is not known here' })
  }
  const groups = {
    profile: groupOf(root, 'profile', wrong),
    consent: groupOf(root, 'consent', wrong),
    journey: groupOf(root, 'journey', wrong),
    emulator: groupOf(root, 'emulator', wrong),
  }
  const inputs = inputsOf(root.inputs, wrong)
  const profileUpdate = textOf(root.profileUpdate, 'profileUpdate', wrong)
  if (profileUpdate && profileUpdate !== 'fill' && profileUpdate !== 'overwrite') {
    wrong.push({ field: 'profileUpdate', message: 'must be fill or overwrite' })
  }
  const isDryRun = booleanOf(root.dryRun, 'dryRun', wrong)
  const recipient = recipientOf(groups, wrong)
  if (wrong.length > 0 || !recipient) return malformed(wrong)

  const { profile, journey, consent } = groups
  const { versionId, nodeId, instanceId } = journey
  const fields: Record<string, string> = {}
  for (const name of written) if (profile[name]) fields[name] = profile[name]
  const claim = claimOf(consent)
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
    ...(recipient.kind !== 'persona' && { who: profile.id ?? `${recipient.channel}:${recipient.address}` }),
  }
}

/** A rehearsal names a persona and nobody else; anything else names a phone. */
function recipientOf(
  { profile, emulator }: Readonly<Record<'profile' | 'emulator', Fields>>,
  wrong: FieldError[],
): Extract<Recipient, { kind: 'persona' | 'address' }> | undefined {
  const { personaId } = emulator
  if (personaId) {
    for (const name of Object.keys(profile)) {
      wrong.push({ field: `profile.${name}`, message: 'must be empty in a rehearsal' })
    }
    return { kind: 'persona', personaId }
  }
  const { phone: address, channel = 'rcs' } = profile
  if (!address) wrong.push({ field: 'profile.phone', message: 'is required' })
  else if (!phone.test(address)) {
    wrong.push({ field: 'profile.phone', message: 'must be a plus sign and 7 to 15 digits' })
  } else return { kind: 'address', channel, address }
  return undefined
}

/** Only a clear yes or no says anything, however it is written. */
function claimOf({ sms = '', evidence }: Fields): SendRequest['consent'] | undefined {
  const said = sms.trim().toLowerCase()
  const isClear = said === 'y' || said === 'n'
  if (!isClear) return evidence ? { evidence } : undefined
  return { optIn: said === 'y', evidence: evidence ?? `The journey's consent.sms was ${said}.` }
}

type Fields = Readonly<Record<string, string | undefined>>

function groupOf(root: Readonly<Record<string, unknown>>, name: Group, wrong: FieldError[]): Fields {
  const value = root[name]
  if (isAbsent(value)) return {}
  const group = recordOf(value)
  if (!group) {
    wrong.push({ field: name, message: 'must be an object' })
    return {}
  }
  const read: Record<string, string> = {}
  for (const [member, given] of Object.entries(group)) {
    const field = `${name}.${member}`
    if (!(known[name] as readonly string[]).includes(member)) wrong.push({ field, message: 'is not known here' })
    const text = textOf(given, field, wrong, member === 'evidence' ? limits.evidenceChars : undefined)
    if (text !== undefined) read[member] = text
  }
  return read
}

function inputsOf(value: unknown, wrong: FieldError[]): Readonly<Record<string, string>> {
  if (isAbsent(value)) return {}
  const given = recordOf(value)
  if (!given) wrong.push({ field: 'inputs', message: 'must be an object' })
  const read: Record<string, string> = {}
  for (const [key, each] of Object.entries(given ?? {})) {
    const text = textOf(each, `inputs.${key}`, wrong, limits.inputValueChars)
    if (text !== undefined) read[key] = text
  }
  if (Object.keys(read).length > limits.inputs) {
    wrong.push({ field: 'inputs', message: `must have at most ${limits.inputs} members` })
  }
  wrong.push(...(wrongInputs(read)?.errors ?? []))
  return read
}

function textOf(
  value: unknown,
  field: string,
  wrong: FieldError[],
  most: number = limits.profileChars,
): string | undefined {
  if (isAbsent(value)) return undefined
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
  if (typeof text !== 'string') wrong.push({ field, message: 'must be text' })
  else if (text.length > most) wrong.push({ field, message: `must have at most ${most} characters` })
  else return text
  return undefined
}

function booleanOf(value: unknown, field: string, wrong: FieldError[]): boolean {
  if (isAbsent(value) || value === false || value === 'false') return false
  if (value === true || value === 'true') return true
  wrong.push({ field, message: 'must be true or false' })
  return false
}

function isAbsent(value: unknown): value is null | undefined | '' {
  return value === undefined || value === null || value === ''
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return isRecord(value) ? value : undefined
}

export function malformed(errors: readonly FieldError[]): Refusal {
  const [first] = errors
  return refuse('request.invalid', {
    status: 400,
    ...(first && { detail: `${first.field}: ${first.message}` }),
    errors,
  })
}
