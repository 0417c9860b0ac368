/** What a send brings along about its recipient, written to the person: never over a locked field, never taking away. */
import { person as limits } from '../limits.js'
import { isCustomKey, wrongText } from './change.js'
import { type Person, type TextField, textFields } from './person.js'

export const profileFields = ['firstName', 'lastName', 'fullName', 'email', 'phone'] as const satisfies TextField[]
export type Profile = Readonly<Partial<Record<(typeof profileFields)[number], string | null>>>

/** `fill` writes only what is empty; `overwrite` replaces what differs. */
export type ProfileUpdate = 'fill' | 'overwrite'

const nothing: ReadonlySet<string> = new Set()
const isTextField = (name: string): name is TextField => (textFields as readonly string[]).includes(name)

/** `declaredLocked` are the fields that the agent locks for everybody, beside those locked on the person. */
export function withProfile(
  person: Person,
  profile: Profile,
  how: ProfileUpdate,
  at: number,
  declaredLocked = nothing,
): Person {
  const texts: [TextField, string][] = []
  for (const field of profileFields) {
    const value = profile[field]
    if (value && (how === 'overwrite' || !person[field])) texts.push([field, value])
  }
  return written(person, texts, [], at, declaredLocked)
}

/** Key by key: one that names a text field writes that field, any other a custom field. */
export function withInputs(
  person: Person,
  inputs: Readonly<Record<string, string>>,
  at: number,
  declaredLocked = nothing,
): Person {
  const texts: [TextField, string][] = []
  const custom: [string, string][] = []
  for (const [key, value] of Object.entries(inputs)) {
    if (isTextField(key)) texts.push([key, value])
    else if (isCustomKey(key)) custom.push([key, value])
  }
  return written(person, texts, custom, at, declaredLocked)
}

/** A value that its field does not take, and a custom field beyond the last, are left out: a send is not refused for them. */
function written(
  person: Person,
  texts: readonly (readonly [TextField, string])[],
  custom: readonly (readonly [string, string])[],
  at: number,
  declaredLocked: ReadonlySet<string>,
): Person {
  const isOpen = (name: string) => !declaredLocked.has(name) && !person.lockedFields?.includes(name)
  const newTexts = texts.filter(
    ([field, value]) =>
      value.trim() !== '' && value !== person[field] && isOpen(field) && wrongText(field, value) === undefined,
  )
  const fields = new Map(Object.entries(person.customFields ?? {}))
  let isCustomNew = false
  for (const [key, value] of custom) {
    if (value.trim() === '' || value.length > limits.customValueChars || fields.get(key) === value || !isOpen(key))
      continue
    if (!fields.has(key) && fields.size >= limits.customFields) continue
    fields.set(key, value)
    isCustomNew = true
  }
  if (newTexts.length === 0 && !isCustomNew) return person
  return {
    ...person,
    ...Object.fromEntries(newTexts),
    ...(isCustomNew && { customFields: Object.fromEntries(fields) }),
    updatedAt: at,
  }
}
