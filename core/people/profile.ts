/** Writes the recipient data of a send to the person: never over a locked field, and without removing any value. */
import { person as limits } from '../limits/index.js'
import { isCustomKey, textError } from './change.js'
import { type CustomFieldType, customValueError } from './customfields.js'
import { type Person, type TextField, textFields } from './person.js'

export const profileFields = ['firstName', 'lastName', 'fullName', 'email', 'phone'] as const satisfies TextField[]
export type Profile = Readonly<Partial<Record<(typeof profileFields)[number], string | null>>>

/** `fill` writes only what is empty; `overwrite` replaces what differs. */
export type ProfileUpdate = 'fill' | 'overwrite'

const noFields: ReadonlySet<string> = new Set()
const untyped: ReadonlyMap<string, CustomFieldType> = new Map()
const isTextField = (name: string): name is TextField => (textFields as readonly string[]).includes(name)

/** `declaredLocked` are the fields that the agent locks for all people, beside those locked on the person. */
export function withProfile(
  person: Person,
  profile: Profile,
  mode: ProfileUpdate,
  at: number,
  declaredLocked = noFields,
): Person {
  const changes = collectChanges(person, declaredLocked)
  for (const field of profileFields) {
    const value = profile[field]
    if (value && (mode === 'overwrite' || !person[field])) changes.text(field, value)
  }
  return changes.at(at)
}

/** By key: the name of a text field writes that field, any other key a custom field. */
export function withInputs(
  person: Person,
  inputs: Readonly<Record<string, string>>,
  at: number,
  declaredLocked = noFields,
  types: ReadonlyMap<string, CustomFieldType> = untyped,
): Person {
  const changes = collectChanges(person, declaredLocked)
  for (const key of Object.keys(inputs)) {
    if (isTextField(key)) changes.text(key, inputs[key]!)
    else if (isCustomKey(key) && customValueError(types.get(key), inputs[key]!) === undefined) {
      changes.custom(key, inputs[key]!)
    }
  }
  return changes.at(at)
}

/**
 * Collects changes. A value that its field does not accept, and a custom field beyond the limit, are left out: neither
 * refuses a send. Copies only what changes, since every send calls this.
 */
function collectChanges(person: Person, declaredLocked: ReadonlySet<string>) {
  let texts: Partial<Record<TextField, string>> | undefined
  let fields: Record<string, string> | undefined
  const isWritable = (name: string) => !declaredLocked.has(name) && !person.lockedFields?.includes(name)
  return {
    text(field: TextField, value: string): void {
      if (value.trim() === '' || value === person[field] || !isWritable(field) || textError(field, value) !== undefined)
        return
      texts ??= {}
      texts[field] = value
    },
    custom(key: string, value: string): void {
      if (value.trim() === '' || value.length > limits.customValueChars || !isWritable(key)) return
      const before = fields ?? person.customFields ?? {}
      const exists = Object.hasOwn(before, key)
      if (exists && before[key] === value) return
      if (!exists && Object.keys(before).length >= limits.customFields) return
      fields ??= { ...before }
      fields[key] = value
    },
    at: (at: number): Person =>
      texts || fields ? { ...person, ...texts, ...(fields && { customFields: fields }), updatedAt: at } : person,
  }
}
