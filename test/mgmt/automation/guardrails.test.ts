/** The column of automated outreach in the table of guardrails, cell by cell, through rows, sends and time. */
import t from 'tap'
import { hour, minute } from '../../../core/durations.js'
import { eventually } from '../../contract/shards/fixture.js'
import { outreach } from '../outreach/fixture.js'
import { type AutomationFixture, openAutomationFixture } from './fixture.js'

const marketing = (fixture: AutomationFixture) => {
  fixture.sends.document = { ...fixture.sends.document, outreach: [{ ...outreach, class: 'marketing' }] }
}
const asidOf = ({ identities }: { identities: readonly { asid: string }[] }) => identities[0]!.asid

t.test('Frequency cap: of two people who are merged, both of whose marketing waits, one message goes', async (t) => {
  const fixture = await openAutomationFixture(t)
  marketing(fixture)
  await fixture.rule()
  const one = await fixture.person()
  const other = await fixture.person()
  for (const { id } of [one, other]) await fixture.waitForState(id, 'queued', 1_000)
  await fixture.ask(fixture.sends.people.commands.merge, { personId: one.id, from: other.id })
  await fixture.sends.fixture.time.advance(2 * minute)
  await eventually(fixture.sends.fixture, () => fixture.sends.acceptedOpenings.length > 0, minute)
  await fixture.sends.fixture.time.advance(hour)
  t.equal(fixture.sends.acceptedOpenings.length, 1)
  const outcomes = new Set((await fixture.rows()).map(({ state, reason }) => `${state} ${reason ?? ''}`))
  t.same(outcomes, new Set(['sent ', 'skipped frequency_capped']))
})

t.test('Consent: only who granted it is sent to', async (t) => {
  const fixture = await openAutomationFixture(t)
  await fixture.rule()
  for (const status of ['unknown', 'denied'] as const) {
    const person = await fixture.person({ consent: { status } })
    t.match(await fixture.waitForState(person.id, 'skipped'), { reason: 'no_consent' })
  }
  t.equal(fixture.sends.acceptedOpenings.length, 0)
})

t.test('STOP: never sent, be it known when the row is due or only when it is handed over', async (t) => {
  const fixture = await openAutomationFixture(t)
  await fixture.rule({ delayMinutes: 1 })
  const optedOutPerson = await fixture.person()
  fixture.sends.optedOut.add(asidOf(optedOutPerson))
  t.match(await fixture.waitForState(optedOutPerson.id, 'skipped'), { reason: 'opted_out' })
  const between = await fixture.person()
  await fixture.waitForState(between.id, 'queued', 1_000)
  fixture.sends.optedOut.add(asidOf(between))
  t.match(await fixture.waitForState(between.id, 'skipped'), { reason: 'opted_out' })
  t.equal(fixture.sends.acceptedOpenings.length, 0)
})

t.test(
  'Safe hours: the row waits for them as a dated row, over midnight too, unless the rule ignores them',
  async (t) => {
    const fixture = await openAutomationFixture(t)
    const start = fixture.sends.fixture.time.now()
    const opens = (new Date(start).getUTCHours() + 5) % 24
    await fixture.setSending({ safeHours: { startHour: opens, endHour: (opens + 18) % 24, timeZone: 'UTC' } })
    await fixture.rule()
    const person = await fixture.person()
    const waits = await fixture.waitForState(person.id, 'waiting')
    t.equal(waits.reason, 'safe-hours')
    t.equal(new Date(waits.dueAt).getUTCHours(), opens)
    t.equal(new Date(waits.dueAt).getUTCMinutes(), 0)
    await fixture.ask(fixture.sends.automation.commands.change, {
      ruleId: 'welcome',
      change: { kind: 'patch', body: { ignoreSafeHours: true } },
    })
    const other = await fixture.person()
    await fixture.waitForState(other.id, 'sent')
    t.equal((await fixture.row(person.id))?.state, 'waiting', 'one that has its date keeps it')
    await fixture.waitForState(person.id, 'sent', 10 * minute)
    t.ok(fixture.sends.fixture.time.now() >= Date.parse(waits.dueAt))
  },
)

t.test(
  'Its own window counts beside safe hours, even for a rule that ignores those, up to the handing over',
  async (t) => {
    const fixture = await openAutomationFixture(t)
    const hourNow = new Date(fixture.sends.fixture.time.now()).getUTCHours()
    await fixture.setSending({ safeHours: { startHour: hourNow, endHour: (hourNow + 1) % 24, timeZone: 'UTC' } })
    const sendWindow = { startHour: (hourNow + 3) % 24, endHour: (hourNow + 4) % 24, timeZone: 'UTC' }
    await fixture.rule({ ignoreSafeHours: true, sendWindow, delayMinutes: 1 })
    const person = await fixture.person()
    const waits = await fixture.waitForState(person.id, 'waiting')
    t.equal(new Date(waits.dueAt).getUTCHours(), sendWindow.startHour)
    const closes = Date.parse(waits.dueAt) + hour
    await fixture.waitForState(person.id, 'sent', minute)
    await fixture.sends.fixture.time.advance(closes - 90_000 - fixture.sends.fixture.time.now())
    const late = await fixture.person()
    await fixture.waitForState(late.id, 'queued', 1_000)
    t.ok(fixture.sends.fixture.time.now() < closes, 'it was taken while the window was open')
    await fixture.sends.fixture.time.advance(2 * hour)
    t.equal(fixture.sends.acceptedOpenings.length, 1, 'and is not handed over when it has closed by then')
    // The last way in small steps: what is performed takes real time, and the hour is looked at when it is done.
    await fixture.sends.fixture.time.advance(closes + 23 * hour - 2 * minute - fixture.sends.fixture.time.now())
    await fixture.waitForState(late.id, 'sent', minute)
    t.equal(new Date(fixture.sends.fixture.time.now()).getUTCHours(), sendWindow.startHour)
  },
)

t.test('Frequency cap: a marketing rule skips who had marketing lately; a service one does not', async (t) => {
  const fixture = await openAutomationFixture(t)
  marketing(fixture)
  fixture.sends.document = {
    ...fixture.sends.document,
    outreach: [
      ...fixture.sends.document.outreach,
      { ...outreach, id: 'more', class: 'marketing' },
      { ...outreach, id: 'news' },
    ],
  }
  await fixture.rule()
  const trigger = { kind: 'person.statusChanged' } as const
  await fixture.rule({ id: 'more', outreachId: 'more', trigger })
  await fixture.rule({ id: 'news', outreachId: 'news', trigger })
  const { id } = await fixture.person()
  await fixture.waitForState(id, 'sent')
  await fixture.change(id, { status: 'contacted' })
  await eventually(fixture.sends.fixture, async () => (await fixture.row(id, 'more'))?.state === 'skipped', 1_000)
  t.match(await fixture.row(id, 'more'), { reason: 'frequency_capped' })
  await eventually(fixture.sends.fixture, async () => (await fixture.row(id, 'news'))?.state === 'sent', 20_000)
  await fixture.sends.fixture.time.advance(49 * hour)
  await fixture.change(id, { status: 'qualified' })
  await eventually(fixture.sends.fixture, async () => (await fixture.row(id, 'more'))?.state === 'sent', 20_000)
  t.equal(fixture.sends.acceptedOpenings.length, 3, 'a row that was skipped may come again')
})

t.test(
  'In conversation: the row waits until 30 minutes after the person last wrote, at the handing over too',
  async (t) => {
    const fixture = await openAutomationFixture(t)
    await fixture.rule({ delayMinutes: 5 })
    const person = await fixture.person()
    await fixture.sends.fixture.time.advance(4 * minute)
    const wroteAt = fixture.sends.fixture.time.now()
    fixture.sends.inboundTimes.set(asidOf(person), wroteAt)
    t.match(await fixture.waitForState(person.id, 'waiting', 1_000), {
      reason: 'in-conversation',
      dueAt: new Date(wroteAt + 30 * minute).toISOString(),
    })
    await fixture.waitForState(person.id, 'queued', minute)
    t.ok(fixture.sends.fixture.time.now() >= wroteAt + 30 * minute)
    const wroteAgainAt = fixture.sends.fixture.time.now()
    fixture.sends.inboundTimes.set(asidOf(person), wroteAgainAt)
    await eventually(fixture.sends.fixture, async () => (await fixture.row(person.id))?.reason !== undefined, 20_000)
    t.match(await fixture.row(person.id), {
      state: 'queued',
      reason: 'in-conversation',
      dueAt: new Date(wroteAgainAt + 30 * minute).toISOString(),
    })
    const sent = await fixture.waitForState(person.id, 'sent', minute)
    t.notOk('reason' in sent)
    t.ok(fixture.sends.fixture.time.now() >= wroteAgainAt + 30 * minute)
    t.equal(fixture.sends.acceptedOpenings.length, 1)
  },
)
