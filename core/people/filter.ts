/**
 * Filters of people, for lists, segments, campaigns and automated outreach alike. A filter is a record of texts, all of
 * which must match; it is compiled once and then applied to each person.
 */
import type { FieldError } from '../errors.js'
import { person as limits } from '../limits/index.js'
import { isMoment } from '../moment.js'
import { phoneOf } from './address.js'
import { batchesOf } from './batches.js'
import { isCustomKey } from './change.js'
import { emailOf, type IndexKey } from './indexes.js'
import { phoneNumberOf } from './numbers.js'
import { consentStatuses, type Person, personStatuses } from './person.js'

export type PersonFilter = Readonly<Record<string, string>>

export interface CompiledFilter {
  matches(person: Person): boolean
  /** Every match has at least one of these index keys. */
  readonly indexKeys?: readonly IndexKey[]
  /** Every match was created after and before these times. */
  readonly after?: number
  readonly before?: number
}

type Term = CompiledFilter

export interface FilterOptions {
  /** Also searches the addresses of identities: only for callers that may see them. */
  readonly seesAddresses?: boolean
}

interface FilterTerm {
  /** The fault of the value, if any. */
  readonly error?: (value: string) => string | undefined
  readonly term: (value: string, options: FilterOptions) => Term
}

const moment =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:Z|[+-][0-9]{2}:[0-9]{2}))?$/
const momentError = (value: string) =>
  moment.test(value) && isMoment(value) ? undefined : 'must be a moment in ISO 8601'
const oneOf = (values: readonly string[]) => (value: string) =>
  values.includes(value) ? undefined : `must be one of ${values.join(', ')}`

export const filterTerms: Readonly<Record<string, FilterTerm>> = {
  q: { term: search },
  status: { error: oneOf(personStatuses), term: (value) => ({ matches: ({ status }) => status === value }) },
  tag: {
    term: (value) => ({ matches: ({ tags }) => tags?.includes(value) ?? false, indexKeys: [{ kind: 'tag', value }] }),
  },
  consent: {
    error: oneOf(consentStatuses),
    term: (value) => ({ matches: ({ consent }) => consent.status === value }),
  },
  source: { term: (value) => ({ matches: ({ source }) => source === value }) },
  createdAfter: {
    error: momentError,
    term(value) {
      const after = Date.parse(value)
      return { matches: ({ createdAt }) => createdAt > after, after }
    },
  },
  createdBefore: {
    error: momentError,
    term(value) {
      const before = Date.parse(value)
      return { matches: ({ createdAt }) => createdAt < before, before }
    },
  },
}

export const customPrefix = 'customFields.'

function termOf(name: string): FilterTerm | undefined {
  if (Object.hasOwn(filterTerms, name)) return filterTerms[name]
  const key = name.startsWith(customPrefix) ? name.slice(customPrefix.length) : ''
  if (!isCustomKey(key)) return undefined
  return { term: (value) => ({ matches: ({ customFields = {} }) => ownValue(customFields, key) === value }) }
}

function ownValue(fields: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(fields, key) ? fields[key] : undefined
}

/** The faults of a filter; `path` is its path in the request. */
export function filterFaults(filter: Readonly<Record<string, unknown>>, path = ''): FieldError[] {
  const entries = Object.entries(filter)
  if (entries.length > limits.filterTerms)
    return [{ field: path, message: `has more than ${limits.filterTerms} terms` }]
  return entries.flatMap(([name, value]) => {
    const message = termError(name, value)
    return message === undefined ? [] : [{ field: path === '' ? name : `${path}.${name}`, message }]
  })
}

function termError(name: string, value: unknown): string | undefined {
  const term = termOf(name)
  if (!term) return 'is no filter of people'
  if (typeof value !== 'string') return 'must be text'
  if (value.trim() === '') return 'must not be empty'
  const maxChars = name.startsWith(customPrefix) ? limits.customValueChars : limits.filterChars
  return value.length > maxChars ? `is longer than ${maxChars} characters` : term.error?.(value)
}

/** Compiles a filter without faults. A filter without terms matches all people. */
export function compileFilter(filter: PersonFilter, options: FilterOptions = {}): CompiledFilter {
  const terms = Object.entries(filter).map(([name, value]) => termOf(name)!.term(value, options))
  const times = (name: 'after' | 'before') => terms.flatMap((term) => term[name] ?? [])
  const indexed = terms.flatMap(({ indexKeys }) => (indexKeys ? [indexKeys] : []))
  const indexKeys = indexed.find(([first]) => first?.kind !== 'tag') ?? indexed[0]
  return {
    matches: (person) => terms.every((term) => term.matches(person)),
    ...(indexKeys && { indexKeys }),
    ...(times('after').length > 0 && { after: Math.max(...times('after')) }),
    ...(times('before').length > 0 && { before: Math.min(...times('before')) }),
  }
}

/** All people of that import, later imports of the same people notwithstanding. */
export function importedBy(importBatchId: string): CompiledFilter {
  return {
    matches: (person) => batchesOf(person).includes(importBatchId),
    indexKeys: [{ kind: 'batch', value: importBatchId }],
  }
}

/**
 * A complete number or e-mail address finds the people who have it; any other words are searched for within names and
 * similar fields.
 */
function search(value: string, { seesAddresses = false }: FilterOptions): Term {
  const phone = phoneOf(value)
  if (phone !== undefined) {
    const hasAddress = (person: Person) =>
      seesAddresses && person.identities.some(({ address }) => phoneOf(address) === phone)
    return {
      matches: (person) => phoneNumberOf(person) === phone || hasAddress(person),
      indexKeys: [
        { kind: 'phone', value: phone },
        ...(seesAddresses ? [{ kind: 'address', value: phone } as const] : []),
      ],
    }
  }
  const email = emailOf(value)
  if (email !== undefined)
    return { matches: (person) => emailOf(person.email ?? '') === email, indexKeys: [{ kind: 'email', value: email }] }
  const words = foldCase(value)
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((text) => ({ text, digits: digitsOf(text) }))
  return {
    matches(person) {
      const addresses = seesAddresses ? person.identities.map(({ address }) => address) : []
      const text = foldCase([...searchedFields.map((field) => person[field] ?? ''), ...addresses].join('\n'))
      const numbers = [person.phone ?? '', ...addresses].map((number) => number.replace(/[^0-9]/g, ''))
      return words.every(
        (word) =>
          text.includes(word.text) || (word.digits !== '' && numbers.some((each) => each.includes(word.digits))),
      )
    },
  }
}

/** The digits of a part of a number, in any grouping; empty for other words. */
function digitsOf(word: string): string {
  return /^[+(]*[0-9][0-9().\-/]*$/.test(word) ? word.replace(/[^0-9]/g, '') : ''
}

const searchedFields = ['fullName', 'firstName', 'lastName', 'email', 'phone', 'company'] as const

/** Ignores case and accents: a search for Jose finds José. */
function foldCase(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
}
