/** Reminders of appointments: when they come, what they say, what moves and stops them, and that each comes once. */
import t from 'tap'
import { day, hour, minute } from '../../../core/durations.js'
import { refuse } from '../../../core/errors.js'
import type { OpenRequest as Opening } from '../../../core/outreach/port.js'
import { eventually } from '../../contract/shards/fixture.js'
import { outreach } from '../outreach/fixture.js'
import { type AutomationFixture, openAutomationFixture } from './fixture.js'

type Reminders = NonNullable<NonNullable<AutomationFixture['sends']['document']['scheduling']>['reminders']>

function configure({ sends }: AutomationFixture, reminders: Reminders): void {
  sends.document = { ...sends.document, scheduling: { reminders, representatives: [] } }
}

async function open(t: Parameters<typeof openAutomationFixture>[0], reminders: Reminders = { leadMinutes: 60 }) {
  const fixture = await openAutomationFixture(t)
  configure(fixture, reminders)
  const { id, identities } = await fixture.person({ consent: { status: 'unknown' } })
  const start = fixture.sends.fixture.time.now() + 2 * day
  const { asid } = identities[0]!
  return { fixture, id, asid, start, time: fixture.sends.fixture.time, openings: fixture.sends.acceptedOpenings }
}

/** Lets time pass up to then, in steps in which commits finish. */
async function advanceTo({ sends }: AutomationFixture, at: number, stepMs = 3 * hour): Promise<void> {
  const { time } = sends.fixture
  while (time.now() < at) await time.advance(Math.min(stepMs, at - time.now()))
}

const momentIn = ({ message }: Opening) => (message.parts[0] as { text: readonly unknown[] }).text[1]

t.test(
  'An appointment is reminded of once, its lead before it begins, whatever the consent, in the zone of the person',
  async (t) => {
    const { fixture, id, asid, start, openings } = await open(t)
    await fixture.saveAppointment(id, { startUtc: start, representativeName: 'Ada', representativeTitle: 'Broker' })
    await advanceTo(fixture, start - hour - 1)
    t.equal(openings.length, 0)
    t.ok(fixture.sends.rows().some((row) => row.includes('automation.reminders')))
    await advanceTo(fixture, start - hour)
    await eventually(fixture.sends.fixture, () => openings.length === 1, 100)
    t.match(openings[0], { asid, attempt: 1, isLast: false })
    t.same((openings[0]!.message.parts[0] as { text: unknown }).text, [
      'Reminder: your appointment with Ada, Broker is on ',
      { iso: new Date(start).toISOString(), tz: 'America/New_York' },
      '.',
    ])
    await fixture.saveAppointment(id, { startUtc: start, notes: 'x' })
    await advanceTo(fixture, start + hour)
    t.equal(openings.length, 1)
    // Nothing is left when the appointment has begun.
    const hasRows = () => fixture.sends.rows().some((row) => row.includes('automation.reminders'))
    await eventually(fixture.sends.fixture, () => !hasRows(), 100)
  },
)

t.test(
  'Unset reminders are on, a day before; switched off ones are not sent; what is booked within the lead has none',
  async (t) => {
    const { fixture, id, start, time, openings } = await open(t, {})
    await fixture.saveAppointment(id, { id: 'ap_a', startUtc: start })
    await fixture.saveAppointment(id, { id: 'ap_b', startUtc: time.now() + 23 * hour })
    await advanceTo(fixture, start - day + minute)
    await eventually(fixture.sends.fixture, () => openings.length === 1, 100)
    t.same(momentIn(openings[0]!), { iso: new Date(start).toISOString(), tz: 'America/New_York' })
    configure(fixture, { enabled: false, leadMinutes: 60 })
    await fixture.saveAppointment(id, { id: 'ap_c', startUtc: start + day })
    await advanceTo(fixture, start + 2 * day)
    t.equal(openings.length, 1)
  },
)

t.test('A reminder moves with its appointment and goes when that is cancelled', async (t) => {
  const { fixture, id, start, openings } = await open(t)
  await fixture.saveAppointment(id, { id: 'ap_a', startUtc: start })
  await fixture.saveAppointment(id, { id: 'ap_b', startUtc: start })
  await fixture.saveAppointment(id, { id: 'ap_a', startUtc: start + 5 * hour, status: 'rescheduled' })
  await fixture.saveAppointment(id, { id: 'ap_b', startUtc: start, status: 'cancelled' })
  await advanceTo(fixture, start + 4 * hour - minute)
  t.equal(openings.length, 0)
  await advanceTo(fixture, start + 4 * hour + minute)
  await eventually(fixture.sends.fixture, () => openings.length === 1, 100)
  await fixture.saveAppointment(id, { id: 'ap_a', startUtc: start + day, status: 'rescheduled' })
  await advanceTo(fixture, start + day - hour)
  await eventually(fixture.sends.fixture, () => openings.length === 2, 100)
  t.not(openings[0]!.sendId, openings[1]!.sendId, 'one that moves after its reminder is reminded of again')
})

t.test('Another lead moves every reminder that is still to come', async (t) => {
  const { fixture, id, start, openings } = await open(t)
  await fixture.saveAppointment(id, { startUtc: start })
  configure(fixture, { leadMinutes: 180 })
  await fixture.ask(fixture.sends.automation.commands.recompute, { incarnation: 1 })
  await advanceTo(fixture, start - 3 * hour - 1)
  t.equal(openings.length, 0)
  await advanceTo(fixture, start - 3 * hour + minute)
  await eventually(fixture.sends.fixture, () => openings.length === 1, 100)
})

t.test(
  'Safe hours are ignored, unless the reminders ask for them: then it waits, and not beyond the appointment',
  async (t) => {
    for (const [ignoreSafeHours, waits] of [
      [undefined, false],
      [true, false],
      [false, true],
    ] as const) {
      const { fixture, id, start, openings } = await open(t, { leadMinutes: 240, ignoreSafeHours })
      const opens = (new Date(start).getUTCHours() + 22) % 24
      await fixture.setSending({ safeHours: { startHour: opens, endHour: (opens + 1) % 24, timeZone: 'UTC' } })
      await fixture.saveAppointment(id, { id: 'ap_a', startUtc: start })
      await fixture.saveAppointment(id, { id: 'ap_b', startUtc: start - 3 * hour })
      await advanceTo(fixture, start - 4 * hour + minute)
      await eventually(fixture.sends.fixture, () => openings.length === (waits ? 0 : 2), 100)
      await advanceTo(fixture, start - 2 * hour)
      await eventually(fixture.sends.fixture, () => openings.length === (waits ? 1 : 2), 100)
      await advanceTo(fixture, start - 1)
      t.equal(openings.length, waits ? 1 : 2, `ignoreSafeHours ${ignoreSafeHours}`)
      if (waits) t.same(momentIn(openings[0]!), { iso: new Date(start).toISOString(), tz: 'America/New_York' })
    }
  },
)

t.test(
  'STOP: never sent. Denied consent, marketing just had and a conversation under way hold nothing up',
  async (t) => {
    const { fixture, id, start, openings } = await open(t)
    fixture.sends.document = { ...fixture.sends.document, outreach: [{ ...outreach, class: 'marketing' }] }
    const stopped = id
    const [denied, talking, touched] = [
      await fixture.person({ consent: { status: 'denied' } }),
      await fixture.person(),
      await fixture.person(),
    ]
    for (const each of [stopped, denied.id, talking.id, touched.id]) {
      await fixture.saveAppointment(each, { id: `ap_${each}`, startUtc: start })
    }
    fixture.sends.optedOut.add(fixture.sends.person(stopped)!.identities[0]!.asid)
    await advanceTo(fixture, start - 2 * hour)
    const sent = await fixture.sends.create({ recipient: { kind: 'person', personId: touched.id } })
    await fixture.sends.waitForState(String(sent.sendId), 'sent')
    fixture.sends.inboundTimes.set(talking.identities[0]!.asid, start - hour - minute)
    const reminded = () => openings.filter(({ sendId }) => sendId.startsWith('rm_')).map(({ asid }) => asid)
    await advanceTo(fixture, start - hour)
    await eventually(fixture.sends.fixture, () => reminded().length === 3, 100)
    await advanceTo(fixture, start)
    t.same(reminded().sort(), [denied, talking, touched].map(({ identities }) => identities[0]!.asid).sort())
  },
)

t.test('A contact card comes along where it is asked for, of whom they meet', async (t) => {
  const { fixture, id, start, openings } = await open(t, { leadMinutes: 60, includeContactCard: true })
  const { scheduling } = fixture.sends.document
  const representatives = [{ id: 'r1', name: 'Ada', phone: '+14155550100', email: 'ada@desk.example' }]
  fixture.sends.document = { ...fixture.sends.document, scheduling: { ...scheduling, representatives } }
  await fixture.saveAppointment(id, { startUtc: start, representativeName: 'Ada' })
  await advanceTo(fixture, start - hour)
  await eventually(fixture.sends.fixture, () => openings.length === 1, 100)
  t.same(openings[0]?.message.parts[1], {
    type: 'share.contact',
    name: 'Ada',
    phone: '+14155550100',
    email: 'ada@desk.example',
    organization: 'Desk',
  })
})

t.test(
  'A provider that fails for now is tried again, an answer that is lost is asked for again, a crash sends once',
  async (t) => {
    const { fixture, id, start, openings } = await open(t)
    await fixture.saveAppointment(id, { startUtc: start })
    fixture.sends.scripts.push(
      { answer: refuse('service.unavailable') },
      { deliveryReports: [{ state: 'failed', reason: 'providerError', retry: 'later' }] },
      { answer: refuse('service.unavailable', { detail: 'x' }), isTaken: true, deliveryReports: [{ state: 'sent' }] },
    )
    await advanceTo(fixture, start - hour - minute)
    for (let step = 0; step < 5; step++) {
      await fixture.sends.fixture.time.advance(minute)
      await fixture.sends.crash()
    }
    await eventually(fixture.sends.fixture, () => fixture.sends.sentIds.length === 1, 30_000)
    await advanceTo(fixture, start)
    // A process that died before it could say that nobody was reached makes the same attempt again.
    const [first, second] = openings.map(({ attempt }) => attempt)
    t.ok(first! >= 1 && second! === first! + 1)
    t.equal(openings.length, 2)
    t.equal(fixture.sends.sentIds.length, 1)
  },
)

t.test('An appointment is of somebody, in a zone that there is', async (t) => {
  const { fixture, id, start } = await open(t)
  await t.rejects(fixture.saveAppointment('pr_none', { startUtc: start }), /resource.not_found/)
  await t.rejects(fixture.saveAppointment(id, { startUtc: start, prospectTimezone: 'Mars/Base' }), /prospectTimezone/)
})
