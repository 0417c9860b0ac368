/** What a send brings along about its recipient, written to the person: never over a locked field, never taking away. */
import { person as limits } from '../limits.js'
import { isCustomKey, wrongText } from './change.js'
import { type CustomFieldType, wrongCustomValue } from './customfields.js'
import { type Person, type TextField, textFields } from './person.js'

export const profileFields = ['firstName', 'lastName', 'fullName', 'email', 'phone'] as const satisfies TextField[]
export type Profile = Readonly<Partial<Record<(typeof profileFields)[number], string | null>>>

/** `fill` writes only what is empty; `overwrite` replaces what differs. */
export type ProfileUpdate = 'fill' | 'overwrite'

const nothing: ReadonlySet<string> = new Set()
const untyped: ReadonlyMap<string, CustomFieldType> = new Map()
const isTextField = (name: string): name is TextField => (textFields as readonly string[]).includes(name)

/** `declaredLocked` are the fields that the agent locks for everybody, beside those locked on the person. */
export function withProfile(
  person: Person,
  profile: Profile,
  how: ProfileUpdate,
  at: number,
  declaredLocked = nothing,
): Person {
  const changing = changesOf(person, declaredLocked)
  for (const field of profileFields) {
    const value = profile[field]
    if (value && (how === 'overwrite' || !person[field])) changing.text(field, value)
  }
  return changing.at(at)
}

/** Key by key: one that names a text field writes that field, any other a custom field. */
export function withInputs(
  person: Person,
  inputs: Readonly<Record<string, string>>,
  at: number,
  declaredLocked = nothing,
  types: ReadonlyMap<string, CustomFieldType> = untyped,
): Person {
  const changing = changesOf(person, declaredLocked)
  for (const key of Object.keys(inputs)) {
    if (isTextField(key)) changing.text(key, inputs[key]!)
    else if (isCustomKey(key) && wrongCustomValue(types.get(key), inputs[key]!) === undefined) {
      changing.custom(key, inputs[key]!)
    }
  }
  return changing.at(at)
}

/**
 * Gathers what changes. A value that its field does not take, and a custom field beyond the last, are left out: a send is
 * not refused for them. Copies are made of what changes only, since every send comes by here.
 */
function changesOf(person: Person, declaredLocked: ReadonlySet<string>) {
  let texts: Partial<Record<TextField, string>> | undefined
  let fields: Record<string, string> | undefined
  const isOpen = (name: string) => !declaredLocked.has(name) && !person.lockedFields?.includes(name)
  return {
    text(field: TextField, value: string): void {
      if (value.trim() === '' || value === person[field] || !isOpen(field) || wrongText(field, value) !== undefined)
        return
      texts ??= {}
      texts[field] = value
    },
    custom(key: string, value: string): void {
      if (value.trim() === '' || value.length > limits.customValueChars || !isOpen(key)) return
      const before = fields ?? person.customFields ?? {}
      const isThere = Object.hasOwn(before, key)
      if (isThere && before[key] === value) return
      if (!isThere && Object.keys(before).length >= limits.customFields) return
      fields ??= { ...before }
      fields[key] = value
    },
    at: (at: number): Person =>
      texts || fields ? { ...person, ...texts, ...(fields && { customFields: fields }), updatedAt: at } : person,
  }
}
