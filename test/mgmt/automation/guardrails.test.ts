/** The column of automated outreach in the table of guardrails, cell by cell, through rows, sends and time. */
import t from 'tap'
import { hour, minute } from '../../../core/durations.js'
import { eventually } from '../../contract/shards/house.js'
import { outreach } from '../outreach/house.js'
import { type Automation, openRules } from './house.js'

const marketing = (house: Automation) => {
  house.sends.document = { ...house.sends.document, outreach: [{ ...outreach, class: 'marketing' }] }
}
const asidOf = ({ identities }: { identities: readonly { asid: string }[] }) => identities[0]!.asid

t.test('Frequency cap: of two people who are merged, both of whose marketing waits, one message goes', async (t) => {
  const house = await openRules(t)
  marketing(house)
  await house.rule()
  const one = await house.person()
  const other = await house.person()
  for (const { id } of [one, other]) await house.reaches(id, 'queued', 1_000)
  await house.ask(house.sends.people.commands.merge, { personId: one.id, from: other.id })
  await house.sends.house.time.advance(2 * minute)
  await eventually(house.sends.house, () => house.sends.taken.length > 0, minute)
  await house.sends.house.time.advance(hour)
  t.equal(house.sends.taken.length, 1)
  const shown = new Set((await house.rows()).map(({ state, reason }) => `${state} ${reason ?? ''}`))
  t.same(shown, new Set(['sent ', 'skipped frequency_capped']))
})

t.test('Consent: only who granted it is sent to', async (t) => {
  const house = await openRules(t)
  await house.rule()
  for (const status of ['unknown', 'denied'] as const) {
    const person = await house.person({ consent: { status } })
    t.match(await house.reaches(person.id, 'skipped'), { reason: 'no_consent' })
  }
  t.equal(house.sends.taken.length, 0)
})

t.test('STOP: never sent, be it known when the row is due or only when it is handed over', async (t) => {
  const house = await openRules(t)
  await house.rule({ delayMinutes: 1 })
  const known = await house.person()
  house.sends.optedOut.add(asidOf(known))
  t.match(await house.reaches(known.id, 'skipped'), { reason: 'opted_out' })
  const between = await house.person()
  await house.reaches(between.id, 'queued', 1_000)
  house.sends.optedOut.add(asidOf(between))
  t.match(await house.reaches(between.id, 'skipped'), { reason: 'opted_out' })
  t.equal(house.sends.taken.length, 0)
})

t.test(
  'Safe hours: the row waits for them as a dated row, over midnight too, unless the rule ignores them',
  async (t) => {
    const house = await openRules(t)
    const start = house.sends.house.time.now()
    const opens = (new Date(start).getUTCHours() + 5) % 24
    await house.set({ safeHours: { startHour: opens, endHour: (opens + 18) % 24, timeZone: 'UTC' } })
    await house.rule()
    const person = await house.person()
    const waits = await house.reaches(person.id, 'waiting')
    t.equal(waits.reason, 'safe-hours')
    t.equal(new Date(waits.dueAt).getUTCHours(), opens)
    t.equal(new Date(waits.dueAt).getUTCMinutes(), 0)
    await house.ask(house.sends.automation.commands.change, {
      ruleId: 'welcome',
      change: { kind: 'patch', body: { ignoreSafeHours: true } },
    })
    const other = await house.person()
    await house.reaches(other.id, 'sent')
    t.equal((await house.row(person.id))?.state, 'waiting', 'one that has its date keeps it')
    await house.reaches(person.id, 'sent', 10 * minute)
    t.ok(house.sends.house.time.now() >= Date.parse(waits.dueAt))
  },
)

t.test(
  'Its own window counts beside safe hours, even for a rule that ignores those, up to the handing over',
  async (t) => {
    const house = await openRules(t)
    const hourNow = new Date(house.sends.house.time.now()).getUTCHours()
    await house.set({ safeHours: { startHour: hourNow, endHour: (hourNow + 1) % 24, timeZone: 'UTC' } })
    const sendWindow = { startHour: (hourNow + 3) % 24, endHour: (hourNow + 4) % 24, timeZone: 'UTC' }
    await house.rule({ ignoreSafeHours: true, sendWindow, delayMinutes: 1 })
    const person = await house.person()
    const waits = await house.reaches(person.id, 'waiting')
    t.equal(new Date(waits.dueAt).getUTCHours(), sendWindow.startHour)
    const closes = Date.parse(waits.dueAt) + hour
    await house.reaches(person.id, 'sent', minute)
    await house.sends.house.time.advance(closes - 90_000 - house.sends.house.time.now())
    const late = await house.person()
    await house.reaches(late.id, 'queued', 1_000)
    t.ok(house.sends.house.time.now() < closes, 'it was taken while the window was open')
    await house.sends.house.time.advance(2 * hour)
    t.equal(house.sends.taken.length, 1, 'and is not handed over when it has closed by then')
    // The last way in small steps: what is performed takes real time, and the hour is looked at when it is done.
    await house.sends.house.time.advance(closes + 23 * hour - 2 * minute - house.sends.house.time.now())
    await house.reaches(late.id, 'sent', minute)
    t.equal(new Date(house.sends.house.time.now()).getUTCHours(), sendWindow.startHour)
  },
)

t.test('Frequency cap: a marketing rule skips who had marketing lately; a service one does not', async (t) => {
  const house = await openRules(t)
  marketing(house)
  house.sends.document = {
    ...house.sends.document,
    outreach: [
      ...house.sends.document.outreach,
      { ...outreach, id: 'more', class: 'marketing' },
      { ...outreach, id: 'news' },
    ],
  }
  await house.rule()
  const trigger = { kind: 'person.statusChanged' } as const
  await house.rule({ id: 'more', outreachId: 'more', trigger })
  await house.rule({ id: 'news', outreachId: 'news', trigger })
  const { id } = await house.person()
  await house.reaches(id, 'sent')
  await house.change(id, { status: 'contacted' })
  await eventually(house.sends.house, async () => (await house.row(id, 'more'))?.state === 'skipped', 1_000)
  t.match(await house.row(id, 'more'), { reason: 'frequency_capped' })
  await eventually(house.sends.house, async () => (await house.row(id, 'news'))?.state === 'sent', 20_000)
  await house.sends.house.time.advance(49 * hour)
  await house.change(id, { status: 'qualified' })
  await eventually(house.sends.house, async () => (await house.row(id, 'more'))?.state === 'sent', 20_000)
  t.equal(house.sends.taken.length, 3, 'a row that was skipped may come again')
})

t.test(
  'In conversation: the row waits until 30 minutes after the person last wrote, at the handing over too',
  async (t) => {
    const house = await openRules(t)
    await house.rule({ delayMinutes: 5 })
    const person = await house.person()
    await house.sends.house.time.advance(4 * minute)
    const wroteAt = house.sends.house.time.now()
    house.sends.heardAt.set(asidOf(person), wroteAt)
    t.match(await house.reaches(person.id, 'waiting', 1_000), {
      reason: 'in-conversation',
      dueAt: new Date(wroteAt + 30 * minute).toISOString(),
    })
    await house.reaches(person.id, 'queued', minute)
    t.ok(house.sends.house.time.now() >= wroteAt + 30 * minute)
    const again = house.sends.house.time.now()
    house.sends.heardAt.set(asidOf(person), again)
    await eventually(house.sends.house, async () => (await house.row(person.id))?.reason !== undefined, 20_000)
    t.match(await house.row(person.id), {
      state: 'queued',
      reason: 'in-conversation',
      dueAt: new Date(again + 30 * minute).toISOString(),
    })
    const sent = await house.reaches(person.id, 'sent', minute)
    t.notOk('reason' in sent)
    t.ok(house.sends.house.time.now() >= again + 30 * minute)
    t.equal(house.sends.taken.length, 1)
  },
)
