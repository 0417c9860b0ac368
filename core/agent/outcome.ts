/** What all writes of an agent document share: schema checks, and the refusal of broken references. */
import type { TSchema } from 'typebox'
import { type FieldError, invalidAll, isRefusal, type Refusal, refuse } from '../errors.js'
import { runToEnd, type Steps } from '../steps.js'
import { type AgentDocument, findItem, type ListSection, withoutItem } from './document.js'
import { conflictOf, findBrokenReferencesInSteps, type IndexLoader } from './integrity.js'
import { faultsOf } from './schemacheck.js'

/** The candidate document, or the refusal. Writes are atomic: the document before stays untouched. */
export type Outcome = AgentDocument | Refusal

/** Fields that the contract no longer has, with the place of their content. */
const retiredFields: Readonly<Record<string, string>> = {
  procedures: 'is retired: its text belongs in body',
  additionalRules: 'is retired: say it as a topic, a claim, a disclaimer or a rule',
}

export function invalidFields(faults: readonly FieldError[]): Refusal {
  return invalidAll(faults.map(withRetiredHint))
}

function withRetiredHint(fault: FieldError): FieldError {
  const last = fault.field.slice(fault.field.lastIndexOf('.') + 1)
  return Object.hasOwn(retiredFields, last) && fault.message === 'is not a known field'
    ? { ...fault, message: retiredFields[last]! }
    : fault
}

/** Undefined when the value matches the schema. */
export function schemaError(schema: TSchema, value: unknown, at = ''): Refusal | undefined {
  const faults = faultsOf(schema, value, at)
  return faults.length > 0 ? invalidFields(faults) : undefined
}

/** The last check of every write: refuses a candidate that leaves a reference to something that the write removes. */
export function* admitInSteps(before: AgentDocument, candidate: Outcome, loadIndex?: IndexLoader): Steps<Outcome> {
  if (isRefusal(candidate)) return candidate
  return conflictOf(yield* findBrokenReferencesInSteps(before, candidate, loadIndex)) ?? candidate
}

export function admit(before: AgentDocument, candidate: Outcome): Outcome {
  return runToEnd(admitInSteps(before, candidate))
}

/** DELETE of an item without rules of its own: media, sources, segments. */
export function removeItem(document: AgentDocument, section: ListSection, id: string): Outcome {
  return findItem(document, section, id) ? withoutItem(document, section, id) : refuse('resource.not_found')
}

/** Drops undefined members, so that documents hold only what is set. */
export function withoutUndefined<T extends object>(value: T): T {
  if (!hasUndefined(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T
}

function hasUndefined(value: object): boolean {
  for (const name in value) if ((value as Record<string, unknown>)[name] === undefined) return true
  return false
}

/** Whether two JSON values are equal, apart from the order of their members. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return false
  if (Array.isArray(one) || Array.isArray(other)) {
    return (
      Array.isArray(one) &&
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((each, at) => isSame(each, other[at]))
    )
  }
  for (const name in one) if (!isSame(memberOf(one, name), memberOf(other, name))) return false
  for (const name in other) if (memberOf(one, name) === undefined && memberOf(other, name) !== undefined) return false
  return true
}

/** An own member only: the name may also be one that every object inherits. */
function memberOf(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined
}
