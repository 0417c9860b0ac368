/** Parses people's fields from request bodies into commands and queries. */
import type { Static } from 'typebox'
import type { Member } from '../../core/access.js'
import { invalid, invalidAll, isRefusal, type Refusal } from '../../core/errors.js'
import { isEmptyChange, type PersonChange } from '../../core/people/change.js'
import { customTypeFaults, type DeclaredField } from '../../core/people/customfields.js'
import { filterFaults, type PersonFilter } from '../../core/people/filter.js'
import type { personPatch } from './schema.js'

/** Times arrive as text and are stored as numbers. */
export function parseChange({ scheduledCallAt, ...fields }: Static<typeof personPatch>): PersonChange {
  if (scheduledCallAt === undefined) return fields
  return { ...fields, scheduledCallAt: scheduledCallAt === null ? null : Date.parse(scheduledCallAt) }
}

/** A new person needs at least one field, and a custom field holds a value of its declared type. */
export async function changeError(
  change: PersonChange,
  declaredOf: () => Promise<readonly DeclaredField[] | Refusal>,
  isNew: boolean,
): Promise<Refusal | undefined> {
  if (isNew && isEmptyChange(change)) return invalid('body', 'must say something of the person')
  if (!change.customFields) return undefined
  const declared = await declaredOf()
  if (isRefusal(declared)) return declared
  const errors = customTypeFaults(change.customFields, declared)
  return errors.length > 0 ? invalidAll(errors) : undefined
}

export function filterError(filter: PersonFilter): Refusal | undefined {
  const errors = filterFaults(filter)
  return errors.length > 0 ? invalidAll(errors) : undefined
}

export function maySeeAddresses({ scopes }: Member): boolean {
  return scopes.has('people:export')
}
