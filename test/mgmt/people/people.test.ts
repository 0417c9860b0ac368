/** People in their shard: how they are found, what lists search, and what happens to the index rows of a person. */
import fc from 'fast-check'
import t from 'tap'
import { person as limits } from '../../../core/limits/index.js'
import { newPerson } from '../../../core/people/change.js'
import { compileFilter, importedBy, type PersonFilter } from '../../../core/people/filter.js'
import type { IdentityEvent, Person } from '../../../core/people/person.js'
import type { People } from '../../../mgmt/people/people.js'
import { numberTable, peopleTables } from '../../../mgmt/people/store.js'
import { anyPerson, someFilter, startAt } from '../../core/people/arbitrary.js'
import { agentRef, createPeopleFixture, type PeopleFixture } from './fixture.js'

const seenEvent: IdentityEvent = { asid: 'usr_1', channel: 'sms', address: '+14155550100', at: 1_000, kind: 'seen' }

/** What sends need of people is what people offer. */
const peopleOf = (fixture: PeopleFixture): People => fixture.people

function savePerson(fixture: PeopleFixture, person: Person, before?: Person): Person {
  peopleOf(fixture).save(fixture.tx, agentRef, before, person, fixture.meta())
  return person
}

/** Everybody a list shows, however many looks it takes. */
function listIds(fixture: PeopleFixture, filter: PersonFilter = {}, limit = 50): string[] {
  const ids: string[] = []
  let after: string | undefined
  do {
    const looked = fixture.read(fixture.people.queries.scan, { ...agentRef, filter, limit, ...(after && { after }) })
    ids.push(...looked.people.map(({ id }) => id))
    after = looked.next
  } while (after !== undefined)
  return ids
}

const storedRows = (fixture: PeopleFixture) => peopleTables.flatMap((table) => [...fixture.tx.range(table)])

t.test('A list has all people who match its filter, newest first, and never sandbox people', async (t) => {
  const crowd = fc.uniqueArray(anyPerson, { selector: ({ id }) => id, maxLength: 30 })
  fc.assert(
    fc.property(crowd, someFilter, fc.integer({ min: 1, max: 5 }), (people, filter, limit) => {
      const fixture = createPeopleFixture()
      for (const person of people) savePerson(fixture, person)
      const { matches } = compileFilter(filter as PersonFilter)
      const expected = people.filter((person) => !person.sandbox && matches(person)).map(({ id }) => id)
      t.same(listIds(fixture, filter as PersonFilter, limit), expected.sort().reverse())
    }),
    { numRuns: 300 },
  )
})

t.test('Index entries of a person change with the person, and are deleted with them', async (t) => {
  const steps = fc.array(anyPerson, { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(steps, someFilter, (states, filter) => {
      const fixture = createPeopleFixture()
      let current: Person | undefined
      for (const { sandbox: _sandbox, ...state } of states) {
        current = savePerson(fixture, { ...state, id: states[0]!.id, createdAt: states[0]!.createdAt }, current)
      }
      const { matches } = compileFilter(filter as PersonFilter)
      t.same(listIds(fixture, filter as PersonFilter), matches(current!) ? [current!.id] : [])
      fixture.decide(fixture.people.commands.remove, { ...agentRef, personId: current!.id })
      t.same(storedRows(fixture), [])
    }),
    { numRuns: 300 },
  )
})

t.test('One scan reads a bounded number of rows, and returns where to continue', async (t) => {
  const fixture = createPeopleFixture()
  const count = limits.rowsPerScan + 10
  for (let n = 0; n < count; n++) {
    const id = fixture.people.newId(fixture.meta(startAt + n))
    savePerson(fixture, { ...newPerson(id, n === 3 ? 'rare' : 'api', startAt + n) })
  }
  const look = { ...agentRef, filter: { source: 'rare' }, limit: 10 }
  const first = fixture.read(fixture.people.queries.scan, look)
  t.equal(first.people.length, 0)
  const second = fixture.read(fixture.people.queries.scan, { ...look, after: first.next! })
  t.equal(second.people.length, 1)
  t.equal(second.next, undefined)
  t.equal(listIds(fixture, {}, 200).length, count)
})

t.test('People with very much text make a short page', async (t) => {
  const fixture = createPeopleFixture()
  const value = 'x'.repeat(limits.customValueChars)
  const customFields = Object.fromEntries(Array.from({ length: limits.customFields }, (_, n) => [`k${n}`, value]))
  for (let n = 0; n < 4; n++)
    savePerson(fixture, { ...newPerson(fixture.people.newId(fixture.meta()), 'api', 1_000), customFields })
  const { people, next } = fixture.read(fixture.people.queries.scan, { ...agentRef, filter: {}, limit: 50 })
  t.equal(people.length, Math.ceil(limits.charsPerScan / (limits.customFields * value.length)))
  t.ok(next)
  t.equal(listIds(fixture).length, 4)
})

t.test('People of one import are found by its name', async (t) => {
  const fixture = createPeopleFixture()
  const row = (email: string) => ({
    line: 2,
    row: { indexKeys: [{ kind: 'email' as const, value: email }], change: { email } },
  })
  const { importRows } = fixture.people.commands
  const rows = [row('a@example.com'), row('b@example.com')]
  fixture.decide(importRows, { ...agentRef, importBatchId: 'imp_1', rows })
  fixture.decide(importRows, { ...agentRef, importBatchId: 'imp_2', rows: rows.slice(1) })
  const matching = (id: string) =>
    fixture.people.scan(fixture.tx, agentRef, importedBy(id), undefined, 9).people.map(({ email }) => email)
  t.same(matching('imp_1').toSorted(), ['a@example.com', 'b@example.com'], 'whichever import reads them in again')
  t.same(matching('imp_2'), ['b@example.com'])
  for (let n = 3; n < 3 + limits.importBatches; n++) {
    fixture.decide(importRows, { ...agentRef, importBatchId: `imp_${n}`, rows: rows.slice(1) })
  }
  t.same(matching('imp_1'), ['a@example.com'], 'a bounded number of imports is kept of a person')
  t.same(matching('imp_3'), ['b@example.com'])
})

t.test('An unknown person is created once, by their first inbound item', async (t) => {
  const fixture = createPeopleFixture()
  const { identityEvent: recordIdentity } = fixture.people.commands
  t.equal(fixture.decide(recordIdentity, { ...agentRef, ...seenEvent }), true)
  t.equal(
    fixture.decide(recordIdentity, { ...agentRef, ...seenEvent, at: 2_000 }),
    false,
    'less than a minute later no write happens',
  )
  const person = fixture.people.byAsid(fixture.tx, agentRef, 'usr_1')
  t.match(person, {
    source: 'conversation',
    status: 'new',
    identities: [{ address: '+14155550100', lastSeenAt: 1_000 }],
  })
  t.same(listIds(fixture), [person?.id])
  fixture.incarnation = undefined
  t.equal(
    fixture.decide(recordIdentity, { ...agentRef, ...seenEvent, at: 9e9 }),
    false,
    'a deleted agent gets no person',
  )
})

t.test('The org gets events about opt-outs and opt-ins, without the address', async (t) => {
  const fixture = createPeopleFixture()
  const { identityEvent: recordIdentity } = fixture.people.commands
  fixture.decide(recordIdentity, { ...agentRef, ...seenEvent, kind: 'optedOut', at: 5_000 })
  fixture.decide(recordIdentity, { ...agentRef, ...seenEvent, kind: 'optedIn', at: 4_000 })
  const { id } = fixture.people.byAsid(fixture.tx, agentRef, 'usr_1')!
  t.strictSame(fixture.events, [
    {
      type: 'person.opted_out',
      ...agentRef,
      data: { personId: id, asid: 'usr_1', channel: 'sms', at: new Date(5_000).toISOString() },
    },
  ])
  fixture.decide(recordIdentity, { ...agentRef, ...seenEvent, kind: 'optedIn', at: 6_000 })
  t.match(fixture.events[1], { type: 'person.opted_in' })
  t.notMatch(JSON.stringify(fixture.events), '4155550100')
})

t.test('A deleted person who writes again is a new one; the conversation keeps the opt-out', async (t) => {
  const fixture = createPeopleFixture()
  const { identityEvent: recordIdentity, remove } = fixture.people.commands
  fixture.decide(recordIdentity, { ...agentRef, ...seenEvent, kind: 'optedOut' })
  const { id } = fixture.people.byAsid(fixture.tx, agentRef, 'usr_1')!
  fixture.decide(remove, { ...agentRef, personId: id })
  t.equal(fixture.people.byAsid(fixture.tx, agentRef, 'usr_1'), undefined)
  t.equal(fixture.people.byId(fixture.tx, agentRef, id), undefined)
  fixture.decide(recordIdentity, { ...agentRef, ...seenEvent, at: 2_000 })
  const reloaded = fixture.people.byAsid(fixture.tx, agentRef, 'usr_1')!
  t.not(reloaded.id, id)
  t.equal(reloaded.identities[0]?.asid, 'usr_1', 'the same conversation, whose own STOP still applies')
})

t.test('No two people have the same identity', async (t) => {
  const fixture = createPeopleFixture()
  fixture.decide(fixture.people.commands.identityEvent, { ...agentRef, ...seenEvent })
  const { identities } = fixture.people.byAsid(fixture.tx, agentRef, 'usr_1')!
  t.throws(() => savePerson(fixture, { ...newPerson('pr_9', 'api', 1), identities }), /held by another/)
})

t.test(
  'A merge moves identities, journal, appointments and tags, and the old id resolves to the survivor',
  async (t) => {
    const fixture = createPeopleFixture()
    const { create, identityEvent: recordIdentity, merge, note } = fixture.people.commands
    const { people } = fixture
    const { queries } = people
    const survivor = fixture.decide(create, { ...agentRef, change: { firstName: 'Ann', tags: ['a'] } })
    fixture.decide(recordIdentity, { ...agentRef, ...seenEvent, kind: 'optedOut' })
    const removed = people.byAsid(fixture.tx, agentRef, 'usr_1')!
    fixture.decide(note, { ...agentRef, personId: removed.id, author: 'agent', text: 'first' }, 1)
    fixture.decide(note, { ...agentRef, personId: survivor.id, author: 'operator', text: 'second' }, 2)
    fixture.decide(note, { ...agentRef, personId: removed.id, author: 'agent', text: 'third' }, 3)
    const appointment = {
      startUtc: 5,
      durationMinutes: 30,
      prospectTimezone: 'UTC',
      status: 'cancelled' as const,
      history: [],
    }
    people.saveAppointment(fixture.tx, agentRef, removed.id, { id: 'ap_1', ...appointment })
    people.saveAppointment(fixture.tx, agentRef, survivor.id, { id: 'ap_2', ...appointment })

    const merged = fixture.decide(merge, { ...agentRef, personId: survivor.id, from: removed.id })
    t.match(merged, {
      id: survivor.id,
      firstName: 'Ann',
      tags: ['a'],
      identities: [{ asid: 'usr_1', optedOutAt: 1_000 }],
    })
    t.equal(people.byAsid(fixture.tx, agentRef, 'usr_1')?.id, survivor.id)
    t.equal(people.byId(fixture.tx, agentRef, removed.id)?.id, survivor.id)
    t.same(listIds(fixture), [survivor.id])
    const { journal } = fixture.read(queries.read, { ...agentRef, personId: survivor.id })
    t.same(
      journal.map(({ text }) => text),
      ['third', 'second', 'first'],
    )
    t.same(
      fixture.read(queries.appointments, { ...agentRef, personId: removed.id }).map(({ id }) => id),
      ['ap_2', 'ap_1'],
      'newest first, cancelled included',
    )
    people.note(fixture.tx, agentRef, removed.id, 'fourth', fixture.meta())
    t.equal(fixture.read(queries.read, { ...agentRef, personId: survivor.id }).journal[0]?.text, 'fourth')

    const third = fixture.decide(create, { ...agentRef, change: {} })
    fixture.decide(merge, { ...agentRef, personId: third.id, from: survivor.id })
    t.equal(people.byId(fixture.tx, agentRef, removed.id)?.id, third.id, 'and on')
    t.match(fixture.refusal(merge, { ...agentRef, personId: third.id, from: third.id }), {
      errors: [{ field: 'from' }],
    })
    t.match(fixture.refusal(merge, { ...agentRef, personId: third.id, from: survivor.id }), {
      errors: [{ field: 'from' }],
    })
    t.match(fixture.refusal(merge, { ...agentRef, personId: 'pr_none', from: third.id }), {
      refused: 'resource.not_found',
    })
  },
)

t.test('A journal keeps its newest entries', async (t) => {
  const fixture = createPeopleFixture()
  const { create, note } = fixture.people.commands
  const { id: personId } = fixture.decide(create, { ...agentRef, change: {} })
  const many = limits.retainedJournalEntries + 5
  for (let n = 1; n <= many; n++) fixture.decide(note, { ...agentRef, personId, author: 'agent', text: `${n}` }, n)
  const { journal } = fixture.read(fixture.people.queries.read, { ...agentRef, personId })
  t.equal(journal.length, limits.shownJournalEntries)
  t.same(journal[0], { at: many, author: 'agent', text: `${many}` })
  t.equal(storedRows(fixture).length, 1 + limits.retainedJournalEntries)
  fixture.decide(note, { ...agentRef, personId, author: 'agent', text: 'x'.repeat(limits.journalChars + 1) })
  t.equal(
    fixture.read(fixture.people.queries.read, { ...agentRef, personId }).journal[0]?.text.length,
    limits.journalChars,
  )
})

t.test('A listener gets every saved person in the same commit', async (t) => {
  const seen: [before: Person | undefined, after: Person][] = []
  const fixture = createPeopleFixture([(_tx, _agentRef, before, after) => void seen.push([before, after])])
  const { create, change } = fixture.people.commands
  const made = fixture.decide(create, { ...agentRef, change: { firstName: 'Ann' } })
  const next = fixture.decide(change, { ...agentRef, personId: made.id, change: { status: 'lost' } })
  fixture.decide(change, { ...agentRef, personId: made.id, change: { status: 'lost' } })
  t.same(seen, [
    [undefined, made],
    [made, next],
  ])
})

t.test(
  'People of a deleted agent cannot be read, even by an agent with its id, and are deleted in steps',
  async (t) => {
    const fixture = createPeopleFixture()
    const { create, purge: drop, note } = fixture.people.commands
    const made = limits.removedRowsPerStep / 2
    for (let n = 0; n < made; n++) {
      const { id } = fixture.decide(create, { ...agentRef, change: { phone: `+1415555${1000 + n}`, tags: ['x'] } }, n)
      if (n === 0) fixture.decide(note, { ...agentRef, personId: id, author: 'agent', text: 'Hello' })
    }
    const rows = storedRows(fixture).length
    t.ok(rows > limits.removedRowsPerStep)
    fixture.agents.removed(fixture.tx, agentRef)
    fixture.incarnation = 2
    t.same(listIds(fixture), [])
    const next = fixture.decide(create, { ...agentRef, change: { phone: '+14155551000' } })
    t.same(listIds(fixture, { q: '+14155551000' }), [next.id])
    let steps = 0
    for (let timer = [...fixture.timers.values()][0]; timer; timer = [...fixture.timers.values()][0]) {
      fixture.timers.clear()
      t.equal(timer.command, drop.name)
      t.ok(fixture.decide(drop, timer.input as never) <= limits.removedRowsPerStep)
      steps++
    }
    t.equal(steps, Math.floor(rows / limits.removedRowsPerStep) + 1)
    t.equal(
      storedRows(fixture).length,
      3,
      'the new agent keeps its own: the person, the mark of the phone, and the number',
    )
  },
)

t.test('A person is found by number in agents created before the table of numbers and after it', async (t) => {
  const crowd = fc.uniqueArray(anyPerson, { selector: ({ id }) => id, maxLength: 8 })
  fc.assert(
    fc.property(crowd, fc.array(fc.nat(7), { maxLength: 8 }), (people, removed) => {
      const [before, since] = [createPeopleFixture(), createPeopleFixture()]
      since.agents.created(since.tx, agentRef, since.meta())
      const addresses = people.flatMap(({ phone, identities }) => [phone, ...identities.map(({ address }) => address)])
      for (const fixture of [before, since]) {
        for (const person of people) savePerson(fixture, person)
        for (const nth of removed)
          if (people[nth]) fixture.people.remove(fixture.tx, agentRef, people[nth]!.id, fixture.meta())
      }
      for (const address of addresses) {
        const about = { channel: 'sms', address: address ?? '' } as const
        const [matching, known] = [since, before].map(
          (fixture) => fixture.people.byNumber(fixture.tx, agentRef, about)?.id,
        )
        t.equal(matching, known)
      }
    }),
    { numRuns: 300 },
  )
})

t.test('A number is stored for as long as a person has it', async (t) => {
  const fixture = createPeopleFixture()
  const { create, change } = fixture.people.commands
  const numbers = () => [...fixture.tx.range(numberTable)].map(({ key }) => key[3])
  const [one, other] = [1, 2].map(() => fixture.decide(create, { ...agentRef, change: { phone: '+14155550100' } }))
  t.same(numbers(), ['+14155550100'])
  fixture.people.remove(fixture.tx, agentRef, one!.id, fixture.meta())
  t.same(numbers(), ['+14155550100'])
  fixture.decide(change, { ...agentRef, personId: other!.id, change: { phone: '+14155550101' } })
  t.same(numbers(), ['+14155550101'])
  fixture.people.remove(fixture.tx, agentRef, other!.id, fixture.meta())
  t.same(numbers(), [])
})

t.test('Sandbox people are not shown, changed, merged or deleted as people', async (t) => {
  const fixture = createPeopleFixture()
  const { change, create, merge, remove } = fixture.people.commands
  const real = fixture.decide(create, { ...agentRef, change: {} })
  const { id: personId } = savePerson(fixture, { ...newPerson('pr_s', 'persona', 1), sandbox: true })
  t.ok(fixture.people.byId(fixture.tx, agentRef, personId), 'the area itself can read them')
  t.match(fixture.refusal(change, { ...agentRef, personId, change: {} }), { refused: 'resource.not_found' })
  t.match(fixture.refusal(remove, { ...agentRef, personId }), { refused: 'resource.not_found' })
  t.match(fixture.refusal(merge, { ...agentRef, personId: real.id, from: personId }), { refused: 'request.invalid' })
  t.throws(() => fixture.read(fixture.people.queries.read, { ...agentRef, personId }), /not_found/)
})
