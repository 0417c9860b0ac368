/**
 * The words by which people are chosen: in lists, segments, campaigns and automated outreach alike. A filter is a record
 * of texts, all of which have to hold; it is compiled once and then asked of each person.
 */
import type { FieldError } from '../errors.js'
import { person as limits } from '../limits.js'
import { isMoment } from '../moment.js'
import { phoneOf } from './address.js'
import { batchesOf } from './batches.js'
import { isCustomKey } from './change.js'
import { emailOf, type Mark } from './marks.js'
import { phoneNumberOf } from './numbers.js'
import { consentStatuses, type Person, personStatuses } from './person.js'

export type PersonFilter = Readonly<Record<string, string>>

export interface CompiledFilter {
  matches(person: Person): boolean
  /** Everybody who matches bears one of these marks. */
  readonly marks?: readonly Mark[]
  /** Everybody who matches was made after and before these times. */
  readonly after?: number
  readonly before?: number
}

type Term = CompiledFilter

export interface FilterOptions {
  /** The addresses of identities are searched too: for callers that may see them, and for no others. */
  readonly seesAddresses?: boolean
}

interface Word {
  /** What is wrong with the value, if anything. */
  readonly wrong?: (value: string) => string | undefined
  readonly term: (value: string, options: FilterOptions) => Term
}

const moment =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:Z|[+-][0-9]{2}:[0-9]{2}))?$/
const wrongMoment = (value: string) =>
  moment.test(value) && isMoment(value) ? undefined : 'must be a moment in ISO 8601'
const amongst = (values: readonly string[]) => (value: string) =>
  values.includes(value) ? undefined : `must be one of ${values.join(', ')}`

export const filterWords: Readonly<Record<string, Word>> = {
  q: { term: search },
  status: { wrong: amongst(personStatuses), term: (value) => ({ matches: ({ status }) => status === value }) },
  tag: {
    term: (value) => ({ matches: ({ tags }) => tags?.includes(value) ?? false, marks: [{ kind: 'tag', value }] }),
  },
  consent: {
    wrong: amongst(consentStatuses),
    term: (value) => ({ matches: ({ consent }) => consent.status === value }),
  },
  source: { term: (value) => ({ matches: ({ source }) => source === value }) },
  createdAfter: {
    wrong: wrongMoment,
    term(value) {
      const after = Date.parse(value)
      return { matches: ({ createdAt }) => createdAt > after, after }
    },
  },
  createdBefore: {
    wrong: wrongMoment,
    term(value) {
      const before = Date.parse(value)
      return { matches: ({ createdAt }) => createdAt < before, before }
    },
  },
}

export const customPrefix = 'customFields.'

function wordOf(name: string): Word | undefined {
  if (Object.hasOwn(filterWords, name)) return filterWords[name]
  const key = name.startsWith(customPrefix) ? name.slice(customPrefix.length) : ''
  if (!isCustomKey(key)) return undefined
  return { term: (value) => ({ matches: ({ customFields = {} }) => own(customFields, key) === value }) }
}

function own(fields: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(fields, key) ? fields[key] : undefined
}

/** Everything that is wrong with a filter; `at` is where it stands in what was sent. */
export function filterFaults(filter: Readonly<Record<string, unknown>>, at = ''): FieldError[] {
  const entries = Object.entries(filter)
  if (entries.length > limits.filterTerms) return [{ field: at, message: `has more than ${limits.filterTerms} terms` }]
  return entries.flatMap(([name, value]) => {
    const message = wrongTerm(name, value)
    return message === undefined ? [] : [{ field: at === '' ? name : `${at}.${name}`, message }]
  })
}

function wrongTerm(name: string, value: unknown): string | undefined {
  const word = wordOf(name)
  if (!word) return 'is no filter of people'
  if (typeof value !== 'string') return 'must be text'
  if (value.trim() === '') return 'must not be empty'
  const mostChars = name.startsWith(customPrefix) ? limits.customValueChars : limits.filterChars
  return value.length > mostChars ? `is longer than ${mostChars} characters` : word.wrong?.(value)
}

/** Of a filter without faults. Without any term everybody matches. */
export function compileFilter(filter: PersonFilter, options: FilterOptions = {}): CompiledFilter {
  const terms = Object.entries(filter).map(([name, value]) => wordOf(name)!.term(value, options))
  const times = (name: 'after' | 'before') => terms.flatMap((term) => term[name] ?? [])
  const marked = terms.flatMap(({ marks }) => (marks ? [marks] : []))
  const marks = marked.find(([first]) => first?.kind !== 'tag') ?? marked[0]
  return {
    matches: (person) => terms.every((term) => term.matches(person)),
    ...(marks && { marks }),
    ...(times('after').length > 0 && { after: Math.max(...times('after')) }),
    ...(times('before').length > 0 && { before: Math.min(...times('before')) }),
  }
}

/** All whom that import read in, whichever read them in since. */
export function readInBy(importBatchId: string): CompiledFilter {
  return {
    matches: (person) => batchesOf(person).includes(importBatchId),
    marks: [{ kind: 'batch', value: importBatchId }],
  }
}

/** A whole number or e-mail address finds whoever has that one; any other words are looked for within names and the like. */
function search(value: string, { seesAddresses = false }: FilterOptions): Term {
  const phone = phoneOf(value)
  if (phone !== undefined) {
    const isAt = (person: Person) =>
      seesAddresses && person.identities.some(({ address }) => phoneOf(address) === phone)
    return {
      matches: (person) => phoneNumberOf(person) === phone || isAt(person),
      marks: [{ kind: 'phone', value: phone }, ...(seesAddresses ? [{ kind: 'address', value: phone } as const] : [])],
    }
  }
  const email = emailOf(value)
  if (email !== undefined)
    return { matches: (person) => emailOf(person.email ?? '') === email, marks: [{ kind: 'email', value: email }] }
  const words = folded(value)
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((text) => ({ text, digits: digitsOf(text) }))
  return {
    matches(person) {
      const addresses = seesAddresses ? person.identities.map(({ address }) => address) : []
      const text = folded([...searched.map((field) => person[field] ?? ''), ...addresses].join('\n'))
      const numbers = [person.phone ?? '', ...addresses].map((number) => number.replace(/[^0-9]/g, ''))
      return words.every(
        (word) =>
          text.includes(word.text) || (word.digits !== '' && numbers.some((each) => each.includes(word.digits))),
      )
    },
  }
}

/** The digits of a part of a number, however it is parted; none of other words. */
function digitsOf(word: string): string {
  return /^[+(]*[0-9][0-9().\-/]*$/.test(word) ? word.replace(/[^0-9]/g, '') : ''
}

const searched = ['fullName', 'firstName', 'lastName', 'email', 'phone', 'company'] as const

/** Without case and accents: who looks for Jose finds José. */
function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
}
