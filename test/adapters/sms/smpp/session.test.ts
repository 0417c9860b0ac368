/**
 * The line to a message center, against the server of the `smpp` package: how it comes up, stays up, and comes back.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { createRateLimiter } from '../../../../adapters/sms/smpp/ratelimiter.js'
import type { SendOutcome } from '../../../../core/channel/adapter.js'
import { makeCertificates } from '../../../harness/certificates.js'
import { openTestCenter, openTestSession, pause, waitUntil, waitUntilConnected } from './messagecenter.js'
import { sender } from './sender.js'

/** How often a line decided to wait: it draws by chance how long, each time. */
function countedWaits(): { waits(): number; chance(): number } {
  let drawn = 0
  return {
    waits: () => drawn,
    chance() {
      drawn++
      return 0
    },
  }
}

const refusalOf = (outcome: SendOutcome) => (outcome.kind === 'refused' ? `${outcome.reason} ${outcome.retry}` : 'sent')

t.test('The session binds as a transceiver of version 3.4 with the credentials of the binding', async (t) => {
  const { center, session } = await openTestCenter(t, {}, { auth: { systemType: 'VMA' } })
  t.match(session.problem(), /being opened/)
  const [bind] = await center.waitForRequests('bind_transceiver')
  await waitUntilConnected(session)
  t.match(bind, { system_id: 'parley', password: 'pa55word', system_type: 'VMA', interface_version: 0x34 })
})

t.test('A submit has sender, recipient, text and a receipt request, and its response has the id', async (t) => {
  const { center, session } = await openTestCenter(t, { submit: () => ({ message_id: '00AB' }) })
  const outcome = await sender(session)('Hello €')
  t.same(outcome, { kind: 'sent', providerId: '171' })
  t.match(center.submits()[0], {
    source_addr_ton: 1,
    source_addr_npi: 1,
    source_addr: '15550100',
    dest_addr_ton: 1,
    dest_addr_npi: 1,
    destination_addr: '15550001',
    registered_delivery: 1,
    data_coding: 0,
    esm_class: 0,
    short_message: { message: 'Hello €' },
  })
})

t.test('The kind of sender decides its TON and NPI', async (t) => {
  const { center, session } = await openTestCenter(t)
  const kinds = {
    '+4930123456': [1, 1, '4930123456'],
    '12345': [3, 0, '12345'],
    'Café Roma': [],
    'Roma Pizza': [5, 0, 'Roma Pizza'],
  }
  for (const from of Object.keys(kinds)) await sender(session, { from })('Hello')
  t.same(
    center.submits().map((unit) => [unit.source_addr_ton, unit.source_addr_npi, unit.source_addr]),
    Object.values(kinds).filter((each) => each.length > 0),
  )
  t.match(await sender(session, { from: 'Café Roma' })('Hello'), { kind: 'refused', needsOperator: true })
})

t.test('Without a connection, over a lost one, or to an invalid number, no submit is sent', async (t) => {
  const { center, session } = await openTestCenter(t, { bind: () => ({ command_status: 0x08 }) })
  await center.waitForRequests('bind_transceiver', 2)
  t.equal(refusalOf(await sender(session)('Hello')), 'sendFailed later')
  t.match(session.problem(), /0x08/)
  t.equal(refusalOf(await sender(undefined)('Hello')), 'sendFailed later')
  t.equal(refusalOf(await sender(session, { address: 'ada@example.com' })('Hello')), 'unknownRecipient otherChannel')
  t.same(center.submits(), [])
})

t.test('A message that comes while the connection is being opened waits for it', async (t) => {
  const { center, session } = await openTestCenter(t)
  t.equal(refusalOf(await sender(session)('Early')), 'sent')
  t.equal(center.submits().length, 1)
})

t.test('A wrong password needs an operator, is reported without its value, and is retried', async (t) => {
  const { center, session } = await openTestCenter(t, {
    bind: (_unit, times) => (times < 4 ? { command_status: 0x0e } : {}),
  })
  await center.waitForRequests('bind_transceiver', 2)
  const outcome = await sender(session)('Hello')
  t.match(outcome, { kind: 'refused', retry: 'otherChannel', needsOperator: true, detail: /wrong password/ })
  t.notMatch(`${session.problem()} ${JSON.stringify(outcome)}`, /pa55word|parley|127/)
  await waitUntilConnected(session)
  t.equal(refusalOf(await sender(session)('Hello')), 'sent')
})

t.test('Submits beyond the window wait, up to the limit of the queue', async (t) => {
  const answers: (() => void)[] = []
  const submit = () => new Promise<Record<string, never>>((resolve) => answers.push(() => resolve({})))
  const { center, session } = await openTestCenter(
    t,
    { submit },
    { auth: { windowSize: 3 }, limits: { waitingSubmits: 4 } },
  )
  await waitUntilConnected(session)
  const send = sender(session)
  const sending = Array.from({ length: 8 }, (_, at) => send(`Text ${at}`))
  await center.waitForRequests('submit_sm', 3)
  await pause(30)
  t.equal(center.submits().length, 3)
  t.equal(refusalOf(await sending[7]!), 'rateLimited later')
  while (answers.length > 0 || center.submits().length < 7) {
    t.ok(answers.length <= 3, 'as many as the window has')
    answers.shift()?.()
    await pause(2)
  }
  t.same((await Promise.all(sending)).map(refusalOf), [...Array(7).fill('sent'), 'rateLimited later'])
  t.same(
    center.submits().map((unit) => (unit.short_message as { message: string }).message),
    Array.from({ length: 7 }, (_, at) => `Text ${at}`),
    'in the order of their coming',
  )
})

t.test('A submit that expired before its turn is not sent', async (t) => {
  const answers: (() => void)[] = []
  const submit = () => new Promise<Record<string, never>>((resolve) => answers.push(() => resolve({})))
  const { center, session } = await openTestCenter(t, { submit }, { auth: { windowSize: 1 } })
  await waitUntilConnected(session)
  let hasOptedOut = false
  const first = sender(session)('First')
  const second = sender(session)('Second', undefined, () => hasOptedOut)
  const third = sender(session)('Third')
  await center.waitForRequests('submit_sm', 1)
  hasOptedOut = true
  answers.shift()!()
  t.equal(refusalOf(await first), 'sent')
  t.equal(refusalOf(await second), 'sendFailed later')
  await center.waitForRequests('submit_sm', 2)
  answers.shift()!()
  t.equal(refusalOf(await third), 'sent', 'and those behind it do')
  t.same(
    center.submits().map((unit) => (unit.short_message as { message: string }).message),
    ['First', 'Third'],
  )
})

t.test('A submit that waited too long for its turn is refused for a retry later', async (t) => {
  const { session } = await openTestCenter(
    t,
    { submit: () => 'silence' },
    { auth: { windowSize: 1 }, limits: { waitMs: 60 } },
  )
  await waitUntilConnected(session)
  void sender(session)('First')
  t.equal(refusalOf(await sender(session)('Second')), 'rateLimited later')
})

t.test('Submits are sent at the rate of the contract', async (t) => {
  const at: number[] = []
  const submit = () => {
    at.push(performance.now())
    return {}
  }
  const { session } = await openTestCenter(t, { submit }, { auth: { ratePerSecond: 50, windowSize: 100 } })
  await waitUntilConnected(session)
  const send = sender(session)
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: 26 }, (_, each) => send(`Text ${each}`)))
  t.equal(at.length, 26)
  // A busy machine makes each of them later, and none of them sooner; five milliseconds may be gone ahead.
  const earlyTimes = at.map((each, index) => Math.round(each - startedAt - index * 20)).filter((late) => late < -6)
  t.same(earlyTimes, [], 'each has 20 ms to itself at 50 a second')
})

t.test('The pacer saves up nothing: submits keep their distance, except for the burst', async (t) => {
  const gapLists = fc.array(fc.nat({ max: 200 }), { minLength: 2, maxLength: 80 })
  const property = fc.property(
    fc.integer({ min: 1, max: 1_000 }),
    fc.nat({ max: 20 }),
    gapLists,
    (perSecond, burstMs, gaps) => {
      const pace = createRateLimiter(perSecond, burstMs)
      const sentAt: number[] = []
      let now = 0
      for (const gap of gaps) {
        now += gap
        if (pace.waitMs(now) > 0) continue
        pace.consume(now)
        sentAt.push(now)
      }
      const isApart = (from: number, to: number) =>
        sentAt[to]! - sentAt[from]! >= ((to - from) * 1_000) / perSecond - burstMs - 1e-6
      return sentAt.every((_, to) => sentAt.slice(0, to).every((_, from) => isApart(from, to)))
    },
  )
  t.doesNotThrow(() => fc.assert(property))
})

t.test('Submits pause when a message center throttles, longer each time, and then resume', async (t) => {
  const at: number[] = []
  const submit = (_unit: unknown, times: number) => {
    at.push(performance.now())
    return times <= 3 ? { command_status: times === 2 ? 0x14 : 0x58 } : {}
  }
  const { waits, chance } = countedWaits()
  const { center, session } = await openTestCenter(
    t,
    { submit },
    { auth: { windowSize: 1 }, limits: { jitterShare: 0 }, chance },
  )
  await waitUntilConnected(session)
  const send = sender(session)
  const outcomes = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((text) => send(text)))
  t.same(outcomes.map(refusalOf), [...Array(3).fill('rateLimited later'), 'sent', 'sent'])
  const pauses = at.slice(1).map((each, index) => each - at[index]!)
  for (const [index, least] of [60, 120, 240].entries()) t.ok(pauses[index]! >= least - 2, `${pauses[index]} ms`)
  t.equal(waits(), 3, 'the pace is back')
  t.equal(center.submits().length, 5)
})

t.test('Submits in flight together count once when the message center throttles', async (t) => {
  const submit = (_unit: unknown, times: number) => (times <= 5 ? { command_status: 0x58 } : {})
  const { waits, chance } = countedWaits()
  const { session } = await openTestCenter(t, { submit }, { auth: { windowSize: 5 }, chance })
  await waitUntilConnected(session)
  const send = sender(session)
  const outcomes = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((text) => send(text)))
  t.same(outcomes.map(refusalOf), [...Array(5).fill('rateLimited later'), 'sent'])
  t.equal(waits(), 1, 'the sixth submit waited once')
})

t.test('Responses that refuse a message say whether to retry later, elsewhere or never', async (t) => {
  const verdicts: Record<number, string> = {
    1: 'tooLarge never',
    8: 'sendFailed later',
    10: 'sendFailed otherChannel',
    11: 'unknownRecipient otherChannel',
    69: 'sendFailed otherChannel',
    100: 'sendFailed later',
    101: 'sendFailed otherChannel',
    255: 'sendFailed later',
    1177: 'sendFailed otherChannel',
  }
  const statuses = Object.keys(verdicts).map(Number)
  const { session } = await openTestCenter(t, { submit: (_unit, times) => ({ command_status: statuses[times - 1]! }) })
  for (const status of statuses) {
    const outcome = await sender(session)('Hello')
    t.equal(refusalOf(outcome), verdicts[status], `0x${status.toString(16)}`)
    t.notMatch(JSON.stringify(outcome), /15550/)
  }
})

t.test('A lost connection fails all waiting submits, is reopened, and continues', async (t) => {
  const { center, session } = await openTestCenter(
    t,
    { submit: (_unit, times) => (times <= 2 ? 'silence' : {}) },
    { auth: { windowSize: 2 } },
  )
  await waitUntilConnected(session)
  const send = sender(session)
  const sending = ['a', 'b', 'c'].map((text) => send(text))
  await center.waitForRequests('submit_sm', 2)
  center.drop()
  const outcomes = await Promise.all(sending)
  t.same(outcomes.map(refusalOf), Array(3).fill('sendFailed later'))
  t.match(outcomes[0], { detail: /may have taken/ })
  t.notMatch(outcomes[2], { detail: /may have taken/ })
  t.match(session.problem(), /closed the line|broke/)
  await waitUntilConnected(session)
  t.equal(refusalOf(await send('a')), 'sent')
  t.equal(center.requests.filter(({ command }) => command === 'bind_transceiver').length, 2)
})

t.test('A failed connection is retried after growing waits with jitter', async (t) => {
  const at: number[] = []
  const bind = () => {
    at.push(performance.now())
    return { command_status: 0x08 }
  }
  const { center } = await openTestCenter(
    t,
    { bind },
    { limits: { reconnectMs: 20, reconnectMaxMs: 160, jitterShare: 0.5 } },
  )
  await center.waitForRequests('bind_transceiver', 6)
  const waits = at.slice(1).map((each, index) => each - at[index]!)
  for (const [index, most] of [20, 40, 80, 160, 160].entries())
    t.ok(waits[index]! >= most / 2 - 2, `${waits[index]} ms`)
})

t.test('A host that the guard refuses is not connected to', async (t) => {
  const { center, session } = await openTestCenter(t, {}, { auth: { host: 'nowhere.example' } })
  await waitUntil(() => /no address/.test(session.problem() ?? ''))
  t.equal(refusalOf(await sender(session)('Hello')), 'sendFailed later')
  t.same(center.requests, [])
})

t.test('A late response is stored for a retry of the same submit, so the person gets one message', async (t) => {
  let answer: (given: Record<string, unknown>) => void = () => undefined
  const submit = () => new Promise<Record<string, unknown>>((resolve) => (answer = resolve))
  const { center, session } = await openTestCenter(t, { submit }, { limits: { submitMs: 30 } })
  await waitUntilConnected(session)
  const send = sender(session)
  const late = await send('Hello', 'msg_1.0')
  t.match(late, { kind: 'refused', retry: 'later', detail: /may have taken/ })
  answer({ message_id: 'abc' })
  await pause(20)
  t.same(await send('Hello', 'msg_1.0'), { kind: 'sent', providerId: '2748' })
  t.equal(center.submits().length, 1)
})

t.test('A retry of a submit in flight gets its response, and the text is not submitted twice', async (t) => {
  const { center, session } = await openTestCenter(t, {
    submit: async () => pause(20).then(() => ({ message_id: '7' })),
  })
  const send = sender(session)
  const outcomes = await Promise.all([send('Hello', 'msg_2.0'), send('Hello', 'msg_2.0')])
  t.same(outcomes, Array(2).fill({ kind: 'sent', providerId: '7' }))
  t.equal(center.submits().length, 1)
})

t.test('Both sides may probe with enquire_link, and a connection without a response is closed', async (t) => {
  let isThere = true
  const { center, session } = await openTestCenter(
    t,
    { enquire: () => (isThere ? {} : 'silence') },
    { limits: { enquireEveryMs: 40, enquireMs: 40 } },
  )
  await waitUntilConnected(session)
  t.match(await center.ask('enquire_link'), { command: 'enquire_link_resp', command_status: 0 })
  await center.waitForRequests('enquire_link', 2)
  t.equal(session.problem(), undefined)
  isThere = false
  await center.waitForRequests('bind_transceiver', 2)
  isThere = true
  await waitUntilConnected(session)
})

t.test('A busy connection is not probed', async (t) => {
  const { center, session } = await openTestCenter(t, {}, { limits: { enquireEveryMs: 100 } })
  await waitUntilConnected(session)
  const send = sender(session)
  const receivedAt = [performance.now()]
  for (const given = performance.now() + 300; performance.now() < given; await pause(10)) {
    await send('Hello')
    receivedAt.push(performance.now())
  }
  // Where the machine stood still for as long, the line was not busy.
  const standstills = receivedAt.filter((at, index) => index > 0 && at - receivedAt[index - 1]! > 90).length
  const statuses = center.requests.filter(({ command }) => command === 'enquire_link').length
  t.ok(statuses <= standstills, `asked ${statuses} times, with ${standstills} standstills`)
})

t.test('An unbind of the message center is answered, and the connection is reopened', async (t) => {
  const { center, session } = await openTestCenter(t)
  await waitUntilConnected(session)
  t.match(await center.ask('unbind'), { command: 'unbind_resp', command_status: 0 })
  await center.waitForRequests('bind_transceiver', 2)
  await waitUntilConnected(session)
})

t.test('A closed connection fails all waiting submits, unbinds and stays closed', async (t) => {
  const { center, session } = await openTestCenter(
    t,
    { submit: (_unit, times) => (times === 1 ? pause(50).then(() => ({ message_id: '5' })) : 'silence') },
    { auth: { windowSize: 2 }, limits: { closeMs: 150 } },
  )
  await waitUntilConnected(session)
  const send = sender(session)
  const sending = ['a', 'b', 'c'].map((text) => send(text))
  await center.waitForRequests('submit_sm', 2)
  await session.close()
  const outcomes = await Promise.all(sending)
  t.same(outcomes.map(refusalOf), ['sent', 'sendFailed later', 'sendFailed later'])
  t.equal((await center.waitForRequests('unbind')).length, 1)
  t.equal(refusalOf(await send('d')), 'sendFailed later')
  await pause(100)
  t.equal(center.requests.filter(({ command }) => command === 'bind_transceiver').length, 1)
})

t.test('A connection unbinds and closes when the node stops sending', async (t) => {
  const { center, session, stopping } = await openTestCenter(t)
  await waitUntilConnected(session)
  stopping.abort()
  await center.waitForRequests('unbind')
  await session.close()
  t.match(session.problem(), /clos/)
})

t.test('Over TLS the certificate must be for the host', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'parley-smpp-'))
  t.teardown(() => rmSync(dir, { recursive: true }))
  const { caFile, certFile, keyFile } = makeCertificates(dir, ['DNS:center.example'])
  const [ca, cert, key] = [caFile, certFile, keyFile].map((file) => readFileSync(file, 'utf8')) as [
    string,
    string,
    string,
  ]
  const tls = { key, cert }
  const good = await openTestCenter(t, { tls }, { auth: { host: 'center.example', tls: true }, ca })
  await waitUntilConnected(good.session)
  t.equal(refusalOf(await sender(good.session)('Hello')), 'sent')
  const other = openTestSession(good.center.port, { auth: { host: 'other.example', tls: true }, ca })
  const unknown = openTestSession(good.center.port, { auth: { host: 'center.example', tls: true } })
  for (const { session } of [other, unknown]) {
    await waitUntil(() => /could not be reached/.test(session.problem() ?? ''))
    await session.close()
  }
})

t.test('Data that is not SMPP ends the connection, and an unknown command is refused without ending it', async (t) => {
  const { center, session } = await openTestCenter(t)
  await waitUntilConnected(session)
  const answers: [string, number, number][] = []
  center.session().on('pdu', (unit) => {
    if (unit.isResponse()) answers.push([unit.command, unit.command_status, unit.sequence_number])
  })
  const unit = (command: number, sequence: number, length = 16) => {
    const octets = Buffer.alloc(length)
    for (const [index, value] of [length, command, 0, sequence].entries()) octets.writeUInt32BE(value, index * 4)
    return octets
  }
  const pieces = Buffer.concat([unit(0x777, 41), unit(0x04, 42), unit(0x05, 43, 20_000), unit(0x15, 44)])
  for (const octet of pieces.subarray(0, 40)) center.session().socket.write(Buffer.from([octet]))
  center.session().socket.write(pieces.subarray(40))
  await waitUntil(() => answers.length === 4)
  t.same(answers, [
    ['generic_nack', 3, 41],
    ['generic_nack', 3, 42],
    ['generic_nack', 2, 43],
    ['enquire_link_resp', 0, 44],
  ])
  t.equal(session.problem(), undefined)
  center.session().socket.write('GET / HTTP/1.1\r\nHost: nobody\r\n\r\n')
  await waitUntil(() => /not SMPP/.test(session.problem() ?? ''))
  await waitUntilConnected(session)
})
