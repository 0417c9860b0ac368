/** From acceptance to the end: pickup, attempts, retries, capability, follow-ups and what is remembered. */
import t from 'tap'
import { day, hour, minute, second } from '../../../core/durations.js'
import { isRefusal, refuse } from '../../../core/errors.js'
import { outreachSend as limits } from '../../../core/limits/index.js'
import { eventually } from '../../contract/shards/fixture.js'
import { agentRef, newNumber, openSendsFixture, outreach, toNumber } from './fixture.js'

const accepted = async (sends: Awaited<ReturnType<typeof openSendsFixture>>, request = toNumber()) => {
  const made = await sends.create(request)
  if (made.status !== 'queued') throw new Error(JSON.stringify(made))
  return String(made.sendId)
}

t.test('A send is picked up about a minute after it was accepted, and is sent when its channel has it', async (t) => {
  const sends = await openSendsFixture(t)
  const number = newNumber()
  const id = await accepted(sends, toNumber(number))
  await sends.fixture.time.advance(limits.pickupMs - 1)
  t.match(await sends.read(id), { state: 'queued', attempts: 0 })
  t.equal(sends.acceptedOpenings.length, 0)
  const sent = await sends.waitForState(id, 'sent')
  t.match(sent, { attempts: 1, messageId: `msg_${id}`, address: number, delivery: { known: true, sent: true } })
  t.match(sends.acceptedOpenings, [
    { sendId: id, attempt: 1, isLast: false, address: number, message: { parts: [{ text: 'Hello there!' }] } },
  ])
  t.same(
    sends.events.map(({ type, data }) => [type, data.from, data.state]),
    [
      ['send.state_changed', 'queued', 'sending'],
      ['send.state_changed', 'sending', 'sent'],
    ],
  )
  t.notMatch(JSON.stringify(sends.events), number, 'and no event tells the number')
})

t.test('More than one pickup takes are all picked up, each once', async (t) => {
  const sends = await openSendsFixture(t)
  const many = limits.rowsPerPickup * 2 + 7
  const ids = await Promise.all(
    Array.from({ length: many }, (_, nth) => accepted(sends, toNumber(`+1415556${String(1000 + nth)}`))),
  )
  await eventually(sends.fixture, async () => sends.acceptedOpenings.length >= many, second)
  for (const id of ids) await sends.waitForState(id, 'sent')
  t.equal(new Set(sends.acceptedOpenings.map(({ sendId }) => sendId)).size, many)
  t.equal(sends.acceptedOpenings.length, many)
})

t.test('A transient failure is tried again after 2, 8 and 20 minutes and then fails for good', async (t) => {
  const sends = await openSendsFixture(t)
  const later = { deliveryReports: [{ state: 'failed' as const, reason: 'providerError', retry: 'later' as const }] }
  sends.scripts.push(later, later, later, later)
  const id = await accepted(sends)
  await sends.fixture.time.advance(limits.pickupMs)
  for (const [nth, wait] of limits.retryAfterMs.entries()) {
    const waits = await sends.waitForRetry(id)
    t.match(waits, { reason: 'dispatch_failed', attempts: nth + 1 })
    const remainingMs = Date.parse(waits.nextAttemptAt!) - sends.fixture.time.now()
    t.ok(remainingMs > wait - 10 * second && remainingMs <= wait, `waits ${wait / minute} minutes`)
    await sends.fixture.time.advance(Date.parse(waits.nextAttemptAt!) - sends.fixture.time.now() - 1)
    t.equal(sends.acceptedOpenings.length, nth + 1, 'not a moment sooner')
    await sends.fixture.time.advance(1)
    await eventually(sends.fixture, () => sends.acceptedOpenings.length === nth + 2)
  }
  t.match(await sends.waitForState(id, 'failed', 0), { reason: 'dispatch_failed', attempts: 4, failedAt: String })
  t.same(
    sends.acceptedOpenings.map(({ attempt, isLast }) => [attempt, isLast]),
    [
      [1, false],
      [2, false],
      [3, false],
      [4, true],
    ],
  )
})

t.test(
  'A gateway that cannot be asked counts as a failed attempt; one that may have taken it is asked again',
  async (t) => {
    const sends = await openSendsFixture(t)
    sends.scripts.push({ answer: refuse('service.unavailable') })
    const id = await accepted(sends)
    t.match(await sends.waitForRetry(id), { reason: 'dispatch_failed', attempts: 1 })
    t.match(await sends.waitForState(id, 'sent', 10 * second), { attempts: 2 })
    sends.scripts.push({
      answer: refuse('service.unavailable', { detail: 'Nobody knows.' }),
      isTaken: true,
      deliveryReports: [],
    })
    const other = await accepted(sends)
    await eventually(sends.fixture, () => sends.acceptedOpenings.length === 2, second)
    await eventually(sends.fixture, async () => (await sends.read(other)).messageId !== undefined, second)
    t.match(await sends.read(other), { state: 'sending', attempts: 1 }, 'and it is the same attempt')
    t.match(await sends.cancel(other), { refused: 'agent.outreach.send_not_cancellable' })
    t.equal(sends.acceptedOpenings.length, 2, 'that was taken once')
  },
)

t.test('Reasons that stay are not tried again', async (t) => {
  const sends = await openSendsFixture(t)
  for (const [answer, state, reason] of [
    [{ reason: 'noBinding', retry: 'never' }, 'failed', 'no_route'],
    [{ reason: 'bindingNotReady', retry: 'never' }, 'failed', 'binding_error'],
    [{ reason: 'unsupportedPart', retry: 'never' }, 'failed', 'dispatch_failed'],
    [{ reason: 'optedOut', retry: 'never' }, 'suppressed', 'opted_out'],
  ] as const) {
    sends.scripts.push({ answer, isTaken: false })
    const id = await accepted(sends)
    t.match(await sends.waitForState(id, state), {
      reason,
      attempts: 1,
      delivery: { known: false, sent: false, failed: false },
    })
  }
  t.equal(sends.acceptedOpenings.length, 0)
})

t.test(
  'A number without rcs fails when the check finds it and is suppressed once known; both are remembered 7 days',
  async (t) => {
    const sends = await openSendsFixture(t)
    const number = newNumber()
    sends.probes.push('incapable')
    const next = async () => accepted(sends, { ...toNumber(number), idempotencyKey: String(Math.random()) } as never)
    t.match(await sends.waitForState(await next(), 'failed'), { reason: 'not_rcs_capable' })
    t.match(await sends.waitForState(await next(), 'suppressed'), { reason: 'not_rcs_capable' })
    t.equal(sends.probed.length, 1, 'it is not asked about again')
    await sends.fixture.time.advance(7 * day)
    t.match(await sends.waitForState(await next(), 'sent'), { attempts: 1 })
    await sends.waitForState(await next(), 'sent')
    t.equal(sends.probed.length, 2, 'and one that can is not asked about either')
    sends.scripts.push({ deliveryReports: [{ state: 'failed', reason: 'providerError', retry: 'never' }] })
    await sends.waitForState(await next(), 'failed')
    await sends.waitForState(await next(), 'sent')
    t.equal(sends.probed.length, 3, 'a send that failed to dispatch has it checked afresh')
  },
)

t.test(
  'Where a provider cannot tell whom it reaches it is tried, and nothing is remembered of the number',
  async (t) => {
    const sends = await openSendsFixture(t)
    const number = newNumber()
    sends.probes.push('notSupported', 'incapable')
    const next = async () => accepted(sends, { ...toNumber(number), idempotencyKey: String(Math.random()) } as never)
    t.match(await sends.waitForState(await next(), 'sent'), { attempts: 1 })
    t.match(await sends.waitForState(await next(), 'failed'), { reason: 'not_rcs_capable' })
    t.equal(sends.probed.length, 2, 'one that can tell is asked')
  },
)

t.test('A capability that nobody knows is a transient failure; no route and a bad binding are not', async (t) => {
  const sends = await openSendsFixture(t)
  sends.probes.push('unknown')
  const id = await accepted(sends)
  t.match(await sends.waitForRetry(id), { reason: 'capability_unknown', attempts: 1 })
  t.match(await sends.waitForState(id, 'sent', 10 * second), { attempts: 2 })
  sends.probes.push('noBinding', 'bindingError')
  t.match(await sends.waitForState(await accepted(sends), 'failed'), { reason: 'no_route', attempts: 1 })
  t.match(await sends.waitForState(await accepted(sends), 'failed'), { reason: 'binding_error', attempts: 1 })
})

t.test('What changed since acceptance is seen at dispatch: identity, outreach, inputs, opening', async (t) => {
  const sends = await openSendsFixture(t)
  const withdrawnId = await accepted(sends)
  const { personId } = await sends.read(withdrawnId)
  await sends.fixture.shards.execute('org/desk', sends.people.commands.remove, { ...agentRef, personId })
  t.match(await sends.waitForState(withdrawnId, 'failed'), { reason: 'no_channel_identity' })
  const document = sends.document
  for (const [changed, reason] of [
    [{ outreach: [{ ...outreach, enabled: false }] }, 'outreach_unavailable'],
    [{ outreach: [] }, 'outreach_unavailable'],
    [{ outreach: [{ ...outreach, inputs: ['plan'] }] }, 'missing_inputs'],
    [{ messageTemplates: [{ id: 'hi', name: 'Hi', body: 'Hi {person.email|block-send}' }] }, 'template_blocked'],
    [{ messageTemplates: [{ id: 'hi', name: 'Hi', body: 'Hi {person.email|omit-message}' }] }, 'template_blocked'],
  ] as const) {
    const id = await accepted(sends)
    sends.document = { ...document, ...changed }
    t.match(await sends.waitForState(id, 'suppressed'), { reason, attempts: 1 })
    sends.document = document
  }
  t.equal(sends.acceptedOpenings.length, 0)
})

t.test('Cancel stops a send that waits, a retry too, and nothing else', async (t) => {
  const sends = await openSendsFixture(t)
  const id = await accepted(sends)
  t.match(await sends.cancel(id), { state: 'cancelled', cancelledAt: String })
  t.match(await sends.cancel(id), { refused: 'agent.outreach.send_not_cancellable' })
  sends.scripts.push({ answer: refuse('service.unavailable') })
  const retried = await accepted(sends)
  await sends.waitForRetry(retried)
  t.match(await sends.cancel(retried), { state: 'cancelled' })
  await sends.fixture.time.advance(hour)
  t.equal(sends.acceptedOpenings.length, 0, 'neither was ever dispatched')
  const sent = await accepted(sends)
  await sends.waitForState(sent, 'sent')
  t.match(await sends.cancel(sent), { refused: 'agent.outreach.send_not_cancellable' })
  t.match(await sends.cancel('sd_none'), { refused: 'resource.not_found' })
})

t.test('A cancel that meets the pickup either stops the send for good or is refused and it runs on', async (t) => {
  const sends = await openSendsFixture(t)
  const many = 40
  const ids = await Promise.all(Array.from({ length: many }, () => accepted(sends)))
  await sends.fixture.time.advance(limits.pickupMs - 1)
  const racing = sends.fixture.time.advance(1 + second)
  const answers = await Promise.all(
    ids.map(async (id, nth) => {
      for (let turn = 0; turn < nth; turn++) await new Promise((resolve) => setImmediate(resolve))
      return sends.cancel(id)
    }),
  )
  await racing
  for (const [nth, id] of ids.entries()) {
    const isCancelled = !isRefusal(answers[nth])
    const { state } = await sends.waitForState(id, isCancelled ? 'cancelled' : 'sent')
    t.equal(
      sends.acceptedOpenings.some(({ sendId }) => sendId === id),
      state === 'sent',
    )
  }
})
