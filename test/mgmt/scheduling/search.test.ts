/** Decision 21: free times over what is booked and what calendars say. */
import t from 'tap'
import { day } from '../../../core/durations.js'
import { scheduling as limits } from '../../../core/limits/index.js'
import { reasons } from '../../../core/scheduling/request.js'
import { eventually } from '../../contract/shards/fixture.js'
import { openSchedulingFixture, startOfTest } from './fixture.js'

const representatives = [
  { id: 'ann', name: 'Ann' },
  { id: 'bob', name: 'Bob' },
]
const today = { from: '2026-06-15', to: '2026-06-15' }

t.test('Decision 21: what is offered can be booked, and is not offered again', async (t) => {
  const fixture = await openSchedulingFixture(t, { scheduling: { representatives } })
  for (let round = 0; round < 8; round++) {
    const [slot] = await fixture.slots('p1', { ...today, partOfDay: 'morning' })
    const { start, representativeId } = slot!
    await fixture.call('book', `p${round}`, { start, representativeId })
    const later = await fixture.slots('p1', today)
    t.notOk(later.some(({ id }) => id === slot!.id))
  }
  await fixture.call('cancel', 'p0', {})
  t.equal((await fixture.slots('p1', today))[0]?.start, '2026-06-15T09:00:00+00:00', 'a cancelled time is free again')
})

t.test('Decision 21: a representative who was asked for, or is assigned, is the only one offered', async (t) => {
  const fixture = await openSchedulingFixture(t, { scheduling: { representatives } })
  const namesOf = async (name: string, input: object) => [
    ...new Set((await fixture.slots(name, input)).map((slot) => slot.representativeName)),
  ]
  t.same(await namesOf('p1', { representativeId: 'bob' }), ['Bob'])
  await fixture.enter('p2', { assignedRepresentativeId: 'bob' })
  t.same(await namesOf('p2', {}), ['Bob'])
  t.same(await fixture.find('p1', { representativeId: 'eve' }), { state: 'refused', reason: reasons.noRepresentative })
  t.same(await fixture.find('p1', { from: 'tomorrow' }), { state: 'refused', reason: reasons.day })
})

t.test('Decision 21: busy times of a calendar are not offered', async (t) => {
  const fixture = await openSchedulingFixture(t, { scheduling: { representatives } })
  const busy = [{ from: startOfTest, to: startOfTest + day }]
  fixture.busy.set('ann', busy)
  t.same([...new Set((await fixture.slots('p1', today)).map(({ representativeId }) => representativeId))], ['bob'])
  fixture.busy.set('bob', busy)
  t.same(await fixture.slots('p1', today), [])
  fixture.sends.document = { ...fixture.sends.document, toolBindings: [] }
  t.equal((await fixture.slots('p1', today)).length, limits.offered, 'an agent without a calendar has no busy times')
})

t.test('R46: a calendar that does not work, or never answers, hides no free time', async (t) => {
  const fixture = await openSchedulingFixture(t)
  for (const times of [undefined, new Error('revoked')]) {
    fixture.busy.set('', times)
    t.equal((await fixture.slots('p1', today)).length, limits.offered)
  }
  fixture.holdsCalendar = true
  const search = fixture.slots('p1', today)
  let isFound = false
  void search.then(() => {
    isFound = true
  })
  await eventually(fixture.sends.fixture, () => isFound, 1_000)
  t.equal((await search).length, limits.offered)
})

t.test('R46: agents without mail and calendars have free times and appointments', async (t) => {
  const fixture = await openSchedulingFixture(t, {
    isAlone: true,
    scheduling: { notificationRecipients: ['desk@example.com'] },
  })
  const [slot] = await fixture.slots('p1')
  await fixture.call('book', 'p1', { start: slot!.start })
  t.notOk(fixture.sends.rows().some((row) => row.includes('schedulingMail') || row.includes('schedulingCalendar')))
})
