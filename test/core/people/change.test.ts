/** What is said of a person, by operators, sends and conversations, and what becomes of two who are one. */
import fc from 'fast-check'
import t from 'tap'
import { isRefusal } from '../../../core/errors.js'
import { person as limits } from '../../../core/limits/index.js'
import { applyChange, newPerson, type PersonChange } from '../../../core/people/change.js'
import { applyIdentityEvent, newPersonFor } from '../../../core/people/identityevents.js'
import { lowestIdAt, personIdAt, personIdPattern } from '../../../core/people/ids.js'
import { mergePeople } from '../../../core/people/merge.js'
import { type IdentityEvent, type Person, textFields } from '../../../core/people/person.js'
import { profileFields, withInputs, withProfile } from '../../../core/people/profile.js'
import { personView } from '../../../core/people/view.js'
import { anyPerson, startAt } from './arbitrary.js'

const ann: Person = { ...newPerson('pr_1', 'api', 1), firstName: 'Ann', customFields: { level: 'gold' } }

function after(person: Person, change: PersonChange): Person {
  const next = applyChange(person, change, 9)
  if (isRefusal(next)) throw new Error(next.detail)
  return next
}

const fieldsOf = (change: PersonChange) => {
  const next = applyChange(ann, change, 9)
  return isRefusal(next) ? next.errors?.map(({ field }) => field) : []
}

t.test('A change sets only the supplied fields, and null removes a field', async (t) => {
  const next = after(ann, { lastName: 'Smith', customFields: { age: 41, vip: true } })
  t.strictSame(next, {
    ...ann,
    lastName: 'Smith',
    customFields: { level: 'gold', age: '41', vip: 'true' },
    updatedAt: 9,
  })
  const cleared = after(next, { firstName: null, lastName: ' ', customFields: { level: null, age: '', vip: null } })
  t.strictSame(cleared, { ...newPerson('pr_1', 'api', 1), updatedAt: 9 })
  t.equal(
    after(ann, { firstName: 'Ann', customFields: { level: 'gold' }, tags: [] }),
    ann,
    'an empty change writes nothing',
  )
})

t.test('A change of consent is reported with its time', async (t) => {
  const granted = after(ann, { consent: { status: 'granted' } })
  t.same(granted.consent, { status: 'granted', updatedAt: 9 })
  t.equal(applyChange(granted, { consent: { status: 'granted' } }, 10), granted)
})

t.test('Every text has a limit, and every time zone is validated', async (t) => {
  for (const field of textFields) {
    const most = limits.textChars[field]
    t.same(fieldsOf({ [field]: 'x'.repeat(most + 1) }), [field], `${field} past its end`)
    const isFree = !['timezone', 'phone', 'email'].includes(field)
    if (isFree) t.same(fieldsOf({ [field]: 'x'.repeat(most) }), [], `${field} at its end`)
  }
  t.same(fieldsOf({ timezone: 'Mars/Base' }), ['timezone'])
  for (const phone of ['hello', '5550100', '+1415555', '+1 415 555 0100 0']) t.same(fieldsOf({ phone }), ['phone'])
  t.same(fieldsOf({ phone: '+1 (415) 555-0100', email: 'Ann@example.com' }), [])
  t.same(fieldsOf({ email: 'not-an-email', notes: 'a\0b' }), ['email', 'notes'])
  t.same(fieldsOf({ timezone: 'Europe/Berlin' }), [])
  t.same(fieldsOf({ customFields: { 'a.b': '1' } }), ['customFields.a.b'])
  t.same(fieldsOf({ customFields: { $set: '1' } }), ['customFields.$set'])
  t.same(fieldsOf({ customFields: { long: 'x'.repeat(limits.customValueChars + 1) } }), ['customFields.long'])
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 'v']))
  t.same(fieldsOf({ customFields: many(limits.customFields - 1) }), [], 'with the one that is there')
  t.same(fieldsOf({ customFields: many(limits.customFields) }), ['customFields'])
})

t.test('A profile fills empty fields or overwrites different ones, and never writes a locked field', async (t) => {
  const locked: Person = { ...ann, lockedFields: ['email'] }
  const profile = { firstName: 'Anna', lastName: 'Smith', email: 'a@example.com', phone: null, fullName: '' }
  t.strictSame(withProfile(locked, profile, 'fill', 9), { ...locked, lastName: 'Smith', updatedAt: 9 })
  t.match(withProfile(locked, profile, 'overwrite', 9), { firstName: 'Anna', lastName: 'Smith', email: undefined })
  t.match(withProfile(ann, profile, 'fill', 9, new Set(['lastName'])), { lastName: undefined, email: 'a@example.com' })
  t.equal(withProfile(ann, { firstName: 'Ann' }, 'overwrite', 9), ann, 'a profile without new values writes nothing')
})

t.test('A profile never removes a value', async (t) => {
  const profiles = fc.record(
    Object.fromEntries(profileFields.map((field) => [field, fc.constantFrom('', ' ', 'x', null)])),
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(anyPerson, profiles, fc.constantFrom('fill', 'overwrite'), (person, profile, how) => {
      const next = withProfile(person, profile, how as 'fill', 9)
      for (const field of profileFields) {
        const isApplied = profile[field] === 'x' && field !== 'phone' && field !== 'email'
        const expected = isApplied && (how === 'overwrite' || !person[field]) ? 'x' : person[field]
        t.equal(next[field], expected)
      }
    }),
  )
})

t.test('Inputs are merged into the custom fields key by key, except locked ones', async (t) => {
  const locked: Person = { ...ann, lockedFields: ['level', 'company'] }
  const inputs = {
    level: 'blue',
    company: 'Acme',
    lastName: 'Smith',
    order: 'A-1',
    empty: '',
    timezone: 'nowhere',
    'a.b': 'x',
  }
  t.strictSame(withInputs(locked, inputs, 9), {
    ...locked,
    lastName: 'Smith',
    customFields: { level: 'gold', order: 'A-1' },
    updatedAt: 9,
  })
  const typed = withInputs(
    ann,
    { age: 'abc', order: '7' },
    9,
    undefined,
    new Map([
      ['age', 'number'],
      ['order', 'number'],
    ]),
  )
  t.same(typed.customFields, { ...ann.customFields, order: '7' }, 'a value of another type is omitted')
  const full: Person = {
    ...ann,
    customFields: Object.fromEntries(Array.from({ length: limits.customFields }, (_, n) => [`k${n}`, 'v'])),
  }
  t.same(withInputs(full, { more: '1', k0: 'w' }, 9).customFields, { ...full.customFields, k0: 'w' })
})

const identityEvent: IdentityEvent = { asid: 'usr_1', channel: 'sms', address: '+14155550100', at: 1_000, kind: 'seen' }
const stranger = newPersonFor('pr_2', identityEvent, 1_000)
const applyEvents = (person: Person, ...all: Partial<IdentityEvent>[]) =>
  all.reduce((current, each) => applyIdentityEvent(current, { ...identityEvent, ...each }).person, person)

t.test('A person who writes in first is known by that identity only', async (t) => {
  t.strictSame(stranger, {
    ...newPerson('pr_2', 'conversation', 1_000),
    identities: [{ asid: 'usr_1', channel: 'sms', address: '+14155550100' }],
  })
})

t.test('lastSeenAt is written at most once a minute', async (t) => {
  const seen = applyIdentityEvent(stranger, identityEvent).person
  t.equal(seen.identities[0]?.lastSeenAt, 1_000)
  t.equal(applyIdentityEvent(seen, { ...identityEvent, at: 1_000 + limits.seenEveryMs - 1 }).person, seen)
  t.equal(applyIdentityEvent(seen, { ...identityEvent, at: 1 }).person, seen, 'old news')
  t.equal(applyEvents(seen, { at: 1_000 + limits.seenEveryMs }).identities[0]?.lastSeenAt, 1_000 + limits.seenEveryMs)
})

t.test('The latest opt-out or opt-in counts, in any order of reports', async (t) => {
  const all = fc.uniqueArray(
    fc.record({ at: fc.integer({ min: 1, max: 50 }), kind: fc.constantFrom('optedOut' as const, 'optedIn' as const) }),
    { minLength: 1, selector: ({ at }) => at },
  )
  fc.assert(
    fc.property(all, (pieces) => {
      const latest = [...pieces].sort((one, other) => other.at - one.at)[0]!
      const [identity] = applyEvents(stranger, ...pieces).identities
      t.equal(identity?.optedOutAt !== undefined, latest.kind === 'optedOut')
    }),
  )
})

t.test('An opt-out or opt-in is an event only if it changes the state', async (t) => {
  const out = applyIdentityEvent(stranger, { ...identityEvent, kind: 'optedOut' })
  t.equal(out.event, 'person.opted_out')
  t.equal(
    applyIdentityEvent(out.person, { ...identityEvent, kind: 'optedOut', at: 2_000 }).event,
    undefined,
    'already out',
  )
  t.equal(applyIdentityEvent(out.person, { ...identityEvent, kind: 'optedIn', at: 500 }).event, undefined, 'old news')
  t.equal(applyIdentityEvent(out.person, { ...identityEvent, kind: 'optedIn', at: 2_000 }).event, 'person.opted_in')
  t.equal(applyIdentityEvent(stranger, { ...identityEvent, kind: 'optedIn' }).event, undefined, 'never was out')
  const seen = applyIdentityEvent(stranger, { ...identityEvent, kind: 'seen', optedOutAt: 700 })
  t.match(seen.person.identities, [{ optedOutAt: 700, lastSeenAt: identityEvent.at }], 'out, as a later message says')
  t.equal(seen.event, undefined, 'which is no event of its own')
  const back = applyIdentityEvent(out.person, { ...identityEvent, kind: 'optedIn', at: 2_000 }).person
  t.notMatch(
    applyIdentityEvent(back, { ...identityEvent, kind: 'seen', at: 3_000, optedOutAt: 1_000 }).person.identities,
    [{ optedOutAt: Number }],
  )
})

t.test('After a merge the surviving person gets the missing fields, and a denied consent stays denied', async (t) => {
  const duplicate: Person = { ...stranger, firstName: 'Anna', email: 'a@example.com', tags: ['b', 'a'], lastCallAt: 7 }
  const survivor: Person = { ...ann, tags: ['a'], consent: { status: 'granted', updatedAt: 5 }, lastCallAt: 3 }
  const merged = mergePeople(survivor, { ...duplicate, consent: { status: 'denied', updatedAt: 2 } }, 9)
  t.strictSame(merged, {
    ...survivor,
    email: 'a@example.com',
    tags: ['a', 'b'],
    identities: duplicate.identities,
    consent: { status: 'denied', updatedAt: 2 },
    lastCallAt: 7,
    formerIds: [duplicate.id],
    updatedAt: 9,
  })
  t.same(mergePeople(survivor, duplicate, 9).consent, survivor.consent, 'unknown decides nothing')
})

t.test('Ids of people are in the order of their creation', async (t) => {
  const drawn = fc.stringMatching(/^pr_[0-9a-hjkmnp-tv-z]{26}$/)
  const moments = fc.integer({ min: 0, max: 2 ** 43 })
  fc.assert(
    fc.property(moments, moments, drawn, drawn, (one, other, a, b) => {
      const [first, second] = [personIdAt(one, a), personIdAt(other, b)]
      t.match(first, new RegExp(personIdPattern))
      if (one !== other) t.equal(first < second, one < other)
      t.equal(first >= lowestIdAt(other), one >= other)
    }),
  )
})

t.test('An address is shown only to callers that hold people:export', async (t) => {
  const [identity] = personView(stranger, { showsAddresses: false }).identities
  t.strictSame(identity, { asid: 'usr_1', channel: 'sms', optedOut: false })
  t.equal(personView(stranger, { showsAddresses: true }).identities[0]?.address, '+14155550100')
  t.notOk('journal' in personView(ann, { showsAddresses: true }))
  t.equal(personView({ ...ann, createdAt: startAt }, { showsAddresses: true }).createdAt, '2026-03-01T12:00:00.000Z')
})
