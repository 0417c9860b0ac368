/** The owner of a number, after any people are entered, changed, merged or deleted, and after any inbound message. */
import fc from 'fast-check'
import t from 'tap'
import type { PersonChange } from '../../../core/people/change.js'
import type { IndexKey } from '../../../core/people/indexes.js'
import type { Person, PersonIdentity } from '../../../core/people/person.js'
import { agentRef, createPeopleFixture, type PeopleFixture } from './fixture.js'

const numbers = ['+14155550100', '+14155550101', '+14155550102']
const someNumber = fc.constantFrom(...numbers)
const someone = fc.nat(3)

type Step =
  | { readonly does: 'enter'; readonly phone: string | undefined }
  | { readonly does: 'change'; readonly who: number; readonly phone: string | null }
  | { readonly does: 'remove'; readonly who: number }
  | { readonly does: 'import'; readonly by: number | 'phone'; readonly phone: string }
  | { readonly does: 'merge'; readonly who: number; readonly from: number }
  | { readonly does: 'write'; readonly from: string; readonly channel: 'rcs' | 'sms' }

const entering: fc.Arbitrary<Step>[] = [
  fc.record({ does: fc.constant('enter' as const), phone: fc.option(someNumber, { nil: undefined }) }),
  fc.record({ does: fc.constant('change' as const), who: someone, phone: fc.option(someNumber, { nil: null }) }),
  fc.record({ does: fc.constant('remove' as const), who: someone }),
  fc.record({
    does: fc.constant('import' as const),
    by: fc.oneof(someone, fc.constant('phone' as const)),
    phone: someNumber,
  }),
]
const besides: fc.Arbitrary<Step>[] = [
  fc.record({ does: fc.constant('merge' as const), who: someone, from: someone }),
  fc.record({ does: fc.constant('write' as const), from: someNumber, channel: fc.constantFrom('rcs', 'sms') }),
]

const identityAt = (phone: string, channel: 'rcs' | 'sms' = 'rcs'): PersonIdentity => ({
  asid: `usr_${channel}_${phone}`,
  channel,
  address: phone,
})

/** All people, the oldest record first. */
function everybody(fixture: PeopleFixture): readonly Person[] {
  const { people } = fixture.read(fixture.people.queries.scan, { ...agentRef, filter: {}, limit: 200 })
  return people.toReversed()
}

/** A number is asked about before it is entered, as the routes do. */
function applyStep(fixture: PeopleFixture, step: Step, nth: number): void {
  const { create, change, remove, merge, identityEvent: recordIdentity, importRows } = fixture.people.commands
  const all = everybody(fixture)
  const idOf = (who: number) => all[who % all.length]?.id ?? 'pr_nobody'
  const at = 10_000 * (nth + 1)
  const phoneFields = (phone: string | null | undefined): { change: PersonChange; identity?: PersonIdentity } =>
    phone ? { change: { phone }, identity: identityAt(phone) } : { change: phone === null ? { phone } : {} }
  if (step.does === 'enter') {
    const entry = phoneFields(step.phone)
    fixture.decide(create, { ...agentRef, ...entry, change: { ...entry.change, firstName: 'Ann' } }, at)
  } else if (step.does === 'write') {
    const from = identityAt(step.from, step.channel)
    fixture.decide(recordIdentity, { ...agentRef, ...from, at, kind: 'seen' }, at)
  } else if (step.does === 'import') {
    const indexKeys: IndexKey[] = (['phone', 'address'] as const).map((kind) => ({ kind, value: step.phone }))
    const row = { indexKeys, change: { phone: step.phone, firstName: 'Ann' } }
    const idField = step.by === 'phone' ? {} : { id: idOf(step.by) }
    const rows = [{ line: 2, row: { ...row, ...idField }, identity: identityAt(step.phone) }]
    fixture.decide(importRows, { ...agentRef, importBatchId: `imp_${nth}`, rows }, at)
  } else if (all.length === 0) {
    return
  } else if (step.does === 'change') {
    fixture.decide(change, { ...agentRef, personId: idOf(step.who), ...phoneFields(step.phone) }, at)
  } else if (step.does === 'remove') {
    fixture.decide(remove, { ...agentRef, personId: idOf(step.who) }, at)
  } else if (idOf(step.who) !== idOf(step.from)) {
    fixture.decide(merge, { ...agentRef, personId: idOf(step.who), from: idOf(step.from) }, at)
  }
}

function holdersOf(people: readonly Person[], phone: string, channel: 'rcs' | 'sms' = 'rcs'): readonly Person[] {
  const { asid } = identityAt(phone, channel)
  return people.filter(({ identities }) => identities.some((each) => each.asid === asid))
}

/** Checks the holders on rcs of each number that a person has as phone, after every step. */
function forEachNumber(
  steps: readonly Step[],
  checkHolders: (fixture: PeopleFixture, number: string, holders: readonly Person[]) => void,
) {
  const fixture = createPeopleFixture()
  fixture.agents.created(fixture.tx, agentRef, fixture.meta())
  for (const [nth, step] of steps.entries()) {
    applyStep(fixture, step, nth)
    const people = everybody(fixture)
    const asids = people.flatMap(({ identities }) => identities.map(({ asid }) => asid))
    if (new Set(asids).size !== asids.length) throw new Error(`an identity is held twice: ${asids.join(', ')}`)
    for (const number of numbers) {
      if (people.some(({ phone }) => phone === number)) checkHolders(fixture, number, holdersOf(people, number))
    }
  }
}

t.test('A number stored as phone belongs to one person, who has it as phone', async (t) => {
  fc.assert(
    fc.property(fc.array(fc.oneof(...entering), { maxLength: 14 }), (steps) => {
      forEachNumber(steps, (_fixture, number, holders) => {
        t.match(holders, [{ phone: number }])
        t.equal(holders.length, 1)
      })
    }),
    { numRuns: 500 },
  )
})

t.test('Texts and merges do not take a number away from all people who have it as phone', async (t) => {
  fc.assert(
    fc.property(fc.array(fc.oneof(...entering, ...besides), { maxLength: 14 }), (steps) => {
      forEachNumber(steps, (fixture, number, holders) => {
        t.equal(holders.length, 1)
        const nameless = everybody(fixture).filter(({ firstName, phone }) => !firstName && !phone)
        t.same(holdersOf(nameless, number, 'rcs'), [])
        t.same(holdersOf(nameless, number, 'sms'), [])
      })
    }),
    { numRuns: 500 },
  )
})

t.test('A number passes to the person who has had it as phone longest, with its opt-out', async (t) => {
  const [number, other] = numbers as [string, string]
  const fixture = createPeopleFixture()
  const { create, change, remove, merge, identityEvent: recordIdentity } = fixture.people.commands
  const entry = (phone: string) => ({ ...agentRef, change: { firstName: 'Ann', phone }, identity: identityAt(phone) })
  const [ann, bo, cy, di] = [1, 2, 3, 4].map((at) => fixture.decide(create, entry(number), at)) as Person[]
  fixture.decide(recordIdentity, { ...agentRef, ...identityAt(number), at: 9, kind: 'optedOut' })
  fixture.decide(recordIdentity, { ...agentRef, ...identityAt(number, 'sms'), at: 9, kind: 'seen' })
  const asidsOf = (of: Person) => fixture.people.byId(fixture.tx, agentRef, of.id)!.identities.map(({ asid }) => asid)
  const both = ['usr_rcs_+14155550100', 'usr_sms_+14155550100']
  t.same(
    [ann, bo, cy, di].map((each) => asidsOf(each!)),
    [both, [], [], []],
  )
  fixture.decide(change, { ...entry(other), personId: ann!.id })
  t.same(
    [ann, bo, cy, di].map((each) => asidsOf(each!)),
    [['usr_rcs_+14155550101'], both, [], []],
    'after a change',
  )
  t.match(fixture.people.byAsid(fixture.tx, agentRef, both[0]!), { id: bo!.id, identities: [{ optedOutAt: 9 }, {}] })
  fixture.decide(remove, { ...agentRef, personId: bo!.id })
  t.same(
    [cy, di].map((each) => asidsOf(each!)),
    [both, []],
    'after a removal',
  )
  fixture.decide(merge, { ...agentRef, personId: ann!.id, from: cy!.id })
  t.same(
    [ann, di].map((each) => asidsOf(each!)),
    [['usr_rcs_+14155550101'], both],
    'after a merge',
  )
  fixture.decide(merge, { ...agentRef, personId: ann!.id, from: di!.id })
  t.same(asidsOf(ann!), ['usr_rcs_+14155550101', ...both], 'a number of no other person moves along')
})
