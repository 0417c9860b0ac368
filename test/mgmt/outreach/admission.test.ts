/** What the agent's shard decides about a send that is asked for, and that a refusal leaves it as it was. */
import t from 'tap'
import { day } from '../../../core/durations.js'
import { refuse } from '../../../core/errors.js'
import { outreachSend as limits } from '../../../core/limits/index.js'
import type { SendRequest } from '../../../core/outreach/request.js'
import { newPerson } from '../../../core/people/change.js'
import { createSends } from '../../../mgmt/outreach/api.js'
import type { Command, Shards } from '../../../runtime/shard/contract.js'
import { StoreFailed } from '../../../runtime/store/contract.js'
import { eventually } from '../../contract/shards/fixture.js'
import { manualClock } from '../../harness/clock.js'
import { agentRef, newNumber, openSendsFixture, outreach, owner, type SendsFixture, toNumber } from './fixture.js'

const asid = (address: string) => `usr_rcs_${address}`

t.test('A refusal and a dry run leave every row as it was, and the key unused', async (t) => {
  const sends = await openSendsFixture(t)
  sends.document = {
    ...sends.document,
    outreach: [
      { ...outreach, inputs: ['plan'] },
      { ...outreach, id: 'off', enabled: false },
    ],
  }
  const [stopped, knownNumber] = [newNumber(), newNumber()]
  sends.optedOut.add(asid(stopped))
  const inputs = { plan: 'a' }
  const { personId } = await sends.create({ ...toNumber(knownNumber), inputs })
  const before = sends.rows()
  t.ok(before.length > 4, 'the rows were found at all')
  const key = { idempotencyKey: 'k' }
  const cases: [Partial<SendRequest>, string][] = [
    [{ ...toNumber(stopped), inputs }, 'agent.outreach.opted_out'],
    [{ ...toNumber(), inputs, consent: { optIn: false } }, 'agent.outreach.consent_declined'],
    [{ ...toNumber() }, 'agent.outreach.missing_inputs'],
    [{ ...toNumber(), outreachId: 'off' }, 'agent.outreach.not_found'],
    [{ ...toNumber(), outreachId: 'none' }, 'agent.outreach.not_found'],
    [{ ...toNumber('12') }, 'agent.outreach.invalid_address'],
    [{ recipient: { kind: 'asid', asid: 'usr_none' } }, 'agent.outreach.recipient_not_found'],
    [{ recipient: { kind: 'person', personId: 'pr_none' } }, 'agent.outreach.recipient_not_found'],
    [{ recipient: { kind: 'persona', personaId: 'none' } }, 'agent.outreach.recipient_not_found'],
    [
      { recipient: { kind: 'person', personId: String(personId), channel: 'sms' } },
      'agent.outreach.channel_unavailable',
    ],
  ]
  for (const [request, code] of cases) {
    t.match(await sends.create({ ...request, ...key }), { refused: code }, code)
    t.match(await sends.create({ ...request, ...key }, { isDryRun: true }), { refused: code }, `${code}, dry`)
  }
  t.match(await sends.create({ ...toNumber(), inputs, ...key }, { isDryRun: true }), { status: 'skipped' })
  t.strictSame(sends.rows(), before)
  t.match(await sends.create({ ...toNumber(), inputs, ...key }), { status: 'queued' })
})

t.test('A STOP is held on its number alone, and after START the number is sent to again', async (t) => {
  const sends = await openSendsFixture(t)
  const number = newNumber()
  const first = await sends.create(toNumber(number))
  sends.optedOut.add(asid(number))
  t.match(await sends.create({ ...toNumber(number), idempotencyKey: 'x' }), { refused: 'agent.outreach.opted_out' })
  t.match(
    await sends.create({ recipient: { kind: 'person', personId: String(first.personId) }, idempotencyKey: 'x' }),
    { refused: 'agent.outreach.opted_out' },
  )
  t.match(await sends.create(toNumber()), { status: 'queued' })
  t.match(
    await sends.waitForState(String(first.sendId), 'suppressed'),
    { reason: 'opted_out' },
    'one that waited is not sent either',
  )
  sends.optedOut.clear()
  t.match(await sends.create({ ...toNumber(number), idempotencyKey: 'x' }), { status: 'queued' })
})

t.test('Without a key there is one send of an outreach to a person in a day of UTC', async (t) => {
  const sends = await openSendsFixture(t)
  const to = toNumber()
  const first = await sends.create(to)
  await sends.fixture.time.advance(day - (sends.fixture.time.now() % day) - 1)
  t.match(await sends.create(to), { status: 'duplicate', sendId: first.sendId, personId: first.personId })
  await sends.fixture.time.advance(1)
  const next = await sends.create(to)
  t.match(next, { status: 'queued', personId: first.personId })
  t.not(next.sendId, first.sendId)
})

t.test('A repeat is a duplicate even when the outreach is gone and the person has said STOP since', async (t) => {
  const sends = await openSendsFixture(t)
  const number = newNumber()
  const request = { ...toNumber(number), idempotencyKey: 'k' }
  const { sendId } = await sends.create(request)
  sends.optedOut.add(asid(number))
  sends.document = { ...sends.document, outreach: [] }
  t.match(await sends.create(request), { status: 'duplicate', sendId })
})

t.test(
  'Automated outreach and campaigns are told to skip or to wait, and a second look is taken at pickup',
  async (t) => {
    const sends = await openSendsFixture(t)
    const how = { origin: 'campaign', campaignId: 'c1' }
    t.match(await sends.create(toNumber(), how), { kind: 'skip', reason: 'no_consent' })
    const number = newNumber()
    const { personId } = await sends.create(toNumber(number))
    const grant = (status: string) =>
      sends.fixture.shards.execute(owner, sends.people.commands.change, {
        ...agentRef,
        personId: String(personId),
        change: { consent: { status } },
      } as never)
    await grant('granted')
    const safeHours = { startHour: 20, endHour: 21, timeZone: 'UTC' }
    const closed = { ...how, sendWindow: safeHours }
    t.match(await sends.create({ ...toNumber(number), idempotencyKey: 'a' }, closed), {
      kind: 'wait',
      waitsFor: 'safe-hours',
    })
    const accepted = await sends.create({ ...toNumber(number), idempotencyKey: 'b' }, how)
    t.match(accepted, { status: 'queued' })
    await grant('denied')
    t.match(await sends.waitForState(String(accepted.sendId), 'suppressed'), {
      reason: 'no_consent',
      origin: 'campaign',
      campaignId: 'c1',
    })
    await grant('granted')
    const late = await sends.create({ ...toNumber(number), idempotencyKey: 'c' }, how)
    await sends.fixture.shards.execute(owner, sends.parts.commands.setSending, { ...agentRef, sent: { safeHours } })
    await sends.waitForState(String(late.sendId), 'sent', 20 * 60_000)
    t.equal(new Date(sends.fixture.time.now()).getUTCHours(), 20, 'it waited for the hours that were set meanwhile')
    t.match(sends.acceptedOpenings.at(-1), { isBatch: true, quietMs: limits.quietMs })
  },
)

t.test('Whoever is just talking is written to when the conversation says so, and it costs no attempt', async (t) => {
  const sends = await openSendsFixture(t)
  const number = newNumber()
  const { personId } = await sends.create(toNumber(number))
  const change = { consent: { status: 'granted' } }
  await sends.fixture.shards.execute(owner, sends.people.commands.change, {
    ...agentRef,
    personId: String(personId),
    change,
  } as never)
  await eventually(sends.fixture, () => sends.acceptedOpenings.length === 1, 20_000)
  const until = sends.fixture.time.now() + 30 * 60_000
  sends.scripts.push({ answer: { inConversationUntil: until }, isTaken: false })
  const made = await sends.create(
    { ...toNumber(number), idempotencyKey: 'a' },
    { origin: 'automated', automatedOutreachId: 'r1' },
  )
  t.match(await sends.waitForRetry(String(made.sendId)), { attempts: 0, nextAttemptAt: new Date(until).toISOString() })
  t.match(await sends.waitForState(String(made.sendId), 'sent', 60_000), { attempts: 1, automatedOutreachId: 'r1' })
  t.ok(sends.fixture.time.now() >= until)
})

t.test('An outreach that a campaign or a rule names is not deleted, and the refusal lists them', async (t) => {
  const referrers = [{ kind: 'campaign' as const, id: 'c1', name: 'Spring', status: 'draft' }]
  const change: Command<{ readonly part: 'outreach' | 'playbooks' }, true> = {
    name: 'test.change',
    decide: (tx, { part }, meta) =>
      sends.agents.changed(tx, agentRef, sends.document, { ...sends.document, [part]: [] }, meta) ?? true,
  }
  const sends: SendsFixture = await openSendsFixture(t, {}, [change])
  sends.parts.addReferrers(() => referrers)
  const stopped = await sends.fixture.shards.execute(owner, change, { part: 'outreach' })
  t.match(stopped, { refused: 'agent.outreach.in_use', extra: { referrers } })
  t.equal(await sends.fixture.shards.execute(owner, change, { part: 'playbooks' }), true)
})

t.test('However many wait when their outreach is deleted, each is cancelled and none is sent', async (t) => {
  const many = limits.rowsPerSweep + 20
  const drop: Command<Record<string, never>, true> = {
    name: 'test.drop',
    decide(tx, _input, meta) {
      const after = { ...sends.document, outreach: [] }
      sends.agents.changed(tx, agentRef, sends.document, after, meta)
      sends.document = after
      return true
    },
  }
  const sends: SendsFixture = await openSendsFixture(t, {}, [drop])
  const ids = await Promise.all(
    Array.from({ length: many }, (_, nth) => sends.create(toNumber(`+1415557${String(1000 + nth)}`))),
  )
  await sends.fixture.shards.execute(owner, drop, {})
  await sends.fixture.time.advance(2 * limits.pickupMs)
  for (const { sendId } of ids) t.match(await sends.waitForState(String(sendId), 'cancelled'), { detail: /Hello/ })
  t.equal(sends.acceptedOpenings.length, 0)
})

t.test('A rehearsal with a persona is dispatched within the call and is in no list', async (t) => {
  const persona = {
    ...newPerson('pr_persona', 'persona', 0),
    identities: [{ asid: 'usr_persona', channel: 'rcs' as const, address: 'persona:1' }],
    sandbox: true as const,
  }
  const keep: Command<Record<string, never>, true> = {
    name: 'test.save',
    decide(tx, _input, meta) {
      sends.people.save(tx, agentRef, undefined, persona, meta)
      return true
    },
  }
  const personas = {
    personOf: (_reader: unknown, _agentRef: unknown, id: string) => (id === 'p1' ? persona : undefined),
  }
  const sends: SendsFixture = await openSendsFixture(t, { personas }, [keep])
  await sends.fixture.shards.execute(owner, keep, {})
  let made: Record<string, unknown> = {}
  void sends.create({ recipient: { kind: 'persona', personaId: 'p1' } }).then((answer) => {
    made = answer
  })
  await eventually(sends.fixture, () => 'status' in made, limits.sandboxPollMs)
  t.match(made, { status: 'queued', personId: 'pr_persona' })
  t.notOk('asid' in made)
  t.match(sends.acceptedOpenings, [{ sandbox: true, asid: 'usr_persona' }])
  t.equal(sends.probed.length, 0, 'and no provider is asked about it')
  t.match(await sends.read(String(made.sendId)), { refused: 'resource.not_found' })
  t.match(await sends.cancel(String(made.sendId)), { refused: 'resource.not_found' })
  for (const recipient of [
    { kind: 'asid', asid: 'usr_persona' },
    { kind: 'person', personId: 'pr_persona' },
  ] as const) {
    t.match(await sends.create({ recipient }), { refused: 'agent.outreach.recipient_not_found' })
  }
})

t.test('An agent that cannot be reached is 502, one that does not answer in time 504', async (t) => {
  const clock = manualClock()
  const request = { outreachId: 'hello', ...toNumber() }
  const createApi = (ask: () => Promise<unknown>) =>
    createSends({
      shards: { execute: ask, query: ask } as unknown as Shards,
      commands: {} as never,
      queries: {} as never,
      conversations: { asidOf: () => 'usr_1', consentOf: async () => ({ isOptedOut: false }) },
      clock,
    })
  t.match(await createApi(async () => refuse('service.unavailable')).create(agentRef, request, undefined), {
    refused: 'agent.outreach_send.upstream',
  })
  const full = async () => {
    throw new StoreFailed('full')
  }
  t.match(await createApi(full).create(agentRef, request, undefined), { refused: 'agent.outreach_send.upstream' })
  for (const [answerMs, how] of [
    [limits.answerMs, {}],
    [limits.journeyAnswerMs, { answerMs: limits.journeyAnswerMs }],
  ] as const) {
    let answer: unknown
    void createApi(() => new Promise(() => {}))
      .create(agentRef, request, undefined, how)
      .then((result) => {
        answer = result
      })
    await clock.advance(answerMs - 1)
    t.equal(answer, undefined)
    await clock.advance(1)
    t.match(answer, { refused: 'agent.outreach_send.timeout' })
  }
})
