/** Reminders of appointments: when they come, what they say, what moves and stops them, and that each comes once. */
import t from 'tap'
import { day, hour, minute } from '../../../core/durations.js'
import { refuse } from '../../../core/errors.js'
import type { OpeningFor as Opening } from '../../../core/outreach/contact.js'
import { eventually } from '../../contract/shards/house.js'
import { outreach } from '../outreach/house.js'
import { type Automation, openRules } from './house.js'

type Reminders = NonNullable<NonNullable<Automation['sends']['document']['scheduling']>['reminders']>

function configure({ sends }: Automation, reminders: Reminders): void {
  sends.document = { ...sends.document, scheduling: { reminders, representatives: [] } }
}

async function open(t: Parameters<typeof openRules>[0], reminders: Reminders = { leadMinutes: 60 }) {
  const house = await openRules(t)
  configure(house, reminders)
  const { id, identities } = await house.person({ consent: { status: 'unknown' } })
  const start = house.sends.house.time.now() + 2 * day
  const { asid } = identities[0]!
  return { house, id, asid, start, time: house.sends.house.time, taken: house.sends.taken }
}

/** Lets time pass up to then, in steps in which commits finish. */
async function until({ sends }: Automation, at: number, stepMs = 3 * hour): Promise<void> {
  const { time } = sends.house
  while (time.now() < at) await time.advance(Math.min(stepMs, at - time.now()))
}

const momentIn = ({ message }: Opening) => (message.parts[0] as { text: readonly unknown[] }).text[1]

t.test(
  'An appointment is reminded of once, its lead before it begins, whatever the consent, in the zone of the person',
  async (t) => {
    const { house, id, asid, start, taken } = await open(t)
    await house.keep(id, { startUtc: start, representativeName: 'Ada', representativeTitle: 'Broker' })
    await until(house, start - hour - 1)
    t.equal(taken.length, 0)
    t.ok(house.sends.rows().some((row) => row.includes('automation.reminders')))
    await until(house, start - hour)
    await eventually(house.sends.house, () => taken.length === 1, 100)
    t.match(taken[0], { asid, attempt: 1, isLast: false })
    t.same((taken[0]!.message.parts[0] as { text: unknown }).text, [
      'Reminder: your appointment with Ada, Broker is on ',
      { iso: new Date(start).toISOString(), tz: 'America/New_York' },
      '.',
    ])
    await house.keep(id, { startUtc: start, notes: 'x' })
    await until(house, start + hour)
    t.equal(taken.length, 1)
    // Nothing is left when the appointment has begun.
    const isLeft = () => house.sends.rows().some((row) => row.includes('automation.reminders'))
    await eventually(house.sends.house, () => !isLeft(), 100)
  },
)

t.test(
  'Unset reminders are on, a day before; switched off ones are not sent; what is booked within the lead has none',
  async (t) => {
    const { house, id, start, time, taken } = await open(t, {})
    await house.keep(id, { id: 'ap_a', startUtc: start })
    await house.keep(id, { id: 'ap_b', startUtc: time.now() + 23 * hour })
    await until(house, start - day + minute)
    await eventually(house.sends.house, () => taken.length === 1, 100)
    t.same(momentIn(taken[0]!), { iso: new Date(start).toISOString(), tz: 'America/New_York' })
    configure(house, { enabled: false, leadMinutes: 60 })
    await house.keep(id, { id: 'ap_c', startUtc: start + day })
    await until(house, start + 2 * day)
    t.equal(taken.length, 1)
  },
)

t.test('A reminder moves with its appointment and goes when that is cancelled', async (t) => {
  const { house, id, start, taken } = await open(t)
  await house.keep(id, { id: 'ap_a', startUtc: start })
  await house.keep(id, { id: 'ap_b', startUtc: start })
  await house.keep(id, { id: 'ap_a', startUtc: start + 5 * hour, status: 'rescheduled' })
  await house.keep(id, { id: 'ap_b', startUtc: start, status: 'cancelled' })
  await until(house, start + 4 * hour - minute)
  t.equal(taken.length, 0)
  await until(house, start + 4 * hour + minute)
  await eventually(house.sends.house, () => taken.length === 1, 100)
  await house.keep(id, { id: 'ap_a', startUtc: start + day, status: 'rescheduled' })
  await until(house, start + day - hour)
  await eventually(house.sends.house, () => taken.length === 2, 100)
  t.not(taken[0]!.sendId, taken[1]!.sendId, 'one that moves after its reminder is reminded of again')
})

t.test('Another lead moves every reminder that is still to come', async (t) => {
  const { house, id, start, taken } = await open(t)
  await house.keep(id, { startUtc: start })
  configure(house, { leadMinutes: 180 })
  await house.ask(house.sends.automation.commands.redate, { serial: 1 })
  await until(house, start - 3 * hour - 1)
  t.equal(taken.length, 0)
  await until(house, start - 3 * hour + minute)
  await eventually(house.sends.house, () => taken.length === 1, 100)
})

t.test(
  'Safe hours are ignored, unless the reminders ask for them: then it waits, and not beyond the appointment',
  async (t) => {
    for (const [ignoreSafeHours, waits] of [
      [undefined, false],
      [true, false],
      [false, true],
    ] as const) {
      const { house, id, start, taken } = await open(t, { leadMinutes: 240, ignoreSafeHours })
      const opens = (new Date(start).getUTCHours() + 22) % 24
      await house.set({ safeHours: { startHour: opens, endHour: (opens + 1) % 24, timeZone: 'UTC' } })
      await house.keep(id, { id: 'ap_a', startUtc: start })
      await house.keep(id, { id: 'ap_b', startUtc: start - 3 * hour })
      await until(house, start - 4 * hour + minute)
      await eventually(house.sends.house, () => taken.length === (waits ? 0 : 2), 100)
      await until(house, start - 2 * hour)
      await eventually(house.sends.house, () => taken.length === (waits ? 1 : 2), 100)
      await until(house, start - 1)
      t.equal(taken.length, waits ? 1 : 2, `ignoreSafeHours ${ignoreSafeHours}`)
      if (waits) t.same(momentIn(taken[0]!), { iso: new Date(start).toISOString(), tz: 'America/New_York' })
    }
  },
)

t.test(
  'STOP: never sent. Denied consent, marketing just had and a conversation under way hold nothing up',
  async (t) => {
    const { house, id, start, taken } = await open(t)
    house.sends.document = { ...house.sends.document, outreach: [{ ...outreach, class: 'marketing' }] }
    const stopped = id
    const [denied, talking, touched] = [
      await house.person({ consent: { status: 'denied' } }),
      await house.person(),
      await house.person(),
    ]
    for (const each of [stopped, denied.id, talking.id, touched.id]) {
      await house.keep(each, { id: `ap_${each}`, startUtc: start })
    }
    house.sends.optedOut.add(house.sends.person(stopped)!.identities[0]!.asid)
    await until(house, start - 2 * hour)
    const sent = await house.sends.create({ recipient: { kind: 'person', personId: touched.id } })
    await house.sends.reaches(String(sent.sendId), 'sent')
    house.sends.heardAt.set(talking.identities[0]!.asid, start - hour - minute)
    const reminded = () => taken.filter(({ sendId }) => sendId.startsWith('rm_')).map(({ asid }) => asid)
    await until(house, start - hour)
    await eventually(house.sends.house, () => reminded().length === 3, 100)
    await until(house, start)
    t.same(reminded().sort(), [denied, talking, touched].map(({ identities }) => identities[0]!.asid).sort())
  },
)

t.test('A contact card comes along where it is asked for, of whom they meet', async (t) => {
  const { house, id, start, taken } = await open(t, { leadMinutes: 60, includeContactCard: true })
  const { scheduling } = house.sends.document
  const representatives = [{ id: 'r1', name: 'Ada', phone: '+14155550100', email: 'ada@desk.example' }]
  house.sends.document = { ...house.sends.document, scheduling: { ...scheduling, representatives } }
  await house.keep(id, { startUtc: start, representativeName: 'Ada' })
  await until(house, start - hour)
  await eventually(house.sends.house, () => taken.length === 1, 100)
  t.same(taken[0]?.message.parts[1], {
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
    const { house, id, start, taken } = await open(t)
    await house.keep(id, { startUtc: start })
    house.sends.scripts.push(
      { answer: refuse('service.unavailable') },
      { news: [{ state: 'failed', reason: 'providerError', again: 'later' }] },
      { answer: refuse('service.unavailable', { detail: 'x' }), isTaken: true, news: [{ state: 'sent' }] },
    )
    await until(house, start - hour - minute)
    for (let step = 0; step < 5; step++) {
      await house.sends.house.time.advance(minute)
      await house.sends.crash()
    }
    await eventually(house.sends.house, () => house.sends.out.length === 1, 30_000)
    await until(house, start)
    // A process that died before it could say that nobody was reached makes the same attempt again.
    const [first, second] = taken.map(({ attempt }) => attempt)
    t.ok(first! >= 1 && second! === first! + 1)
    t.equal(taken.length, 2)
    t.equal(house.sends.out.length, 1)
  },
)

t.test('An appointment is of somebody, in a zone that there is', async (t) => {
  const { house, id, start } = await open(t)
  await t.rejects(house.keep('pr_none', { startUtc: start }), /resource.not_found/)
  await t.rejects(house.keep(id, { startUtc: start, prospectTimezone: 'Mars/Base' }), /prospectTimezone/)
})
