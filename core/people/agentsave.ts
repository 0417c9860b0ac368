/**
 * What an agent saves to a person: the fields that it declares and the plain ones, all of them or none. Never a locked
 * field, never consent, and the status moves forward only.
 */
import { isRefusal } from '../errors.js'
import { person as limits } from '../limits/index.js'
import { possiblePhoneOf } from './address.js'
import { applyChange, nulError, type PersonChange, textError } from './change.js'
import { customTypesOf, customValueError, type DeclaredField } from './customfields.js'
import { emailOf } from './indexes.js'
import type { Person, PersonStatus, TextField } from './person.js'

export interface LockableField extends DeclaredField {
  readonly locked?: boolean
}

export type FieldValues = Readonly<Record<string, string | number | boolean>>

export type AgentSave =
  | {
      readonly person: Person
      /** As the caller spelled them. */
      readonly saved: readonly string[]
      /** An email or phone was written that was empty or different before. */
      readonly captured: boolean
    }
  /** A sentence that names the field. Nothing was saved. */
  | { readonly refused: string }

const plainFields = [
  'firstName',
  'lastName',
  'fullName',
  'email',
  'phone',
  'company',
  'title',
  'timezone',
] as const satisfies TextField[]
type PlainField = (typeof plainFields)[number]

/** A person has no such field of their own, so it is a custom one that every agent has. */
const interestField = 'productInterest'
const customPrefix = 'customFields.'
const forward: readonly PersonStatus[] = ['new', 'contacted', 'qualified', 'converted']

export function saveFields(
  person: Person,
  values: FieldValues,
  declared: readonly LockableField[],
  at: number,
): AgentSave {
  const types = customTypesOf(declared)
  const declaredKeys = new Set([interestField, ...declared.map(({ key }) => key)])
  const locked = new Set([
    ...declared.filter((field) => field.locked).map(({ key }) => key),
    ...(person.lockedFields ?? []),
  ])
  const texts: Partial<Record<PlainField, string>> = {}
  const customFields: Record<string, string> = {}
  let status: PersonStatus | undefined

  /** Takes one field into the change; the rest of a sentence where that is impossible. */
  function take(name: string, text: string): string | undefined {
    const key = name.startsWith(customPrefix) ? name.slice(customPrefix.length) : name
    if (locked.has(key)) return 'is locked: only an operator changes it'
    if (text === '') return 'must not be empty'
    if (isPlain(name)) {
      texts[name] = name === 'phone' ? (possiblePhoneOf(text) ?? text) : text
      return textError(name, text)
    }
    if (name === 'status') {
      status = text as PersonStatus
      return statusError(person.status, text)
    }
    if (!declaredKeys.has(key)) return 'is no field that the agent may save'
    customFields[key] = text
    return customError(types.get(key), text)
  }

  for (const [name, value] of Object.entries(values)) {
    const message = take(name, String(value).trim())
    if (message !== undefined) return { refused: `${name.slice(0, limits.customKeyChars)} ${message}.` }
  }
  const change: PersonChange = { ...texts, ...(status && { status }), customFields }
  const after = applyChange(person, change, at)
  if (isRefusal(after)) return { refused: `${after.detail ?? 'The fields cannot be saved'}.` }
  return { person: after, saved: Object.keys(values), captured: isCaptured(person, after) }
}

function isPlain(name: string): name is PlainField {
  return (plainFields as readonly string[]).includes(name)
}

function statusError(before: PersonStatus, text: string): string | undefined {
  const to = forward.indexOf(text as PersonStatus)
  if (to < 0) return `must be one of ${forward.join(', ')}`
  const from = forward.indexOf(before)
  return from < 0 || to < from ? `moves forward only, and is ${before}` : undefined
}

function customError(type: Parameters<typeof customValueError>[0], text: string): string | undefined {
  if (text.length > limits.customValueChars) return `is longer than ${limits.customValueChars} characters`
  return text.includes('\0') ? nulError : customValueError(type, text)
}

/** Another spelling of the same address is no new one. */
function isCaptured(before: Person, after: Person): boolean {
  const phoneOf = ({ phone = '' }: Person) => possiblePhoneOf(phone) ?? phone
  const mailOf = ({ email = '' }: Person) => emailOf(email) ?? email
  return phoneOf(before) !== phoneOf(after) || mailOf(before) !== mailOf(after)
}
