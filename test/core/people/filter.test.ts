/** The words by which people are chosen. */
import fc from 'fast-check'
import t from 'tap'
import { person as limits } from '../../../core/limits/index.js'
import { phoneOf } from '../../../core/people/address.js'
import { newPerson } from '../../../core/people/change.js'
import { compileFilter, filterFaults, type PersonFilter } from '../../../core/people/filter.js'
import { type IndexKey, indexKeysOf } from '../../../core/people/indexes.js'
import type { Person } from '../../../core/people/person.js'
import { anyPerson, someFilter } from './arbitrary.js'

/** Each word as the contract says it, the slow way. */
const meanings: Record<string, (person: Person, value: string) => boolean> = {
  q(person, value) {
    const plain = (text = '') => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
    const phone = phoneOf(value)
    if (phone) return phoneOf(person.phone ?? '') === phone
    if (value.includes('@')) return plain(person.email) === plain(value)
    const { fullName, firstName, lastName, email, phone: number, company } = person
    const texts = [fullName, firstName, lastName, email, number, company].map(plain)
    return plain(value)
      .split(' ')
      .every((word) => texts.some((text) => text.includes(word)))
  },
  status: (person, value) => person.status === value,
  tag: (person, value) => (person.tags ?? []).includes(value),
  consent: (person, value) => person.consent.status === value,
  source: (person, value) => person.source === value,
  createdAfter: (person, value) => person.createdAt > Date.parse(value),
  createdBefore: (person, value) => person.createdAt < Date.parse(value),
  'customFields.level': (person, value) => person.customFields?.level === value,
}

t.test('A filter matches the people for whom each of its terms is true', async (t) => {
  fc.assert(
    fc.property(anyPerson, someFilter, (person, filter) => {
      const words = Object.entries(filter as PersonFilter)
      const expected = words.every(([word, value]) => meanings[word]!(person, value))
      t.same(filterFaults(filter), [])
      t.equal(compileFilter(filter as PersonFilter).matches(person), expected)
    }),
    { numRuns: 1_000 },
  )
})

t.test('A person who matches has the index mark and the time that the filter names', async (t) => {
  fc.assert(
    fc.property(anyPerson, someFilter, (person, filter) => {
      const compiled = compileFilter(filter as PersonFilter)
      if (!compiled.matches(person)) return
      const { indexKeys: keys, after = 0, before = Number.MAX_VALUE } = compiled
      const isBorne = ({ kind, value }: IndexKey) => keys?.some((mark) => kind === mark.kind && value === mark.value)
      if (keys) t.ok(indexKeysOf(person).some(isBorne))
      t.ok(person.createdAt > after && person.createdAt < before)
    }),
    { numRuns: 1_000 },
  )
})

t.test('An unknown filter term, or an invalid value of one, is named', async (t) => {
  const long = 'x'.repeat(limits.filterChars + 1)
  for (const [filter, field] of [
    [{ statuss: 'new' }, 'statuss'],
    [{ status: 'gone' }, 'status'],
    [{ consent: 'yes' }, 'consent'],
    [{ createdAfter: 'yesterday' }, 'createdAfter'],
    [{ createdBefore: '2026-13-01T00:00:00Z' }, 'createdBefore'],
    [{ createdBefore: '2026-02-30' }, 'createdBefore'],
    [{ q: '' }, 'q'],
    [{ q: long }, 'q'],
    [{ tag: 7 }, 'tag'],
    [{ 'customFields.': 'x' }, 'customFields.'],
    [{ 'customFields.a.b': 'x' }, 'customFields.a.b'],
    [{ toString: 'x' }, 'toString'],
  ] as const) {
    t.same(
      filterFaults(filter, 'filter').map((fault) => fault.field),
      [`filter.${field}`],
    )
  }
  t.same(filterFaults({ q: long.slice(1), createdAfter: '2026-01-01', 'customFields.a b': 'x' }), [])
})

t.test('Digits find a number in any format; addresses are searched only for callers who may see them', async (t) => {
  const blank = newPerson('pr_1', 'x', 1)
  const entered: Person = { ...blank, phone: '+1 (415) 555-0101' }
  const wrote: Person = { ...blank, identities: [{ asid: 'usr_1', channel: 'sms', address: '+14155550101' }] }
  for (const q of ['+14155550101', '001 415 555 0101', '5550101', '555-0101', '(415) 555', '415 0101']) {
    t.ok(compileFilter({ q }).matches(entered), q)
    t.notOk(compileFilter({ q }).matches(wrote), `${q} of an address`)
    const seeing = compileFilter({ q }, { seesAddresses: true })
    t.ok(seeing.matches(entered) && seeing.matches(wrote), `${q} for callers who may see addresses`)
  }
  t.notOk(compileFilter({ q: '5550102' }).matches(entered))
})
