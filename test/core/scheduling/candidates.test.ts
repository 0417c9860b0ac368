/** Decision 21: who is considered for an appointment, and who is chosen. */
import fc from 'fast-check'
import t from 'tap'
import { hour, minute } from '../../../core/durations.js'
import { scheduling as limits } from '../../../core/limits/index.js'
import type { Person } from '../../../core/people/person.js'
import { type Candidate, candidatesFor, chooseFree } from '../../../core/scheduling/candidates.js'
import type { BookingRules, Representative } from '../../../core/scheduling/windows.js'
import { everyDay, schedulingOf } from './arbitraries.js'

const representativesOf = (count: number): Representative[] =>
  Array.from({ length: count }, (_, index) => ({ id: `r${index}`, name: `R${index}` }))
const assignedTo = (assignedRepresentativeId: string) => ({ assignedRepresentativeId }) as Person
const asid = 'usr_1'

t.test(
  'Decision 21: the one who is asked for is considered, else the one assigned, else all in their order',
  async (t) => {
    const scheduling = schedulingOf({ representatives: representativesOf(3) })
    const idsOf = (request: object) => candidatesFor(scheduling, { asid, ...request })?.map((each) => each?.id)
    t.same(idsOf({ representativeId: 'r2', person: assignedTo('r1') }), ['r2'])
    t.same(idsOf({ person: assignedTo('r1') }), ['r1'])
    t.same(idsOf({ person: assignedTo('gone') }), ['r0', 'r1', 'r2'])
    t.same(idsOf({}), ['r0', 'r1', 'r2'])
    t.equal(idsOf({ representativeId: 'gone' }), undefined)
    t.same(candidatesFor(schedulingOf(), { asid }), [undefined], 'the agent itself where there is none')
  },
)

t.test(
  'Of very many each person’s search considers as many as it may, and all persons’ together all of them',
  async (t) => {
    const scheduling = schedulingOf({ representatives: representativesOf(200) })
    const considered = new Set<string>()
    for (let person = 0; person < 200; person++) {
      const ids = candidatesFor(scheduling, { asid: `usr_${person}` })!.map((each) => each!.id)
      t.equal(new Set(ids).size, limits.representativesPerSearch)
      t.same(
        candidatesFor(scheduling, { asid: `usr_${person}` })!.map((each) => each!.id),
        ids,
      )
      for (const id of ids) considered.add(id)
    }
    t.equal(considered.size, 200)
  },
)

const monday = Date.parse('2026-06-15T00:00:00Z')
const rules: BookingRules = {
  scheduling: schedulingOf({ availableHours: everyDay('09:00', '17:00') }),
  agentZone: 'UTC',
  personZone: 'UTC',
  now: monday,
}
const at = (startHour: number, minutes = 60) => ({
  from: monday + startHour * hour,
  to: monday + startHour * hour + minutes * minute,
})
const named = (id: string, ...bookings: Candidate['bookings'][number][]): Candidate => ({
  representative: { id, name: id },
  bookings,
})
const idOf = (chosen: ReturnType<typeof chooseFree>) =>
  typeof chosen === 'string' ? chosen : chosen.representative?.id

t.test(
  'Decision 21: a time is closed when it is in nobody’s hours, and taken when all who work then are busy',
  async (t) => {
    t.equal(idOf(chooseFree(rules, [named('ann')], at(8))), 'closed')
    t.equal(idOf(chooseFree(rules, [named('ann')], at(16.5))), 'closed', 'also when it ends too late')
    t.equal(idOf(chooseFree(rules, [named('ann', at(9))], at(9.5))), 'taken')
    t.equal(idOf(chooseFree(rules, [named('ann', at(9))], at(10))), 'ann', 'one right after another is free')
    t.equal(idOf(chooseFree(rules, [{ bookings: [], busy: [at(9)] }], at(9))), 'taken')
    t.equal(idOf(chooseFree(rules, [], at(9))), 'closed')
  },
)

t.test(
  'Decision 21: the preferred one is chosen when free, else the one with the fewest appointments that day',
  async (t) => {
    const [ann, bob] = [named('ann', at(9), at(10)), named('bob', at(9))]
    t.equal(idOf(chooseFree(rules, [ann, bob], at(12))), 'bob')
    t.equal(idOf(chooseFree(rules, [ann, bob], at(12), 'ann')), 'ann')
    t.equal(idOf(chooseFree(rules, [ann, bob], at(10), 'ann')), 'bob')
    t.equal(idOf(chooseFree(rules, [ann, bob], at(9), 'ann')), 'taken')
    t.equal(idOf(chooseFree(rules, [named('ann'), named('bob')], at(12))), 'ann', 'the first of equals')
  },
)

t.test('The chosen one is free', async (t) => {
  const taken = fc.array(
    fc.integer({ min: 9 * 4, max: 17 * 4 - 1 }).map((quarter) => at(quarter / 4, 15)),
    { maxLength: 12 },
  )
  const sorted = taken.map((all) => all.toSorted((one, other) => one.from - other.from))
  const time = fc.tuple(fc.integer({ min: 8 * 4, max: 17 * 4 }), fc.constantFrom(15, 30, 60))
  fc.assert(
    fc.property(fc.array(sorted, { minLength: 1, maxLength: 4 }), time, (all, [quarter, minutes]) => {
      const wanted = at(quarter / 4, minutes)
      const candidates = all.map((bookings, index) => named(`r${index}`, ...bookings))
      const chosen = chooseFree(rules, candidates, wanted)
      const isFree = ({ bookings }: Candidate) =>
        bookings.every(({ from, to }) => to <= wanted.from || from >= wanted.to)
      if (chosen === 'closed') t.ok(quarter < 36 || quarter * 15 + minutes > 17 * 60)
      else if (chosen === 'taken') t.notOk(candidates.some(isFree))
      else t.ok(isFree(chosen))
    }),
  )
})
