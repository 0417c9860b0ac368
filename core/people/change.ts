/** Applies an operator's change to a person: null removes a field, a field that is left out stays. */
import { type FieldError, invalidAll, type Refusal } from '../errors.js'
import { person as limits } from '../limits/index.js'
import { isTimeZone } from '../zones.js'
import { possiblePhoneOf } from './address.js'
import { emailOf } from './indexes.js'
import { type ConsentStatus, type Person, type PersonStatus, type TextField, textFields } from './person.js'

export interface PersonChange extends Readonly<Partial<Record<TextField, string | null>>> {
  readonly status?: PersonStatus
  readonly source?: string
  readonly tags?: readonly string[]
  /** Merged by key; values are stored as text. */
  readonly customFields?: Readonly<Record<string, string | number | boolean | null>>
  readonly lockedFields?: readonly string[]
  readonly consent?: { readonly status: ConsentStatus }
  readonly scheduledCallAt?: number | null
}

/** Keys of custom fields as inputs of sends name them. */
const customKey = /^[^$.][^.]*$/
export const isCustomKey = (key: string) =>
  key.length <= limits.customKeyChars && customKey.test(key) && key !== '__proto__'

/** The rules of a single text field, its length included. */
export function textError(field: TextField, value: string): string | undefined {
  const maxChars = limits.textChars[field]
  if (value.length > maxChars) return `is longer than ${maxChars} characters`
  if (value.includes(nul)) return nulError
  if (value.trim() === '') return undefined
  if (field === 'timezone' && !isTimeZone(value)) return 'must be an IANA time zone'
  if (field === 'phone' && possiblePhoneOf(value) === undefined) return 'must be a number in international format'
  if (field === 'email' && emailOf(value) === undefined) return 'must be an e-mail address'
  return undefined
}

const nul = '\0'
export const nulError = 'must not hold a NUL character'

/** Whether the change sets no value. */
export function isEmptyChange(change: PersonChange): boolean {
  return Object.values(change).every(
    (value) => value === undefined || value === null || (typeof value === 'string' && value.trim() === ''),
  )
}

export function newPerson(id: string, source: string, at: number): Person {
  return { id, status: 'new', source, consent: { status: 'unknown' }, identities: [], createdAt: at, updatedAt: at }
}

/** Returns the same object when nothing changes; otherwise sets `updatedAt` to `at`. */
export function applyChange(person: Person, change: PersonChange, at: number): Person | Refusal {
  const faults = textErrors(change)
  const next: Record<string, unknown> = { ...person }
  for (const field of textFields) assign(next, field, blankIsNull(change[field]))
  assign(next, 'status', change.status)
  assign(next, 'source', change.source)
  assign(next, 'tags', change.tags && emptyIsNull(distinct(change.tags)))
  assign(next, 'lockedFields', change.lockedFields && emptyIsNull(distinct(change.lockedFields)))
  assign(next, 'scheduledCallAt', change.scheduledCallAt)
  for (const [field, values] of [
    ['source', [change.source ?? '']],
    ['tags', change.tags ?? []],
    ['lockedFields', change.lockedFields ?? []],
  ] as const) {
    if (values.some((value) => value.includes(nul))) faults.push({ field, message: nulError })
  }
  if (change.customFields) {
    faults.push(...customFieldErrors(change.customFields))
    const custom = mergeCustomFields(person.customFields ?? {}, change.customFields)
    const keys = Object.keys(custom)
    if (keys.length > limits.customFields) {
      faults.push({ field: 'customFields', message: `a person has at most ${limits.customFields} of them` })
    }
    assign(next, 'customFields', keys.length > 0 ? custom : null)
  }
  if (change.consent && change.consent.status !== person.consent.status) {
    next.consent = { status: change.consent.status, updatedAt: at }
  }
  if (faults.length > 0) return invalidAll(faults)
  return deepEqual(person, next) ? person : ({ ...next, updatedAt: at } as unknown as Person)
}

function textErrors(change: PersonChange): FieldError[] {
  return textFields.flatMap((field) => {
    const value = change[field]
    const message = typeof value === 'string' ? textError(field, value) : undefined
    return message === undefined ? [] : [{ field, message }]
  })
}

function customFieldErrors(fields: NonNullable<PersonChange['customFields']>): FieldError[] {
  return Object.entries(fields).flatMap(([key, value]) => {
    const field = `customFields.${key}`
    if (!isCustomKey(key)) {
      const message = `a key has 1 to ${limits.customKeyChars} characters, no dot, and no $ in front`
      return [{ field: field.slice(0, limits.customKeyChars), message }]
    }
    if (key.includes(nul) || (typeof value === 'string' && value.includes(nul))) return [{ field, message: nulError }]
    const isLong = typeof value === 'string' && value.length > limits.customValueChars
    return isLong ? [{ field, message: `is longer than ${limits.customValueChars} characters` }] : []
  })
}

function assign(next: Record<string, unknown>, name: string, value: unknown): void {
  if (value === null) delete next[name]
  else if (value !== undefined) next[name] = value
}

function blankIsNull(text: string | null | undefined): string | null | undefined {
  return text?.trim() === '' ? null : text
}

function emptyIsNull(list: readonly string[]): readonly string[] | null {
  return list.length > 0 ? list : null
}

/** Trimmed, without duplicates and blanks, in the given order. */
export function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts.map((text) => text.trim()))].filter((text) => text !== '')
}

function mergeCustomFields(
  current: Readonly<Record<string, string>>,
  changes: NonNullable<PersonChange['customFields']>,
): Record<string, string> {
  const fields = new Map(Object.entries(current))
  for (const [key, value] of Object.entries(changes)) {
    if (value === null || String(value).trim() === '') fields.delete(key)
    else fields.set(key, String(value))
  }
  return Object.fromEntries(fields)
}

/** Deep equality of plain data. */
function deepEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return false
  const [oneKeys, otherKeys] = [Object.keys(one), Object.keys(other)]
  return (
    oneKeys.length === otherKeys.length &&
    oneKeys.every((name) => deepEqual((one as Record<string, unknown>)[name], (other as Record<string, unknown>)[name]))
  )
}
