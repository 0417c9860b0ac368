/**
 * What a rule does about a person: set off with the change itself, looked at when due, sent once, ended with a reason.
 */
import fc from 'fast-check'
import t from 'tap'
import { isActive } from '../../../core/automation/run.js'
import { hour, minute, second } from '../../../core/durations.js'
import { refuse } from '../../../core/errors.js'
import { outreachSend as limits } from '../../../core/limits/index.js'
import { ruleTable } from '../../../mgmt/automation/store.js'
import { shardOf } from '../../../runtime/shard/placement.js'
import { eventually, fixtureShards } from '../../contract/shards/fixture.js'
import { agentRef, outreach, owner } from '../outreach/fixture.js'
import { openAutomationFixture } from './fixture.js'

t.test('A row comes with the change that set it off, is due after the delay, and becomes one send', async (t) => {
  const fixture = await openAutomationFixture(t)
  await fixture.rule({ delayMinutes: 90 })
  const person = await fixture.person()
  const made = await fixture.row(person.id)
  t.match(made, { state: 'pending', dueAt: new Date(person.createdAt + 90 * minute).toISOString() })
  await fixture.sends.fixture.time.advance(89 * minute)
  t.equal((await fixture.row(person.id))?.state, 'pending')
  await fixture.sends.fixture.time.advance(minute)
  const queued = await fixture.waitForState(person.id, 'queued', 100)
  t.match(await fixture.sends.read(queued.sendId!), {
    origin: 'automated',
    automatedOutreachId: 'welcome',
    outreachId: 'hello',
    personId: person.id,
  })
  t.match(await fixture.waitForState(person.id, 'sent'), { sendId: queued.sendId })
  t.same(fixture.sentTexts(), ['Hello there!'])
})

t.test('Each trigger fires for what it names and for nothing else', async (t) => {
  const fixture = await openAutomationFixture(t)
  fixture.sends.document = {
    ...fixture.sends.document,
    outreach: ['a', 'b', 'c', 'd', 'e'].map((id) => ({ ...outreach, id })),
    peopleFields: [{ key: 'plan', label: 'Plan', type: 'string' }],
  }
  const delayMinutes = 43_200
  const later = { delayMinutes }
  await fixture.rule({ ...later, id: 'a', outreachId: 'a' })
  await fixture.rule({ ...later, id: 'b', outreachId: 'b', trigger: { kind: 'person.statusChanged', status: 'lost' } })
  await fixture.rule({ ...later, id: 'c', outreachId: 'c', trigger: { kind: 'person.statusChanged' } })
  await fixture.rule({ ...later, id: 'd', outreachId: 'd', trigger: { kind: 'person.fieldSet', field: 'plan' } })
  await fixture.rule({ ...later, id: 'e', outreachId: 'e', trigger: { kind: 'person.fieldSet', field: 'company' } })
  const { id } = await fixture.person()
  const firedRules = async () => {
    const all = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(async (rule) => (await fixture.row(id, rule)) && rule))
    return all.filter((rule) => rule).join('')
  }
  t.equal(await firedRules(), 'a')
  await fixture.change(id, { notes: 'x', email: 'a@b.example' })
  t.equal(await firedRules(), 'a', 'another field is none of their business')
  await fixture.change(id, { status: 'contacted' })
  t.equal(await firedRules(), 'ac')
  await fixture.change(id, { customFields: { plan: 'gold' } })
  t.equal(await firedRules(), 'acd')
  await fixture.change(id, { status: 'lost', company: 'Quay' })
  t.equal(await firedRules(), 'abcde')
  const entered = await fixture.person({ company: 'Quay' })
  t.ok(await fixture.row(entered.id, 'e'), 'a field that somebody comes with is set')
})

t.test('People outside the filter make no row, and who left it by then is skipped', async (t) => {
  const fixture = await openAutomationFixture(t)
  await fixture.rule({ delayMinutes: 10, filter: { tag: 'vip', 'customFields.plan': 'gold' } })
  const customFields = { plan: 'gold' }
  const other = await fixture.person({ tags: ['vip'] })
  const matching = await fixture.person({ tags: ['vip'], customFields })
  const leaving = await fixture.person({ tags: ['vip'], customFields })
  t.equal(await fixture.row(other.id), undefined)
  await fixture.change(leaving.id, { tags: [] })
  await fixture.waitForState(matching.id, 'sent')
  t.match(await fixture.waitForState(leaving.id, 'skipped'), { reason: 'not-in-filter' })
})

t.test('The same outreach never goes to a person twice, whichever rule or caller sent it', async (t) => {
  const fixture = await openAutomationFixture(t)
  const trigger = { kind: 'person.fieldSet', field: 'company' } as const
  await fixture.rule()
  await fixture.rule({ id: 'second', trigger })
  const person = await fixture.person({ company: 'Quay' })
  t.equal(await fixture.row(person.id, 'second'), undefined, 'one rule at a time')
  await fixture.waitForState(person.id, 'sent')
  await fixture.change(person.id, { company: 'Harbor' })
  t.equal(await fixture.row(person.id, 'second'), undefined, 'and none after it was received')
  await fixture.ask(fixture.sends.automation.commands.remove, { ruleId: 'welcome' })
  await fixture.rule()
  const named = await fixture.person()
  const made = await fixture.sends.create({ recipient: { kind: 'person', personId: named.id } })
  t.equal(made.status, 'queued')
  t.match(await fixture.waitForState(named.id, 'skipped'), { reason: 'already-received' })
  await fixture.sends.waitForState(String(made.sendId), 'sent')
  t.equal(fixture.sends.acceptedOpenings.length, 2)
})

t.test(
  'Rules switched off or deleted, people who are gone or cannot be reached: each row ends and says why',
  async (t) => {
    const fixture = await openAutomationFixture(t)
    await fixture.rule({ delayMinutes: 10 })
    const off = await fixture.person()
    const patch = (body: object) =>
      fixture.ask(fixture.sends.automation.commands.change, { ruleId: 'welcome', change: { kind: 'patch', body } })
    await patch({ enabled: false })
    const unseen = await fixture.person()
    t.equal(await fixture.row(unseen.id), undefined, 'a rule that is off is set off by nothing')
    t.match(await fixture.waitForState(off.id, 'skipped'), { reason: 'rule-disabled' })
    await patch({ enabled: true })
    const deletedPerson = await fixture.person()
    const nowhere = await fixture.person({}, false)
    await fixture.ask(fixture.sends.people.commands.remove, { personId: deletedPerson.id })
    t.match(await fixture.waitForState(deletedPerson.id, 'skipped'), { reason: 'person-deleted' })
    t.match(await fixture.waitForState(nowhere.id, 'skipped'), { reason: 'no_channel_identity' })
    const needy = await fixture.person()
    fixture.sends.document = { ...fixture.sends.document, outreach: [{ ...outreach, inputs: ['plan'] }] }
    t.match(await fixture.waitForState(needy.id, 'skipped'), { reason: 'missing_inputs' })
    const late = await fixture.person({ customFields: { plan: 'gold' } })
    fixture.sends.document = { ...fixture.sends.document, outreach: [{ ...outreach, enabled: false }] }
    t.match(await fixture.waitForState(late.id, 'skipped'), { reason: 'outreach_unavailable' })
    fixture.sends.document = { ...fixture.sends.document, outreach: [outreach, { ...outreach, id: 'other' }] }
    const turned = await fixture.person()
    await patch({ outreachId: 'other' })
    t.match(await fixture.waitForState(turned.id, 'skipped'), { reason: 'rule-changed' })
    const pending = await fixture.person()
    const hasRows = () => fixture.sends.rows().some((row) => row.includes('automation.') && row.includes(pending.id))
    t.ok(hasRows())
    await fixture.ask(fixture.sends.automation.commands.remove, { ruleId: 'welcome' })
    await fixture.sends.fixture.time.advance(hour)
    t.same(await fixture.rows(), [])
    await eventually(fixture.sends.fixture, () => !hasRows())
    t.equal(fixture.sends.acceptedOpenings.length, 0)
  },
)

t.test('A send that fails or is cancelled ends its row so', async (t) => {
  const fixture = await openAutomationFixture(t)
  await fixture.rule()
  fixture.sends.scripts.push({ answer: { reason: 'noBinding', retry: 'never' }, isTaken: false })
  const fails = await fixture.person()
  t.match(await fixture.waitForState(fails.id, 'failed'), { reason: 'no_route' })
  const cancelled = await fixture.person()
  const { sendId } = await fixture.waitForState(cancelled.id, 'queued', 1_000)
  await fixture.sends.cancel(sendId!)
  t.match(await fixture.waitForState(cancelled.id, 'cancelled'), { sendId })
})

t.test(
  'Many people who are read in make their rows in the very commands that read them, and all are looked at when due',
  async (t) => {
    const fixture = await openAutomationFixture(t)
    await fixture.rule({ delayMinutes: 60 })
    const many = 1_200
    for (let from = 0; from < many; from += 200) {
      const rows = Array.from({ length: 200 }, (_, nth) => ({
        line: nth,
        row: {
          indexKeys: [{ kind: 'email' as const, value: `p${from + nth}@b.example` }],
          change: { email: `p${from + nth}@b.example`, consent: { status: 'granted' as const } },
        },
      }))
      await fixture.ask(fixture.sends.people.commands.importRows, { importBatchId: 'imp_1', rows })
      t.equal((await fixture.rows()).length, from + 200)
    }
    await fixture.sends.fixture.time.advance(61 * minute)
    await eventually(
      fixture.sends.fixture,
      async () =>
        (await fixture.rows()).every(({ state, reason }) => state === 'skipped' && reason === 'no_channel_identity'),
      1_000,
    )
  },
)

t.test('A process that dies anywhere sends once', async (t) => {
  const fixture = await openAutomationFixture(t)
  await fixture.rule({ delayMinutes: 1 })
  const people = [await fixture.person(), await fixture.person(), await fixture.person()]
  await fixture.sends.crash()
  fixture.sends.scripts.push({
    answer: refuse('service.unavailable', { detail: 'x' }),
    isTaken: true,
    deliveryReports: [{ state: 'sent' }],
  })
  for (let step = 0; step < 6; step++) {
    await fixture.sends.fixture.time.advance(20_000)
    await fixture.sends.crash()
  }
  for (const { id } of people) await fixture.waitForState(id, 'sent')
  t.equal(fixture.sends.sentIds.length, 3)
  t.equal(new Set(fixture.sends.sentIds).size, 3)
  const sent = await fixture.sends.fixture.shards.query(owner, fixture.sends.parts.queries.scan, {
    ...agentRef,
    filter: { automatedOutreachId: 'welcome' },
    limit: 50,
    seesAddress: false,
  })
  t.equal('data' in sent && sent.data.length, 3, 'and no send is left over')
})

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('enter' as const), consents: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('change' as const), who: fc.nat({ max: 3 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), seconds: fc.nat({ max: 150 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('stop' as const), who: fc.nat({ max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('writes' as const), who: fc.nat({ max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('switch' as const), enabled: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('crash' as const) }) },
)

t.test(
  'Whatever happens meanwhile, every row ends, and nobody is sent an outreach twice or after a STOP',
  async (t) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 14 }), async (steps) => {
        const fixture = await openAutomationFixture(t)
        await fixture.rule({ delayMinutes: 1 })
        await fixture.rule({ id: 'second', trigger: { kind: 'person.fieldSet', field: 'company' } })
        const people: Awaited<ReturnType<typeof fixture.person>>[] = []
        /** How much had been taken when the STOP was known. */
        const stopped = new Map<string, number>()
        for (const [nth, each] of steps.entries()) {
          const who = 'who' in each ? people[each.who] : undefined
          const asid = who?.identities[0]?.asid ?? ''
          if (each.do === 'enter') {
            people.push(await fixture.person(each.consents ? {} : { consent: { status: 'unknown' } }))
          } else if (each.do === 'wait') await fixture.sends.fixture.time.advance(each.seconds * second)
          else if (each.do === 'crash') await fixture.sends.crash()
          else if (each.do === 'switch') {
            const change = { kind: 'patch', body: { enabled: each.enabled } }
            await fixture.ask(fixture.sends.automation.commands.change, { ruleId: 'welcome', change })
          } else if (!who) continue
          else if (each.do === 'change') await fixture.change(who.id, { company: String(nth) })
          else if (each.do === 'writes') fixture.sends.inboundTimes.set(asid, fixture.sends.fixture.time.now())
          else if (!stopped.has(asid)) {
            fixture.sends.optedOut.add(asid)
            stopped.set(asid, fixture.sends.acceptedOpenings.length)
          }
        }
        const rows = async () => [...(await fixture.rows()), ...(await fixture.rows('second'))]
        await eventually(fixture.sends.fixture, async () => !(await rows()).some(isActive), minute)
        const sent = (await rows()).filter(({ state }) => state === 'sent')
        const reached = fixture.sends.acceptedOpenings.map(({ asid }) => asid)
        const isOnce = new Set(reached).size === reached.length && sent.length === reached.length
        const isQuiet = [...stopped].every(([asid, at]) => !reached.slice(at).includes(asid))
        const isWilling = sent.every(({ personId }) => fixture.sends.person(personId)?.consent.status === 'granted')
        const storedRows = fixture.sends.rows()
        const queued = storedRows.filter((row) => /automation\.queue/.test(row))
        const isClear =
          !storedRows.some((row) => /automation\.(claims|sends)/.test(row)) && queued.length === (await rows()).length
        await fixture.sends.fixture.crash()
        return isOnce && isQuiet && isWilling && isClear
      }),
      { numRuns: 12, endOnFailure: true },
    )
    t.pass()
  },
)

t.test('Word of a look that is over decides nothing, and that of one look decides once', async (t) => {
  const fixture = await openAutomationFixture(t)
  await fixture.rule({ delayMinutes: 60 })
  const { id: personId, identities } = await fixture.person()
  const [entry] = fixture.sends.fixture.store.space(shardOf(owner, fixtureShards)).range(ruleTable)
  const consent = { asid: identities[0]!.asid, isOptedOut: false }
  const mayDispatch = (attempt: number) =>
    fixture.ask(fixture.sends.automation.commands.evaluate, {
      incarnation: 1,
      ruleKey: entry!.key[3],
      personId,
      attempt,
      consent,
    })
  t.equal(await mayDispatch(1), false, 'nobody has looked yet')
  t.equal((await fixture.row(personId))?.state, 'pending')
  await fixture.waitForState(personId, 'queued', minute)
  t.equal(await mayDispatch(1), false, 'it is decided by now')
  await fixture.waitForState(personId, 'sent')
  t.equal(fixture.sends.acceptedOpenings.length, 1)
})

t.test(
  'A row that has ended is explained for as long as sends are, and then forgotten with all that led to it',
  async (t) => {
    const fixture = await openAutomationFixture(t)
    const { time } = fixture.sends.fixture
    await fixture.rule({ filter: { tag: 'vip' }, delayMinutes: 10 })
    const sent = await fixture.person({ tags: ['vip'] })
    const skipped = await fixture.person({ tags: ['vip'] })
    await fixture.change(skipped.id, { tags: [] })
    await fixture.waitForState(skipped.id, 'skipped', minute)
    await fixture.waitForState(sent.id, 'sent')
    await time.advance(limits.retentionMs - hour)
    t.same((await fixture.rows()).map(({ state }) => state).sort(), ['sent', 'skipped'])
    await eventually(fixture.sends.fixture, async () => (await fixture.rows()).length === 0, 10 * minute)
    t.same(
      fixture.sends.rows().filter((row) => /automation\.(runs|claims|sends|queue)/.test(row)),
      [],
    )
  },
)

t.test('A row that begins anew is not forgotten by the time of its first end', async (t) => {
  const fixture = await openAutomationFixture(t)
  const { time } = fixture.sends.fixture
  await fixture.rule({
    trigger: { kind: 'person.fieldSet', field: 'company' },
    filter: { tag: 'vip' },
    delayMinutes: 43_200,
  })
  const { id } = await fixture.person({ tags: ['vip'], company: 'Quay' })
  await fixture.change(id, { tags: [] })
  await fixture.waitForState(id, 'skipped', hour)
  await time.advance(limits.retentionMs - hour)
  await fixture.change(id, { tags: ['vip'], company: 'Pier' })
  t.equal((await fixture.row(id))?.state, 'pending')
  await time.advance(2 * hour)
  t.equal((await fixture.row(id))?.state, 'pending')
})
