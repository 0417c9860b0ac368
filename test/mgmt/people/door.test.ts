/** People in their shard: who is found how, what lists look through, and what happens to what leads to somebody. */
import fc from 'fast-check'
import t from 'tap'
import { person as limits } from '../../../core/limits.js'
import { newPerson } from '../../../core/people/change.js'
import { compileFilter, type PersonFilter, readInBy } from '../../../core/people/filter.js'
import type { IdentityNews, Person } from '../../../core/people/person.js'
import type { People } from '../../../mgmt/people/people.js'
import { numberTable, peopleTables } from '../../../mgmt/people/store.js'
import { somebody, someFilter, startAt } from '../../core/people/arbitrary.js'
import { openShelf, place, type Shelf } from './shelf.js'

const news: IdentityNews = { asid: 'usr_1', channel: 'sms', address: '+14155550100', at: 1_000, kind: 'seen' }

/** What sends need of people is what people offer. */
const offered = (shelf: Shelf): People => shelf.people

function keep(shelf: Shelf, person: Person, before?: Person): Person {
  offered(shelf).keep(shelf.tx, place, before, person, shelf.told())
  return person
}

/** Everybody a list shows, however many looks it takes. */
function listed(shelf: Shelf, filter: PersonFilter = {}, limit = 50): string[] {
  const ids: string[] = []
  let after: string | undefined
  do {
    const looked = shelf.read(shelf.people.queries.look, { ...place, filter, limit, ...(after && { after }) })
    ids.push(...looked.people.map(({ id }) => id))
    after = looked.next
  } while (after !== undefined)
  return ids
}

const rowsLeft = (shelf: Shelf) => peopleTables.flatMap((table) => [...shelf.tx.range(table)])

t.test('A list is everybody whom its filter lets through, newest first, sandbox people never', async (t) => {
  const crowd = fc.uniqueArray(somebody, { selector: ({ id }) => id, maxLength: 30 })
  fc.assert(
    fc.property(crowd, someFilter, fc.integer({ min: 1, max: 5 }), (people, filter, limit) => {
      const shelf = openShelf()
      for (const person of people) keep(shelf, person)
      const { matches } = compileFilter(filter as PersonFilter)
      const expected = people.filter((person) => !person.sandbox && matches(person)).map(({ id }) => id)
      t.same(listed(shelf, filter as PersonFilter, limit), expected.sort().reverse())
    }),
    { numRuns: 300 },
  )
})

t.test('What leads to somebody changes with them, and goes with them', async (t) => {
  const steps = fc.array(somebody, { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(steps, someFilter, (states, filter) => {
      const shelf = openShelf()
      let held: Person | undefined
      for (const { sandbox: _sandbox, ...state } of states) {
        held = keep(shelf, { ...state, id: states[0]!.id, createdAt: states[0]!.createdAt }, held)
      }
      const { matches } = compileFilter(filter as PersonFilter)
      t.same(listed(shelf, filter as PersonFilter), matches(held!) ? [held!.id] : [])
      shelf.decide(shelf.people.commands.remove, { ...place, personId: held!.id })
      t.same(rowsLeft(shelf), [])
    }),
    { numRuns: 300 },
  )
})

t.test('One look goes no further than its rows, and says where to go on', async (t) => {
  const shelf = openShelf()
  const count = limits.rowsPerLook + 10
  for (let n = 0; n < count; n++) {
    const id = shelf.people.newId(shelf.told(startAt + n))
    keep(shelf, { ...newPerson(id, n === 3 ? 'rare' : 'api', startAt + n) })
  }
  const look = { ...place, filter: { source: 'rare' }, limit: 10 }
  const first = shelf.read(shelf.people.queries.look, look)
  t.equal(first.people.length, 0)
  const second = shelf.read(shelf.people.queries.look, { ...look, after: first.next! })
  t.equal(second.people.length, 1)
  t.equal(second.next, undefined)
  t.equal(listed(shelf, {}, 200).length, count)
})

t.test('People with very much text make a short page', async (t) => {
  const shelf = openShelf()
  const value = 'x'.repeat(limits.customValueChars)
  const customFields = Object.fromEntries(Array.from({ length: limits.customFields }, (_, n) => [`k${n}`, value]))
  for (let n = 0; n < 4; n++)
    keep(shelf, { ...newPerson(shelf.people.newId(shelf.told()), 'api', 1_000), customFields })
  const { people, next } = shelf.read(shelf.people.queries.look, { ...place, filter: {}, limit: 50 })
  t.equal(people.length, Math.ceil(limits.charsPerLook / (limits.customFields * value.length)))
  t.ok(next)
  t.equal(listed(shelf).length, 4)
})

t.test('Everybody whom one import read in is found by its name', async (t) => {
  const shelf = openShelf()
  const row = (email: string) => ({
    line: 2,
    row: { marks: [{ kind: 'email' as const, value: email }], change: { email } },
  })
  const { importRows } = shelf.people.commands
  const rows = [row('a@example.com'), row('b@example.com')]
  shelf.decide(importRows, { ...place, importBatchId: 'imp_1', rows })
  shelf.decide(importRows, { ...place, importBatchId: 'imp_2', rows: rows.slice(1) })
  const found = (id: string) =>
    shelf.people.look(shelf.tx, place, readInBy(id), undefined, 9).people.map(({ email }) => email)
  t.same(found('imp_1').toSorted(), ['a@example.com', 'b@example.com'], 'whichever import reads them in again')
  t.same(found('imp_2'), ['b@example.com'])
  for (let n = 3; n < 3 + limits.importBatches; n++) {
    shelf.decide(importRows, { ...place, importBatchId: `imp_${n}`, rows: rows.slice(1) })
  }
  t.same(found('imp_1'), ['a@example.com'], 'a bounded number of imports is kept of a person')
  t.same(found('imp_3'), ['b@example.com'])
})

t.test('Somebody nobody holds is made by being heard of, once', async (t) => {
  const shelf = openShelf()
  const { heard } = shelf.people.commands
  t.equal(shelf.decide(heard, { ...place, ...news }), true)
  t.equal(shelf.decide(heard, { ...place, ...news, at: 2_000 }), false, 'less than a minute later nothing is written')
  const person = shelf.people.byAsid(shelf.tx, place, 'usr_1')
  t.match(person, {
    source: 'conversation',
    status: 'new',
    identities: [{ address: '+14155550100', lastSeenAt: 1_000 }],
  })
  t.same(listed(shelf), [person?.id])
  shelf.serial = undefined
  t.equal(shelf.decide(heard, { ...place, ...news, at: 9e9 }), false, 'an agent that is gone hears nothing')
})

t.test('The org is told who opted out and in, without the address', async (t) => {
  const shelf = openShelf()
  const { heard } = shelf.people.commands
  shelf.decide(heard, { ...place, ...news, kind: 'optedOut', at: 5_000 })
  shelf.decide(heard, { ...place, ...news, kind: 'optedIn', at: 4_000 })
  const { id } = shelf.people.byAsid(shelf.tx, place, 'usr_1')!
  t.strictSame(shelf.events, [
    {
      type: 'person.opted_out',
      ...place,
      data: { personId: id, asid: 'usr_1', channel: 'sms', at: new Date(5_000).toISOString() },
    },
  ])
  shelf.decide(heard, { ...place, ...news, kind: 'optedIn', at: 6_000 })
  t.match(shelf.events[1], { type: 'person.opted_in' })
  t.notMatch(JSON.stringify(shelf.events), '4155550100')
})

t.test(
  'Who is deleted and comes back is somebody new; the opt-out was a copy of what the conversation holds',
  async (t) => {
    const shelf = openShelf()
    const { heard, remove } = shelf.people.commands
    shelf.decide(heard, { ...place, ...news, kind: 'optedOut' })
    const { id } = shelf.people.byAsid(shelf.tx, place, 'usr_1')!
    shelf.decide(remove, { ...place, personId: id })
    t.equal(shelf.people.byAsid(shelf.tx, place, 'usr_1'), undefined)
    t.equal(shelf.people.byId(shelf.tx, place, id), undefined)
    shelf.decide(heard, { ...place, ...news, at: 2_000 })
    const again = shelf.people.byAsid(shelf.tx, place, 'usr_1')!
    t.not(again.id, id)
    t.equal(again.identities[0]?.asid, 'usr_1', 'the same conversation, whose own STOP still holds')
  },
)

t.test('No two people hold the same identity', async (t) => {
  const shelf = openShelf()
  shelf.decide(shelf.people.commands.heard, { ...place, ...news })
  const { identities } = shelf.people.byAsid(shelf.tx, place, 'usr_1')!
  t.throws(() => keep(shelf, { ...newPerson('pr_9', 'api', 1), identities }), /held by another/)
})

t.test(
  'Two who are one become one: identities, journal, appointments and tags move, and the old id leads on',
  async (t) => {
    const shelf = openShelf()
    const { create, heard, merge, note } = shelf.people.commands
    const { people } = shelf
    const { queries } = people
    const stays = shelf.decide(create, { ...place, change: { firstName: 'Ann', tags: ['a'] } })
    shelf.decide(heard, { ...place, ...news, kind: 'optedOut' })
    const goes = people.byAsid(shelf.tx, place, 'usr_1')!
    shelf.decide(note, { ...place, personId: goes.id, author: 'agent', text: 'first' }, 1)
    shelf.decide(note, { ...place, personId: stays.id, author: 'operator', text: 'second' }, 2)
    shelf.decide(note, { ...place, personId: goes.id, author: 'agent', text: 'third' }, 3)
    const appointment = {
      startUtc: 5,
      durationMinutes: 30,
      prospectTimezone: 'UTC',
      status: 'cancelled' as const,
      history: [],
    }
    people.keepAppointment(shelf.tx, place, goes.id, { id: 'ap_1', ...appointment })
    people.keepAppointment(shelf.tx, place, stays.id, { id: 'ap_2', ...appointment })

    const merged = shelf.decide(merge, { ...place, personId: stays.id, from: goes.id })
    t.match(merged, { id: stays.id, firstName: 'Ann', tags: ['a'], identities: [{ asid: 'usr_1', optedOutAt: 1_000 }] })
    t.equal(people.byAsid(shelf.tx, place, 'usr_1')?.id, stays.id)
    t.equal(people.byId(shelf.tx, place, goes.id)?.id, stays.id)
    t.same(listed(shelf), [stays.id])
    const { journal } = shelf.read(queries.read, { ...place, personId: stays.id })
    t.same(
      journal.map(({ text }) => text),
      ['third', 'second', 'first'],
    )
    t.same(
      shelf.read(queries.appointments, { ...place, personId: goes.id }).map(({ id }) => id),
      ['ap_2', 'ap_1'],
      'newest first, cancelled included',
    )
    people.note(shelf.tx, place, goes.id, 'fourth', shelf.told())
    t.equal(shelf.read(queries.read, { ...place, personId: stays.id }).journal[0]?.text, 'fourth')

    const third = shelf.decide(create, { ...place, change: {} })
    shelf.decide(merge, { ...place, personId: third.id, from: stays.id })
    t.equal(people.byId(shelf.tx, place, goes.id)?.id, third.id, 'and on')
    t.match(shelf.refusal(merge, { ...place, personId: third.id, from: third.id }), { errors: [{ field: 'from' }] })
    t.match(shelf.refusal(merge, { ...place, personId: third.id, from: stays.id }), { errors: [{ field: 'from' }] })
    t.match(shelf.refusal(merge, { ...place, personId: 'pr_none', from: third.id }), { refused: 'resource.not_found' })
  },
)

t.test('A journal keeps its newest entries', async (t) => {
  const shelf = openShelf()
  const { create, note } = shelf.people.commands
  const { id: personId } = shelf.decide(create, { ...place, change: {} })
  const many = limits.journalKept + 5
  for (let n = 1; n <= many; n++) shelf.decide(note, { ...place, personId, author: 'agent', text: `${n}` }, n)
  const { journal } = shelf.read(shelf.people.queries.read, { ...place, personId })
  t.equal(journal.length, limits.journalShown)
  t.same(journal[0], { at: many, author: 'agent', text: `${many}` })
  t.equal(rowsLeft(shelf).length, 1 + limits.journalKept)
  shelf.decide(note, { ...place, personId, author: 'agent', text: 'x'.repeat(limits.journalChars + 1) })
  t.equal(shelf.read(shelf.people.queries.read, { ...place, personId }).journal[0]?.text.length, limits.journalChars)
})

t.test('Whoever listens is told of everybody who is kept, in the same commit', async (t) => {
  const seen: [before: Person | undefined, after: Person][] = []
  const shelf = openShelf([(_tx, _place, before, after) => void seen.push([before, after])])
  const { create, change } = shelf.people.commands
  const made = shelf.decide(create, { ...place, change: { firstName: 'Ann' } })
  const next = shelf.decide(change, { ...place, personId: made.id, change: { status: 'lost' } })
  shelf.decide(change, { ...place, personId: made.id, change: { status: 'lost' } })
  t.same(seen, [
    [undefined, made],
    [made, next],
  ])
})

t.test(
  'People of an agent that is gone are read by nobody, not by an agent of the same id either, and go step by step',
  async (t) => {
    const shelf = openShelf()
    const { create, drop, note } = shelf.people.commands
    const made = limits.droppedRowsPerStep / 2
    for (let n = 0; n < made; n++) {
      const { id } = shelf.decide(create, { ...place, change: { phone: `+1415555${1000 + n}`, tags: ['x'] } }, n)
      if (n === 0) shelf.decide(note, { ...place, personId: id, author: 'agent', text: 'Hello' })
    }
    const rows = rowsLeft(shelf).length
    t.ok(rows > limits.droppedRowsPerStep)
    shelf.agents.removed(shelf.tx, place)
    shelf.serial = 2
    t.same(listed(shelf), [])
    const next = shelf.decide(create, { ...place, change: { phone: '+14155551000' } })
    t.same(listed(shelf, { q: '+14155551000' }), [next.id])
    let steps = 0
    for (let timer = [...shelf.timers.values()][0]; timer; timer = [...shelf.timers.values()][0]) {
      shelf.timers.clear()
      t.equal(timer.command, drop.name)
      t.ok(shelf.decide(drop, timer.input as never) <= limits.droppedRowsPerStep)
      steps++
    }
    t.equal(steps, Math.floor(rows / limits.droppedRowsPerStep) + 1)
    t.equal(rowsLeft(shelf).length, 3, 'the new agent keeps its own: the person, the mark of the phone, and the number')
  },
)

t.test('A person is found by number in agents created before the table of numbers and after it', async (t) => {
  const crowd = fc.uniqueArray(somebody, { selector: ({ id }) => id, maxLength: 8 })
  fc.assert(
    fc.property(crowd, fc.array(fc.nat(7), { maxLength: 8 }), (people, goes) => {
      const [before, since] = [openShelf(), openShelf()]
      since.agents.created(since.tx, place, since.told())
      const addresses = people.flatMap(({ phone, identities }) => [phone, ...identities.map(({ address }) => address)])
      for (const shelf of [before, since]) {
        for (const person of people) keep(shelf, person)
        for (const nth of goes) if (people[nth]) shelf.people.drop(shelf.tx, place, people[nth]!.id, shelf.told())
      }
      for (const address of addresses) {
        const about = { channel: 'sms', address: address ?? '' } as const
        const [found, known] = [since, before].map((shelf) => shelf.people.byNumber(shelf.tx, place, about)?.id)
        t.equal(found, known)
      }
    }),
    { numRuns: 300 },
  )
})

t.test('A number is stored as long as a person has it', async (t) => {
  const shelf = openShelf()
  const { create, change } = shelf.people.commands
  const numbers = () => [...shelf.tx.range(numberTable)].map(({ key }) => key[3])
  const [one, other] = [1, 2].map(() => shelf.decide(create, { ...place, change: { phone: '+14155550100' } }))
  t.same(numbers(), ['+14155550100'])
  shelf.people.drop(shelf.tx, place, one!.id, shelf.told())
  t.same(numbers(), ['+14155550100'])
  shelf.decide(change, { ...place, personId: other!.id, change: { phone: '+14155550101' } })
  t.same(numbers(), ['+14155550101'])
  shelf.people.drop(shelf.tx, place, other!.id, shelf.told())
  t.same(numbers(), [])
})

t.test('People who are only rehearsed are not shown, changed, merged or deleted as people', async (t) => {
  const shelf = openShelf()
  const { change, create, merge, remove } = shelf.people.commands
  const real = shelf.decide(create, { ...place, change: {} })
  const { id: personId } = keep(shelf, { ...newPerson('pr_s', 'persona', 1), sandbox: true })
  t.ok(shelf.people.byId(shelf.tx, place, personId), 'the house knows them')
  t.match(shelf.refusal(change, { ...place, personId, change: {} }), { refused: 'resource.not_found' })
  t.match(shelf.refusal(remove, { ...place, personId }), { refused: 'resource.not_found' })
  t.match(shelf.refusal(merge, { ...place, personId: real.id, from: personId }), { refused: 'request.invalid' })
  t.throws(() => shelf.read(shelf.people.queries.read, { ...place, personId }), /not_found/)
})
