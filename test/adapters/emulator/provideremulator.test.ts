/** What the emulated providers keep, and how they carry what they tell. */
import { deepStrictEqual, equal, ok } from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { splitSms } from '../../../adapters/emulator/septets.js'
import { createStore } from '../../../adapters/emulator/store.js'
import { segmentsOf } from '../../../core/render/index.js'
import { openEmulatorHarness } from './emulatorharness.js'

const message = (providerId: string, address = 'a') => ({
  account: 'x',
  provider: 'twilio' as const,
  address,
  providerId,
  body: {},
  at: 0,
})

t.test('The newest messages are stored, numbered without gaps, and found by name, person and number', async (t) => {
  const addresses = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 40 })
  fc.assert(
    fc.property(addresses, fc.nat(45), (given, after) => {
      const ledger = createStore({ retainedMessages: 10, retainedPeople: 10, retainedFiles: 10 })
      const all = given.map((address, index) => ledger.add(message(`m${index}`, address)))
      const newest = all.slice(-10)
      const newer = newest.filter(({ number }) => number > after)
      deepStrictEqual(ledger.after(after, {}), newer)
      for (const address of ['a', 'b', 'c']) {
        const theirs = newest.filter((each) => each.address === address)
        deepStrictEqual(ledger.messagesFor('x', address), theirs)
        deepStrictEqual(ledger.after(0, { address }), theirs)
      }
      for (const each of all) equal(ledger.find('x', each.providerId), newest.includes(each) ? each : undefined)
    }),
  )
  t.pass('whatever was kept, and from wherever it is read')
})

t.test('The oldest people and names are dropped first, so memory is bounded', async (t) => {
  const ledger = createStore({ retainedMessages: 2, retainedPeople: 2, retainedFiles: 2 })
  for (const address of ['a', 'b', 'c']) ledger.person('x', address).optedOut = true
  t.notOk(ledger.person('x', 'a').optedOut)
  t.ok(ledger.person('x', 'c').optedOut)
  for (const id of ['1', '2', '3']) ledger.recordId('x', id)
  t.same(
    ['1', '2', '3'].map((id) => ledger.hasId('x', id)),
    [false, true, true],
  )
  for (const id of ['1', '2', '3']) ledger.saveFile('x', id, { address: 'a', url: `https://a.example/${id}`, type: '' })
  t.equal(ledger.fileOf('x', '1'), undefined)
  t.equal(ledger.fileOf('x', '3')?.url, 'https://a.example/3')
  ledger.removeAccount('x')
  t.equal(ledger.fileOf('x', '3'), undefined)
  t.notOk(ledger.person('x', 'c').optedOut)
})

t.test('A text has as many parts as rendering counts, and no character is divided', async (t) => {
  const character = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom('a', 'Z', ' ', '\n', '€', '[', '~', 'é', 'Ω') },
    { weight: 1, arbitrary: fc.constantFrom('中', '😀', 'ç', '’') },
  )
  const plain = fc.constantFrom('a', '[', '€', '\n', 'é')
  const text = fc.oneof(
    fc.array(character, { minLength: 1, maxLength: 400 }),
    fc.array(plain, { minLength: 1, maxLength: 500 }),
  )
  fc.assert(
    fc.property(text, (characters) => {
      const original = characters.join('')
      const { parts } = splitSms(original)
      equal(parts.join(''), original)
      equal(parts.length, segmentsOf(original).segments)
      equal(parts.filter((part) => /[\ud800-\udbff]$/.test(part)).length, 0)
    }),
    { numRuns: 300 },
  )
  t.pass('whatever is said')
})

t.test('A call that was not accepted is repeated unchanged on the provider’s schedule, and then ends', async (t) => {
  const emulated = await openEmulatorHarness(t, { timeScale: 1_000_000 })
  const { emulator, receiver } = emulated
  for (const [provider, address, tries, path = `/${provider}`] of [
    ['whatsapp', '15550100001', 6],
    // Apple calls below the address that it was given.
    ['apple', 'urn:mbid:1', 4, '/apple/message'],
    ['twilio', '+15550100001', 1],
  ] as const) {
    emulated.account(provider)
    receiver.setBehavior(path, (response) => void response.writeHead(503).end())
    t.match(await emulator.act(provider, address, { kind: 'text', text: 'Hi' }), { kind: 'performed', taken: false })
    const calls = await emulated.waitForCalls(path, tries)
    await new Promise((done) => setTimeout(done, 50))
    t.equal(calls.length, tries, provider)
    t.equal(new Set(calls.map(({ body }) => body.toString())).size, 1)
  }
})

t.test('An account that is removed or has no callback gets no calls', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { emulator } = emulated
  emulator.accounts.register({ wire: 'slack', id: 'mute' })
  t.match(await emulator.act('mute', 'U1', { kind: 'text', text: 'Hi' }), { kind: 'impossible', why: /ingressUrl/ })
  t.match(await emulator.act('nobody', 'U1', { kind: 'text', text: 'Hi' }), { kind: 'impossible' })
  emulator.faults.add({ account: 'mute', kind: 'reset' })
  t.ok(emulator.accounts.remove('mute'))
  t.same(emulator.faults.all(), [], 'its faults went with it')
})

t.test('A body that is too large and an unknown path are refused', async (t) => {
  const { call, httpUrl } = await openEmulatorHarness(t)
  t.equal((await call(`${httpUrl}/rbm/token`, { method: 'POST', body: 'a'.repeat(1024 * 1024 + 1) })).status, 413)
  for (const path of ['', '/', '/nothing', '/graph/v1.0/1/messages', '/rbm']) {
    const { status } = await call(httpUrl + path, { method: 'POST' })
    t.ok(status === 404 || status === 401, `${path} is ${status}`)
  }
})

t.test('Any bytes get a response', async (t) => {
  const emulated = await openEmulatorHarness(t)
  for (const provider of ['rbm', 'twilio', 'whatsapp', 'messenger', 'instagram', 'apple', 'slack'] as const)
    emulated.account(provider)
  const { phoneNumberId, accessToken } = emulated.emulator.accounts.get('whatsapp')!.auth as Record<string, string>
  const { botToken } = emulated.emulator.accounts.get('slack')!.auth as Record<string, string>
  const targets = [
    [`/graph/v23.0/${phoneNumberId}/messages`, accessToken],
    ['/slack/api/chat.postMessage', botToken],
    ['/rbm/token', ''],
    ['/apple/v1/message', 'a.b.c'],
  ] as const
  const body = fc.oneof(fc.json(), fc.string(), fc.constant('{"type":"interactive","interactive":{"type":"list"}}'))
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...targets), body, async ([path, token], sent) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const { status } = await emulated.call(emulated.httpUrl + path, { method: 'POST', headers, body: sent })
      ok(status >= 200 && status < 500)
    }),
    { numRuns: 120 },
  )
  t.pass('to all of them')
})
