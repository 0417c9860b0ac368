/** Every fault of the emulated providers, as a customer sees it. */
import { deepStrictEqual, ok } from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { createFaults } from '../../../adapters/emulator/faults.js'
import { planReceipts } from '../../../adapters/emulator/receipts.js'
import { waitUntil } from '../../harness/clock.js'
import { type EmulatorHarness, openEmulatorHarness } from './emulatorharness.js'

const person = '+15550100001'

function openAccount(emulated: EmulatorHarness) {
  const { accountSid, authToken, from, apiUrl } = emulated.account('twilio').auth as Record<string, string>
  const authorization = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`
  const StatusCallback = emulated.receiver.url('/status')
  const send = (to = person, signal?: AbortSignal) =>
    emulated.call(`${apiUrl}/2010-04-01/Accounts/${accountSid}/Messages.json`, {
      method: 'POST',
      headers: { authorization },
      body: new URLSearchParams({ To: to, From: from!, Body: 'Hello', StatusCallback }),
      ...(signal && { signal }),
    })
  const states = () =>
    emulated.receiver.at('/status').map(({ body }) => new URLSearchParams(body.toString()).get('MessageStatus'))
  const add = (order: object) => emulated.emulator.faults.add({ account: 'twilio', kind: 'latency', ...order })!
  return { send, states, add, sent: () => emulated.emulator.sent(0).length }
}

t.test('Rate limits, server errors and refused credentials last for the configured number of calls', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { send, add, sent } = openAccount(emulated)
  add({ kind: 'rateLimited', retryAfterSeconds: 7, times: 2 })
  for (let call = 0; call < 2; call++) {
    const { status, headers, json } = await send()
    t.match({ status, json }, { status: 429, json: { code: 20_429 } })
    t.equal(headers.get('retry-after'), '7')
  }
  t.equal(sent(), 0)
  t.equal((await send()).status, 201)
  add({ kind: 'serverError', status: 503, times: 1 })
  t.equal((await send()).status, 503)
  add({ kind: 'serverError', times: 1 })
  t.equal((await send()).status, 500)
  add({ kind: 'unauthorized', times: 1 })
  t.equal((await send()).status, 401)
  t.equal((await send()).status, 201)
  t.equal(sent(), 2)
  t.same(emulated.emulator.faults.all(), [])
})

t.test('A fault of one person affects no other person, and ends when it is removed', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { send, add } = openAccount(emulated)
  const { id } = add({ kind: 'serverError', address: '1 (555) 010-0001' })
  t.equal((await send()).status, 500)
  t.equal((await send('+15550100002')).status, 201)
  t.ok(emulated.emulator.faults.remove(id))
  t.notOk(emulated.emulator.faults.remove(id))
  t.equal((await send()).status, 201)
  t.equal(emulated.emulator.faults.add({ account: 'nobody', kind: 'reset' }), undefined)
})

t.test('A call without an answer was accepted; a call whose connection breaks was not', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { send, add, sent } = openAccount(emulated)
  add({ kind: 'noAnswer', times: 1 })
  const leaving = new AbortController()
  const unanswered = send(person, leaving.signal)
  await waitUntil(() => sent() === 1)
  await emulated.waitForCalls('/status', 2)
  leaving.abort()
  await t.rejects(unanswered, 'its receipts came and its answer did not')
  add({ kind: 'reset', times: 1 })
  await t.rejects(send(), /fetch failed/)
  t.equal(sent(), 1)
  add({ kind: 'latency', ms: 20, times: 1 })
  t.equal((await send()).status, 201)
})

t.test('Receipts can come twice, reordered, late, not at all, or before the answer', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { send, add, states } = openAccount(emulated)
  add({ kind: 'duplicateReceipts', times: 1 })
  await send()
  await emulated.waitForCalls('/status', 4)
  t.same(states(), ['sent', 'sent', 'delivered', 'delivered'])
  add({ kind: 'reorderedReceipts', times: 1 })
  await send()
  await emulated.waitForCalls('/status', 6)
  t.same(states().slice(4), ['delivered', 'sent'])
  add({ kind: 'missingReceipts', states: ['sent'], times: 1 })
  await send()
  await emulated.waitForCalls('/status', 7)
  t.same(states().slice(6), ['delivered'])
  add({ kind: 'receiptFirst', times: 1 })
  await send()
  t.same(states().slice(7), ['sent', 'delivered'], 'they were there when the answer came')
  add({ kind: 'missingReceipts', times: 1 })
  add({ kind: 'lateReceipts', ms: 2_000, times: 2 })
  await send()
  await send()
  await emulated.waitForCalls('/status', 11)
  t.same(states().slice(9), ['sent', 'delivered'], 'those of the second, late, and none of the first')
})

t.test('Faults with a share of calls are drawn from the seed and repeat in the same run', async (t) => {
  fc.assert(
    fc.property(fc.integer(), fc.double({ min: 0, max: 1, noNaN: true }), (seed, rate) => {
      const run = () => {
        const faults = createFaults(seed)
        faults.add({ account: 'a', kind: 'reset', rate })
        return Array.from(
          { length: 50 },
          () => faults.selectFaults({ account: 'a', address: 'b', isMessage: true }, ['reset']).reset !== undefined,
        )
      }
      deepStrictEqual(run(), run())
    }),
    { numRuns: 20 },
  )
  const faults = createFaults(1)
  faults.add({ account: 'a', kind: 'reset', rate: 0.25 })
  const hits = Array.from(
    { length: 4_000 },
    () => faults.selectFaults({ account: 'a', address: 'b', isMessage: true }, ['reset']).reset,
  )
  const share = hits.filter(Boolean).length / hits.length
  t.ok(share > 0.2 && share < 0.3, `${share} is about a quarter`)
})

t.test('A fault applies to messages, and to other calls only if it says so', async (t) => {
  const faults = createFaults(1)
  faults.add({ account: 'a', kind: 'reset' })
  t.same(faults.selectFaults({ account: 'a', address: 'b', isMessage: false }, ['reset']), {})
  faults.add({ account: 'a', kind: 'latency', allCalls: true })
  t.ok(faults.selectFaults({ account: 'a', address: 'b', isMessage: false }, ['latency']).latency)
  faults.removeAccount('a')
  t.same(faults.all(), [])
})

t.test('Without faults every receipt comes once and in order', async (t) => {
  const state = fc.constantFrom('sent', 'delivered', 'read', 'failed')
  fc.assert(
    fc.property(fc.array(fc.record({ state })), fc.integer({ min: 1, max: 1_000 }), (receipts, stepMs) => {
      const steps = planReceipts(receipts as never, {}, stepMs)
      const received = steps.map(({ receipt }) => receipt)
      deepStrictEqual(received, receipts)
      ok(steps.every(({ afterMs }, at) => afterMs > (steps[at - 1]?.afterMs ?? 0)))
    }),
  )
  t.pass('whatever the receipts are')
})

t.test('A phone that is off produces no receipts until it is on again', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { send, states } = openAccount(emulated)
  const { emulator } = emulated
  await emulator.act('twilio', person, { kind: 'offline' })
  await send()
  await emulated.waitForCalls('/status', 1)
  await send('+15550100002')
  await emulated.waitForCalls('/status', 3)
  t.same(states(), ['sent', 'sent', 'delivered'])
  await emulator.act('twilio', person, { kind: 'online' })
  await emulated.waitForCalls('/status', 4)
  t.equal(states()[3], 'delivered')
})
