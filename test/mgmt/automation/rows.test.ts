/** What a rule does about a person: set off with the change itself, held by the guardrails of its column, sent once. */
import t from 'tap'
import { hour, minute } from '../../../core/durations.js'
import { refuse } from '../../../core/errors.js'
import { eventually } from '../../contract/shards/house.js'
import { outreach, owner, place } from '../outreach/house.js'
import { type Automation, openRules } from './house.js'

const marketing = (house: Automation) => {
  house.sends.document = { ...house.sends.document, outreach: [{ ...outreach, class: 'marketing' }] }
}
const asidOf = ({ identities }: { identities: readonly { asid: string }[] }) => identities[0]!.asid

t.test('A row comes with the change that set it off, is due after the delay, and becomes one send', async (t) => {
  const house = await openRules(t)
  await house.rule({ delayMinutes: 90 })
  const person = await house.person()
  const made = await house.row(person.id)
  t.match(made, { state: 'pending', dueAt: new Date(person.createdAt + 90 * minute).toISOString() })
  await house.sends.house.time.advance(89 * minute)
  t.equal((await house.row(person.id))?.state, 'pending')
  await house.sends.house.time.advance(minute)
  const queued = await house.reaches(person.id, 'queued', 100)
  t.match(await house.sends.read(queued.sendId!), {
    origin: 'automated',
    automatedOutreachId: 'welcome',
    outreachId: 'hello',
    personId: person.id,
  })
  t.match(await house.reaches(person.id, 'sent'), { sendId: queued.sendId })
  t.same(house.said(), ['Hello there!'])
})

t.test('Each trigger fires for what it names and for nothing else', async (t) => {
  const house = await openRules(t)
  house.sends.document = {
    ...house.sends.document,
    outreach: ['a', 'b', 'c', 'd', 'e'].map((id) => ({ ...outreach, id })),
    peopleFields: [{ key: 'plan', label: 'Plan', type: 'string' }],
  }
  const delayMinutes = 43_200
  const later = { delayMinutes }
  await house.rule({ ...later, id: 'a', outreachId: 'a' })
  await house.rule({ ...later, id: 'b', outreachId: 'b', trigger: { kind: 'person.statusChanged', status: 'lost' } })
  await house.rule({ ...later, id: 'c', outreachId: 'c', trigger: { kind: 'person.statusChanged' } })
  await house.rule({ ...later, id: 'd', outreachId: 'd', trigger: { kind: 'person.fieldSet', field: 'plan' } })
  await house.rule({ ...later, id: 'e', outreachId: 'e', trigger: { kind: 'person.fieldSet', field: 'company' } })
  const { id } = await house.person()
  const fired = async () => {
    const all = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(async (rule) => (await house.row(id, rule)) && rule))
    return all.filter((rule) => rule).join('')
  }
  t.equal(await fired(), 'a')
  await house.change(id, { notes: 'x', email: 'a@b.example' })
  t.equal(await fired(), 'a', 'another field is none of their business')
  await house.change(id, { status: 'contacted' })
  t.equal(await fired(), 'ac')
  await house.change(id, { customFields: { plan: 'gold' } })
  t.equal(await fired(), 'acd')
  await house.change(id, { status: 'lost', company: 'Quay' })
  t.equal(await fired(), 'abcde')
  const entered = await house.person({ company: 'Quay' })
  t.ok(await house.row(entered.id, 'e'), 'a field that somebody comes with is set')
})

t.test('People outside the filter make no row, and who left it by then is skipped', async (t) => {
  const house = await openRules(t)
  await house.rule({ delayMinutes: 10, filter: { tag: 'vip', 'customFields.plan': 'gold' } })
  const customFields = { plan: 'gold' }
  const other = await house.person({ tags: ['vip'] })
  const stays = await house.person({ tags: ['vip'], customFields })
  const leaves = await house.person({ tags: ['vip'], customFields })
  t.equal(await house.row(other.id), undefined)
  await house.change(leaves.id, { tags: [] })
  await house.reaches(stays.id, 'sent')
  t.match(await house.reaches(leaves.id, 'skipped'), { reason: 'not-in-filter' })
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
    await house.reaches(late.id, 'sent', 10 * minute)
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
    await house.reaches(person.id, 'sent')
    t.ok(house.sends.house.time.now() >= again + 30 * minute)
    t.equal(house.sends.taken.length, 1)
  },
)

t.test('The same outreach never goes to a person twice, whichever rule or caller sent it', async (t) => {
  const house = await openRules(t)
  const trigger = { kind: 'person.fieldSet', field: 'company' } as const
  await house.rule()
  await house.rule({ id: 'second', trigger })
  const person = await house.person({ company: 'Quay' })
  t.equal(await house.row(person.id, 'second'), undefined, 'one rule at a time')
  await house.reaches(person.id, 'sent')
  await house.change(person.id, { company: 'Harbor' })
  t.equal(await house.row(person.id, 'second'), undefined, 'and none after it was received')
  await house.ask(house.sends.automation.commands.remove, { ruleId: 'welcome' })
  await house.rule()
  const named = await house.person()
  const made = await house.sends.create({ recipient: { kind: 'person', personId: named.id } })
  t.equal(made.status, 'queued')
  t.match(await house.reaches(named.id, 'skipped'), { reason: 'already-received' })
  await house.sends.reaches(String(made.sendId), 'sent')
  t.equal(house.sends.taken.length, 2)
})

t.test(
  'Rules switched off or deleted, people who are gone or cannot be reached: each row ends and says why',
  async (t) => {
    const house = await openRules(t)
    await house.rule({ delayMinutes: 10 })
    const off = await house.person()
    const patch = (body: object) =>
      house.ask(house.sends.automation.commands.change, { ruleId: 'welcome', change: { kind: 'patch', body } })
    await patch({ enabled: false })
    const unseen = await house.person()
    t.equal(await house.row(unseen.id), undefined, 'a rule that is off is set off by nothing')
    t.match(await house.reaches(off.id, 'skipped'), { reason: 'rule-disabled' })
    await patch({ enabled: true })
    const gone = await house.person()
    const nowhere = await house.person({}, false)
    await house.ask(house.sends.people.commands.remove, { personId: gone.id })
    t.match(await house.reaches(gone.id, 'skipped'), { reason: 'person-deleted' })
    t.match(await house.reaches(nowhere.id, 'skipped'), { reason: 'no_channel_identity' })
    const needy = await house.person()
    house.sends.document = { ...house.sends.document, outreach: [{ ...outreach, inputs: ['plan'] }] }
    t.match(await house.reaches(needy.id, 'skipped'), { reason: 'missing_inputs' })
    const late = await house.person({ customFields: { plan: 'gold' } })
    house.sends.document = { ...house.sends.document, outreach: [{ ...outreach, enabled: false }] }
    t.match(await house.reaches(late.id, 'skipped'), { reason: 'outreach_unavailable' })
    house.sends.document = { ...house.sends.document, outreach: [outreach, { ...outreach, id: 'other' }] }
    const turned = await house.person()
    await patch({ outreachId: 'other' })
    t.match(await house.reaches(turned.id, 'skipped'), { reason: 'rule-changed' })
    const pending = await house.person()
    const isLeft = () => house.sends.rows().some((row) => row.includes('automation.') && row.includes(pending.id))
    t.ok(isLeft())
    await house.ask(house.sends.automation.commands.remove, { ruleId: 'welcome' })
    await house.sends.house.time.advance(hour)
    t.same(await house.rows(), [])
    t.notOk(isLeft(), 'nothing is left of it')
    t.equal(house.sends.taken.length, 0)
  },
)

t.test('A send that fails or is cancelled ends its row so', async (t) => {
  const house = await openRules(t)
  await house.rule()
  house.sends.scripts.push({ answer: { reason: 'noBinding', again: 'never' }, isTaken: false })
  const fails = await house.person()
  t.match(await house.reaches(fails.id, 'failed'), { reason: 'no_route' })
  const cancelled = await house.person()
  const { sendId } = await house.reaches(cancelled.id, 'queued', 1_000)
  await house.sends.cancel(sendId!)
  t.match(await house.reaches(cancelled.id, 'cancelled'), { sendId })
})

t.test(
  'Many people who are read in make their rows in the very commands that read them, and all are looked at when due',
  async (t) => {
    const house = await openRules(t)
    await house.rule({ delayMinutes: 60 })
    const many = 1_200
    for (let from = 0; from < many; from += 200) {
      const rows = Array.from({ length: 200 }, (_, nth) => ({
        line: nth,
        row: {
          marks: [{ kind: 'email' as const, value: `p${from + nth}@b.example` }],
          change: { email: `p${from + nth}@b.example`, consent: { status: 'granted' as const } },
        },
      }))
      await house.ask(house.sends.people.commands.importRows, { importBatchId: 'imp_1', rows })
      t.equal((await house.rows()).length, from + 200)
    }
    await house.sends.house.time.advance(61 * minute)
    await eventually(
      house.sends.house,
      async () =>
        (await house.rows()).every(({ state, reason }) => state === 'skipped' && reason === 'no_channel_identity'),
      1_000,
    )
  },
)

t.test('A process that dies anywhere sends once', async (t) => {
  const house = await openRules(t)
  await house.rule({ delayMinutes: 1 })
  const people = [await house.person(), await house.person(), await house.person()]
  await house.sends.crash()
  house.sends.scripts.push({
    answer: refuse('service.unavailable', { detail: 'x' }),
    isTaken: true,
    news: [{ state: 'sent' }],
  })
  for (let step = 0; step < 6; step++) {
    await house.sends.house.time.advance(20_000)
    await house.sends.crash()
  }
  for (const { id } of people) await house.reaches(id, 'sent')
  t.equal(house.sends.out.length, 3)
  t.equal(new Set(house.sends.out).size, 3)
  const sent = await house.sends.house.shards.read(owner, house.sends.parts.queries.stretch, {
    ...place,
    filter: { automatedOutreachId: 'welcome' },
    limit: 50,
    seesAddress: false,
  })
  t.equal('data' in sent && sent.data.length, 3, 'and no send is left over')
})
