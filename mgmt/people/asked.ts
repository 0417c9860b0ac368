/** What callers say of people, as commands and queries take it. */
import type { Static } from 'typebox'
import type { Member } from '../../core/access.js'
import { type Refusal, refuse } from '../../core/errors.js'
import type { PersonChange } from '../../core/people/change.js'
import { filterFaults, type PersonFilter } from '../../core/people/filter.js'
import type { personPatch } from './schema.js'

/** Times come as text, and are kept as numbers. */
export function changeOf({ scheduledCallAt, ...said }: Static<typeof personPatch>): PersonChange {
  if (scheduledCallAt === undefined) return said
  return { ...said, scheduledCallAt: scheduledCallAt === null ? null : Date.parse(scheduledCallAt) }
}

export function wrongFilter(filter: PersonFilter): Refusal | undefined {
  const errors = filterFaults(filter)
  const [first] = errors
  return first && refuse('request.invalid', { detail: `${first.field}: ${first.message}`, errors })
}

export function showsAddresses({ scopes }: Member): boolean {
  return scopes.has('people:export')
}
