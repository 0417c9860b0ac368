/** What a rule does about a person: set off with the change itself, looked at when due, sent once, ended with a reason. */
import fc from 'fast-check'
import t from 'tap'
import { isLive } from '../../../core/automation/row.js'
import { hour, minute, second } from '../../../core/durations.js'
import { refuse } from '../../../core/errors.js'
import { outreachSend as limits } from '../../../core/limits.js'
import { ruleTable } from '../../../mgmt/automation/store.js'
import { shardOf } from '../../../runtime/shard/place.js'
import { eventually, houseShards } from '../../contract/shards/house.js'
import { outreach, owner, place } from '../outreach/house.js'
import { openRules } from './house.js'

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
    await eventually(house.sends.house, () => !isLeft())
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
        const house = await openRules(t)
        await house.rule({ delayMinutes: 1 })
        await house.rule({ id: 'second', trigger: { kind: 'person.fieldSet', field: 'company' } })
        const people: Awaited<ReturnType<typeof house.person>>[] = []
        /** How much had been taken when the STOP was known. */
        const stopped = new Map<string, number>()
        for (const [nth, each] of steps.entries()) {
          const who = 'who' in each ? people[each.who] : undefined
          const asid = who?.identities[0]?.asid ?? ''
          if (each.do === 'enter') {
            people.push(await house.person(each.consents ? {} : { consent: { status: 'unknown' } }))
          } else if (each.do === 'wait') await house.sends.house.time.advance(each.seconds * second)
          else if (each.do === 'crash') await house.sends.crash()
          else if (each.do === 'switch') {
            const change = { kind: 'patch', body: { enabled: each.enabled } }
            await house.ask(house.sends.automation.commands.change, { ruleId: 'welcome', change })
          } else if (!who) continue
          else if (each.do === 'change') await house.change(who.id, { company: String(nth) })
          else if (each.do === 'writes') house.sends.heardAt.set(asid, house.sends.house.time.now())
          else if (!stopped.has(asid)) {
            house.sends.optedOut.add(asid)
            stopped.set(asid, house.sends.taken.length)
          }
        }
        const rows = async () => [...(await house.rows()), ...(await house.rows('second'))]
        await eventually(house.sends.house, async () => !(await rows()).some(isLive), minute)
        const sent = (await rows()).filter(({ state }) => state === 'sent')
        const reached = house.sends.taken.map(({ asid }) => asid)
        const isOnce = new Set(reached).size === reached.length && sent.length === reached.length
        const isQuiet = [...stopped].every(([asid, at]) => !reached.slice(at).includes(asid))
        const isWilling = sent.every(({ personId }) => house.sends.person(personId)?.consent.status === 'granted')
        const kept = house.sends.rows()
        const queued = kept.filter((row) => /automation\.queue/.test(row))
        const isClear =
          !kept.some((row) => /automation\.(claims|sends)/.test(row)) && queued.length === (await rows()).length
        await house.sends.house.die()
        return isOnce && isQuiet && isWilling && isClear
      }),
      { numRuns: 12, endOnFailure: true },
    )
    t.pass()
  },
)

t.test('Word of a look that is over decides nothing, and that of one look decides once', async (t) => {
  const house = await openRules(t)
  await house.rule({ delayMinutes: 60 })
  const { id: personId, identities } = await house.person()
  const [entry] = house.sends.house.store.space(shardOf(owner, houseShards)).range(ruleTable)
  const standing = { asid: identities[0]!.asid, isOptedOut: false }
  const told = (look: number) =>
    house.ask(house.sends.automation.commands.judge, { serial: 1, ruleKey: entry!.key[3], personId, look, standing })
  t.equal(await told(1), false, 'nobody has looked yet')
  t.equal((await house.row(personId))?.state, 'pending')
  await house.reaches(personId, 'queued', minute)
  t.equal(await told(1), false, 'it is decided by now')
  await house.reaches(personId, 'sent')
  t.equal(house.sends.taken.length, 1)
})

t.test(
  'A row that has ended is explained for as long as sends are, and then forgotten with all that led to it',
  async (t) => {
    const house = await openRules(t)
    const { time } = house.sends.house
    await house.rule({ filter: { tag: 'vip' }, delayMinutes: 10 })
    const sent = await house.person({ tags: ['vip'] })
    const skipped = await house.person({ tags: ['vip'] })
    await house.change(skipped.id, { tags: [] })
    await house.reaches(skipped.id, 'skipped', minute)
    await house.reaches(sent.id, 'sent')
    await time.advance(limits.keptMs - hour)
    t.same((await house.rows()).map(({ state }) => state).sort(), ['sent', 'skipped'])
    await eventually(house.sends.house, async () => (await house.rows()).length === 0, 10 * minute)
    t.same(
      house.sends.rows().filter((row) => /automation\.(rows|claims|sends|queue)/.test(row)),
      [],
    )
  },
)

t.test('A row that begins anew is not forgotten by the time of its first end', async (t) => {
  const house = await openRules(t)
  const { time } = house.sends.house
  await house.rule({
    trigger: { kind: 'person.fieldSet', field: 'company' },
    filter: { tag: 'vip' },
    delayMinutes: 43_200,
  })
  const { id } = await house.person({ tags: ['vip'], company: 'Quay' })
  await house.change(id, { tags: [] })
  await house.reaches(id, 'skipped', hour)
  await time.advance(limits.keptMs - hour)
  await house.change(id, { tags: ['vip'], company: 'Pier' })
  t.equal((await house.row(id))?.state, 'pending')
  await time.advance(2 * hour)
  t.equal((await house.row(id))?.state, 'pending')
})
