/** Behind its guard an adapter that throws, hangs or answers nonsense is the trouble of its own bindings alone. */
import fc from 'fast-check'
import t from 'tap'
import { checkAdapter } from '../../../adapters/kit/index.js'
import type {
  Adapter,
  ConnectContext,
  IngressRequest,
  Item,
  ProviderConnection,
  SendContext,
} from '../../../core/channel/adapter.js'
import {
  itemError,
  mediaAccessError,
  outcomeError,
  payloadsError,
  receivedError,
} from '../../../core/channel/adaptervalidation.js'
import { adapter as limits } from '../../../core/limits/index.js'
import { guardAdapter } from '../../../runtime/delivery/guard.js'
import type { Fields, Log } from '../../../runtime/observe/log.js'
import { generateAdapter, loadAdapter } from '../../adapters/kit/generatedadapter.js'

const { dir } = generateAdapter(t, 'rcs', 'pigeon')
const { adapter, samples } = await loadAdapter(dir)
const secret = 'secret-of-the-sample-account'
const short = { sendMs: 20, probeMs: 20, revokeMs: 20, openMs: 20, closeMs: 20 }

function silentLog(): { log: Log; lines: Fields[] } {
  const lines: Fields[] = []
  const record = (_event: string, fields: Fields = {}) => void lines.push(fields)
  const log: Log = { debug: record, info: record, warn: record, error: record, child: () => log }
  return { log, lines }
}

function behind(changes: Partial<Adapter>, { log, lines } = silentLog()) {
  return { guard: guardAdapter({ ...adapter, ...changes }, log, short), lines }
}

const never = () => new Promise<never>(() => {})
const throwError = (): never => {
  throw new Error(`broken by ${secret}`)
}
const rejectWithError = async () => throwError()
const renderContext = { address: '+14155550100', messageId: 'msg_1' }
const blocks = [{ kind: 'text', text: 'Hello' }] as const
const sending = {
  auth: samples.auth,
  bindingId: 'cb_1',
  address: renderContext.address,
  id: 'msg_1.0',
} as SendContext<unknown>
const request: IngressRequest = {
  bindingId: 'cb_1',
  method: 'POST',
  url: '',
  header: () => '',
  body: new Uint8Array(),
  at: 0,
}
const nonsense = fc.oneof(fc.anything(), fc.record({ kind: fc.constantFrom('sent', 'refused', 'items', 'answer') }))

t.test('A good adapter is the same behind its guard', async (t) => {
  const { guard, lines } = behind({})
  const findings = await checkAdapter(guardAdapter(adapter, silentLog().log), samples)
  t.same(
    findings.filter(({ ok }) => !ok),
    [],
  )
  t.equal(guard.descriptor, adapter.descriptor)
  for (const power of ['probe', 'revoke', 'connect', 'validateAuth', 'openMedia', 'traitsForDevice'] as const)
    t.notOk(power in guard, 'no power is added')
  t.same(lines, [])
})

t.test('A send that throws, rejects or answers nonsense is refused, and the next channel is tried', async (t) => {
  const refused = { kind: 'refused', reason: 'invalidMessage', retry: 'otherChannel' }
  const odd = ['CARDS', [''], [7], ['x'.repeat(61)], Array.from({ length: 51 }, (_, at) => `a${at}`), null]
  const unable = odd.map((deviceCapabilities) => async () => ({ ...refused, deviceCapabilities }))
  for (const send of [
    throwError,
    rejectWithError,
    async () => undefined,
    async () => ({ kind: 'sent' }),
    () => 7,
    ...unable,
  ]) {
    const { guard, lines } = behind({ send: send as never })
    t.match(await guard.send({}, sending), { kind: 'refused', retry: 'otherChannel' })
    t.match(lines, [{ provider: 'pigeon', bindingId: 'cb_1', doing: 'send' }])
  }
  for (const deviceCapabilities of [[], ['CARDS']]) {
    const { guard, lines } = behind({ send: async () => ({ ...refused, deviceCapabilities }) as never })
    t.same(await guard.send({}, sending), { ...refused, deviceCapabilities }, 'what a device can do is passed on')
    t.same(lines, [])
  }
  await fc.assert(
    fc.asyncProperty(nonsense, async (value) => {
      const { guard } = behind({ send: async () => value as never })
      return outcomeError(await guard.send({}, sending)) === undefined
    }),
  )
})

t.test('A send that hangs is refused for now, and holds no more than one place while it does', async (t) => {
  let begun = 0
  let isWell = false
  const { guard, lines } = behind({
    send: () => {
      begun += 1
      return isWell ? Promise.resolve({ kind: 'sent', providerId: 'x' } as const) : never()
    },
  })
  t.match(await guard.send({}, sending), { kind: 'refused', retry: 'later', detail: /in time/ })
  t.match(lines, [{ doing: 'send', problem: 'no outcome in time' }])
  const many = await Promise.all(Array.from({ length: 20 }, () => guard.send({}, sending)))
  t.equal(begun, 2, 'one of many is tried')
  t.ok(many.every((outcome) => outcome.kind === 'refused' && outcome.retry === 'later'))
  isWell = true
  t.match(await guard.send({}, { ...sending, bindingId: 'cb_2' }), { kind: 'sent' }, 'another binding never noticed')
  t.match(await guard.send({}, sending), { kind: 'sent' }, 'and it is over as soon as one has an outcome')
  const after = await Promise.all(Array.from({ length: 5 }, () => guard.send({}, sending)))
  t.ok(after.every(({ kind }) => kind === 'sent'))
})

t.test('What comes after the guard gave up goes nowhere', async (t) => {
  const { guard } = behind({
    send: () => new Promise((_, reject) => setTimeout(() => reject(new Error('late')), 40)),
  })
  t.match(await guard.send({}, sending), { retry: 'later' })
  await new Promise((resolve) => setTimeout(resolve, 60))
})

t.test('A message that cannot be written is refused when it is sent', async (t) => {
  for (const render of [throwError, () => undefined, () => [() => {}], () => [new Date()], () => 'x']) {
    const { guard, lines } = behind({ render: render as never, send: throwError })
    const payloads = guard.render(blocks, renderContext)
    t.equal(payloads.length, 1)
    t.match(await guard.send(payloads[0], sending), { kind: 'refused', retry: 'otherChannel', detail: /write/ })
    t.match(lines, [{ doing: 'render' }])
  }
  fc.assert(
    fc.property(
      fc.anything(),
      (value) =>
        payloadsError(behind({ render: () => value as never }).guard.render(blocks, renderContext)) === undefined,
    ),
  )
})

t.test('Wires are plain data of a bounded size', async (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.jsonValue({ maxDepth: 5 }), { maxLength: 5 }),
      (payloads) => payloadsError(payloads) === undefined,
    ),
  )
  const circle: { self?: unknown } = {}
  circle.self = circle
  const wrong = [
    undefined,
    [undefined],
    [[undefined]],
    [{ n: Number.NaN }],
    [{ b: 1n }],
    [{ bytes: new Uint8Array(1) }],
    [{ map: new Map() }],
    [circle],
    [{ text: 'x'.repeat(limits.payloadChars + 1) }],
    [Array.from({ length: limits.payloadChars + 1 }, () => 1)],
    Array.from({ length: limits.payloadsPerMessage + 1 }, () => ({})),
  ]
  for (const payloads of wrong) t.type(payloadsError(payloads), 'string')
  t.equal(payloadsError([{ a: undefined, b: [] }]), undefined, 'a member that is undefined is not there')
})

t.test('A call that the adapter cannot read is for the provider to make again', async (t) => {
  for (const receive of [throwError, () => undefined, () => ({ kind: 'items' }), () => ({ kind: 'ok' })]) {
    const { guard, lines } = behind({ receive: receive as never })
    t.throws(() => guard.receive(request, samples.auth), {
      message: /^the adapter of the channel could not read a call$/,
    })
    t.match(lines, [{ doing: 'receive', bindingId: 'cb_1' }])
  }
  fc.assert(
    fc.property(nonsense, (value) => {
      try {
        return receivedError(behind({ receive: () => value as never }).guard.receive(request, {})) === undefined
      } catch (error) {
        return (error as Error).message === 'the adapter of the channel could not read a call'
      }
    }),
  )
})

t.test('Items out of shape become problems, and the others stay', async (t) => {
  const good: Item = { id: 'a', address: 'b', inbound: { kind: 'content', content: { text: 'Hi' } } }
  const long = 'x'.repeat(limits.idChars + 1)
  const bad: unknown[] = [
    null,
    7,
    {},
    { ...good, id: '' },
    { ...good, id: long },
    { ...good, address: long },
    { ...good, deviceCapabilities: 'LIST' },
    { ...good, deviceCapabilities: [''] },
    { ...good, deviceCapabilities: [7] },
    { ...good, deviceCapabilities: ['x'.repeat(61)] },
    { ...good, deviceCapabilities: Array.from({ length: 51 }, (_, at) => `a${at}`) },
    { ...good, inbound: { kind: 'spell' } },
    { ...good, inbound: { kind: 'toString' } },
    { ...good, inbound: { kind: 'content', content: {} } },
    { ...good, inbound: { kind: 'content', content: { text: 7 } } },
    { ...good, inbound: { kind: 'content', content: { media: [{}] } } },
    { ...good, inbound: { kind: 'content', content: { place: { latitude: 'north' } } } },
    { ...good, inbound: { kind: 'tap', messageId: 'm', place: -1 } },
    { ...good, inbound: { kind: 'tap', place: 0 } },
    { ...good, inbound: { kind: 'system', system: 'windowChanged' } },
    { ...good, inbound: { kind: 'receipt', receipt: { providerId: 'm', state: 'queued' } } },
    { ...good, inbound: { kind: 'receipt', receipt: { state: 'sent' } } },
    { problem: 7 },
  ]
  for (const item of bad) {
    const items = [good, item, good] as Item[]
    const received = behind({ receive: () => ({ kind: 'items', items }) }).guard.receive(request, {})
    t.match(received, { items: [good, { problem: String }, good] }, JSON.stringify(item)?.slice(0, 100))
  }
  fc.assert(
    fc.property(fc.array(fc.anything()), (items) => {
      const { guard } = behind({ receive: () => ({ kind: 'items', items: items as Item[] }) })
      const received = guard.receive(request, {})
      return received.kind === 'items' && received.items.every((item) => itemError(item) === undefined)
    }),
  )
})

t.test('Nothing secret is in what the guard answers or logs', async (t) => {
  const { log, lines } = silentLog()
  const talking = guardAdapter(
    {
      ...adapter,
      send: async () => ({ kind: 'refused', reason: 'sendFailed', retry: 'never', detail: `not with ${secret}` }),
      validateAuth: () => ({ field: 'apiKey', message: `not ${secret}` }),
      receive: throwError,
    },
    log,
  )
  t.match(await talking.send({}, sending), { retry: 'never', detail: 'not with …' })
  t.match(talking.validateAuth?.(samples.auth), { field: 'apiKey', message: 'not …' })
  t.throws(() => talking.receive(request, samples.auth))
  await guardAdapter({ ...adapter, send: rejectWithError }, log).send({}, sending)
  t.notMatch(JSON.stringify(lines), secret)
  t.match(lines, [
    { doing: 'receive', problem: 'broken by …' },
    { doing: 'send', problem: 'broken by …' },
  ])
})

t.test(
  'Traits of a device that cannot be told, or are more than the channel has, are those of the channel',
  async (t) => {
    const { traits } = adapter.descriptor
    const { chips: _none, ...less } = traits
    for (const wrong of [
      undefined,
      {},
      { ...traits, typing: 'yes' },
      { ...traits, text: { ...traits.text, max: 1e6 } },
    ]) {
      const { guard, lines } = behind({ traitsForDevice: () => wrong as never })
      t.equal(guard.traitsForDevice?.([]), traits)
      t.match(lines, [{ doing: 'traitsForDevice', problem: /more than the channel has/ }])
    }
    t.equal(behind({ traitsForDevice: throwError }).guard.traitsForDevice?.([]), traits)
    const { guard, lines } = behind({ traitsForDevice: () => less })
    t.equal(guard.traitsForDevice?.(['anything']), less)
    t.same(lines, [])
  },
)

t.test('Powers that fail know nothing and have done nothing', async (t) => {
  for (const broken of [throwError, rejectWithError, never, async () => ({ reachable: 1 })]) {
    const { guard, lines } = behind({
      probe: broken as never,
      revoke: broken as never,
      openMedia: broken as never,
      signal: throwError,
      validateAuth: throwError,
    })
    t.same(await guard.probe?.(['+1'], sending), { reachable: [], unreachable: [] })
    t.equal(await guard.revoke?.('x', sending), 'unknown')
    t.match(await guard.openMedia?.('x', sending), { kind: 'refused', detail: /could not/ })
    t.equal(guard.signal?.('typing', renderContext), undefined)
    t.match(guard.validateAuth?.({}), { field: '', message: /judged/ })
    t.equal(lines.length, 5)
    t.notMatch(JSON.stringify(lines.filter(({ doing }) => doing === 'openMedia')), secret)
  }
})

t.test(
  'What opens media goes on as it is, and a refusal without the secret; a header of two lines is none',
  async (t) => {
    const at = { kind: 'at', url: 'https://media.example/1', headers: { authorization: `Bearer ${secret}` } } as const
    const openingWith = (opening: unknown) => behind({ openMedia: async () => opening as never }).guard
    t.same(await openingWith(at).openMedia?.('x', sending), at)
    const refusal = { kind: 'refused', detail: `no such token: ${secret}` }
    t.same(await openingWith(refusal).openMedia?.('x', sending), { ...refusal, detail: 'no such token: …' })
    for (const wrong of [
      undefined,
      { ...at, url: 'file:///etc/passwd' },
      { ...at, url: undefined },
      { ...at, headers: undefined },
      { ...at, headers: { 'x-a': 'one\r\nx-b: two' } },
      { ...at, headers: { 'x a': 'one' } },
      { ...at, headers: { 'x-a': 1 } },
      { kind: 'refused', detail: '' },
      { kind: 'gone' },
    ])
      t.match(await openingWith(wrong).openMedia?.('x', sending), { kind: 'refused', detail: /could not/ })
    await fc.assert(
      fc.asyncProperty(nonsense, async (value) => {
        return mediaAccessError(await openingWith(value).openMedia?.('x', sending)) === undefined
      }),
    )
  },
)

t.test('A line is opened, asked and closed behind the guard, and its adapter sends with its own', async (t) => {
  const own: ProviderConnection & { mark: string } = { mark: 'own', problem: () => undefined, close: async () => {} }
  const reported: Item[][] = []
  const connecting = { ...sending, report: async (items: readonly Item[]) => void reported.push([...items]) }
  let report: ConnectContext<unknown>['report'] = async () => {}
  let sentWith: unknown
  const { guard } = behind({
    connect: (context) => {
      report = context.report
      return own
    },
    send: async (_payload, { connection }) => {
      sentWith = connection
      return { kind: 'sent', providerId: 'x' }
    },
  })
  const connection = guard.connect!(connecting as never)
  t.equal(connection.problem(), undefined)
  await guard.send({}, { ...sending, connection })
  t.equal(sentWith, own)
  await report([{ id: '' } as never])
  t.match(reported, [[{ problem: /id/ }]])
  await connection.close()
})

t.test('A line that fails is in trouble, and its end is waited for no longer than it may take', async (t) => {
  const connecting = sending as never
  const dead = behind({ connect: throwError }).guard.connect!(connecting)
  t.match(dead.problem(), /could not open/)
  await dead.close()
  const { guard, lines } = behind({ connect: () => ({ problem: throwError, close: never }) })
  const connection = guard.connect!(connecting)
  t.match(connection.problem(), /cannot be read/)
  await connection.close()
  await behind({ connect: () => ({ problem: throwError, close: rejectWithError }) }).guard.connect!(connecting).close()
  t.match(lines, [{ doing: 'trouble' }, { doing: 'close' }])
})
