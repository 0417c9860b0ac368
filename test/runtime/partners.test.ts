/** An adapter of a partner runs in a thread: what ends or holds the thread is the trouble of its own bindings. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type {
  ConnectContext,
  FindContext,
  Item,
  ProviderRequest,
  ProviderResponse,
} from '../../core/channel/adapter.js'
import { createTokenCache } from '../../runtime/delivery/tokencache.js'
import { openPartners } from '../../runtime/node/partneradapters.js'
import type { Fields, Log } from '../../runtime/observe/log.js'
import { adapterThread } from '../../runtime/partners/limits.js'
import { generateAdapter, loadAdapter } from '../adapters/kit/generatedadapter.js'
import { waitUntil } from '../harness/clock.js'

const limits = { ...adapterThread, heartbeatMs: 50, missedHeartbeats: 20, restartMs: 10, heapMb: 64 }
const secret = 'secret-of-the-sample-account'
const renderContext = { address: '+14155550100', messageId: 'msg_1' }

/** What the adapter does besides sending, by the text of the message. */
const troubles = `
  const doing = payload.text
  const fail = async () => { throw new Error('broken by ' + auth.signingSecret) }
  if (doing === 'forgets') fail()
  if (doing === 'loops') for (;;) {}
  if (doing === 'calls and loops') { await call({ method: 'GET', url: 'https://a.example/' }); for (;;) {} }
  if (doing === 'fills the heap') { const all = []; for (;;) all.push(new Array(1000).fill(all.length)) }
  if (doing === 'keeps buffers') { const all = []; setInterval(() => all.push(Buffer.alloc(16e6, 1)), 1); await new Promise(() => {}) }
  if (doing === 'throws later') { setTimeout(() => { throw new Error('late ' + auth.signingSecret) }); await new Promise(() => {}) }
  if (doing === 'exits') process.exit(0)
  if (doing === 'asks') return { kind: 'sent', providerId: String([isCancelled(), now(), await cache.get('n', async () => ({ value: Math.random(), until: now() + 1e6 }))]) }
  if (doing === 'waits') { await new Promise((done) => signal.addEventListener('abort', done)); return { kind: 'sent', providerId: 'aborted' } }
  if (doing === 'reads') return { kind: 'sent', providerId: JSON.stringify(Object.keys(process.env).filter((name) => /^(PARLEY|PIGEON)_/.test(name))) }
  if (doing === 'signals') return { kind: 'sent', providerId: JSON.stringify(['kill', '_kill', 'abort'].map((name) => { try { return process[name](process.pid, 0) } catch ({ message }) { return message } })) }
  if (doing === 'floods') { for (let n = 0; n < 5000; n++) call({ method: 'GET', url: 'https://a.example/' }) }
`

function writeBrokenAdapter(t: Test, provider = 'pigeon', more = ''): string {
  const { dir } = generateAdapter(t, 'sms', provider)
  const send = join(dir, 'send.js')
  const text = readFileSync(send, 'utf8').replace(
    '{ auth, address, id, call }) {',
    `{ auth, address, id, call, isCancelled, now, cache, signal }) {${troubles}`,
  )
  writeFileSync(send, text)
  const index = join(dir, 'index.js')
  writeFileSync(index, readFileSync(index, 'utf8').replace('  receive,\n', `  receive,\n${more}`))
  return dir
}

async function open(t: Test, dirs: readonly string[], changes: Partial<typeof limits> = {}) {
  const lines: { event: string; fields: Fields }[] = []
  const record = (event: string, fields: Fields = {}) => void lines.push({ event, fields })
  const log: Log = { debug: record, info: record, warn: record, error: record, child: () => log }
  const partners = await openPartners(dirs, { from: '/', log, limits: { ...limits, ...changes } })
  t.teardown(() => partners.close())
  const linesNamed = (event: string) => lines.filter((each) => each.event === event).map(({ fields }) => fields)
  return { adapters: partners.adapters, adapter: partners.adapters[0]!, linesNamed, lines }
}

const accepted: ProviderResponse = {
  kind: 'answer',
  status: 202,
  header: () => '',
  headers: {},
  body: '{"id":"wire_1"}',
}
const auth = { accountId: 'acme', apiKey: 'key-of-the-sample-account', signingSecret: secret }
const memory = createTokenCache({ now: () => 1_000 })

function sendContext(more: Partial<FindContext<unknown>> = {}): FindContext<unknown> {
  return {
    ...{
      auth,
      bindingId: 'cb_1',
      ingressUrl: 'https://gateway.test/v4/ingress/cb_1',
      address: renderContext.address,
      id: 'msg_1.0',
    },
    ...{ call: async () => accepted, cache: memory, now: () => 1_000, signal: new AbortController().signal },
    ...{ isCancelled: () => false, since: 0, isKnown: () => false },
    ...more,
  }
}

type Opened = Awaited<ReturnType<typeof open>>['adapter']
const message = (text: string) => ({ type: 'text', text })
const send = (adapter: Opened, text: string, more = {}) => adapter.send(message(text), sendContext(more))
const sent = { kind: 'sent', providerId: 'wire_1' }
const isBack = async (adapter: Opened) => (await send(adapter, 'Hello')).kind === 'sent'

t.test('An adapter in its thread renders, receives and sends as in the process', async (t) => {
  const { dir } = generateAdapter(t, 'sms', 'pigeon')
  const { adapter: local, samples } = await loadAdapter(dir)
  const { adapter, lines } = await open(t, [dir])
  t.same(adapter.descriptor, local.descriptor)
  t.notOk('connect' in adapter || 'probe' in adapter, 'no power is added')
  const blocks = [{ kind: 'text', text: 'Hello', chips: [{ label: 'Yes', tap: 0 }] }] as never
  t.same(await adapter.render(blocks, renderContext), local.render(blocks, renderContext))
  t.same(await adapter.signal?.('typing', renderContext), local.signal?.('typing', renderContext))
  for (const { body, signed } of samples.calls) {
    const bytes = Buffer.from(JSON.stringify(body))
    const at = signed?.at ?? Date.UTC(2026, 10, 20)
    const headers = signed?.headers ?? samples.sign!({ body: bytes, at } as never, samples.auth)
    const header = (name: string) => (headers as Record<string, string>)[name] ?? ''
    const request = { bindingId: 'cb_1', method: 'POST', url: 'https://g.test/', header, body: bytes, at } as const
    t.same(await adapter.receive(request, samples.auth), local.receive(request, samples.auth))
  }
  for (const { answer } of samples.answers) {
    const { status, headers = {}, body } = answer as { status: number; headers?: Record<string, string>; body: unknown }
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const call = async () =>
      ({ kind: 'answer', status, headers, header: (name: string) => headers[name] ?? '', body: text }) as const
    t.same(await send(adapter, 'Hello', { call }), await local.send(message('Hello'), sendContext({ call })))
  }
  t.same(lines, [])
})

t.test('A rejection that the adapter does not await is logged without a secret, and its message is sent', async (t) => {
  const { adapter, linesNamed } = await open(t, [writeBrokenAdapter(t)])
  t.same(await send(adapter, 'forgets'), sent)
  await waitUntil(() => linesNamed('adapter.failed').length > 0)
  t.match(linesNamed('adapter.failed'), [
    { provider: 'pigeon', bindingId: 'cb_1', doing: /^send: a rejection/, problem: /^broken by / },
  ])
  t.notMatch(JSON.stringify(linesNamed('adapter.failed')), secret)
  t.same(await send(adapter, 'Hello'), sent)
  t.same(linesNamed('adapter.thread.ended'), [])
})

t.test('An adapter that ends or blocks its thread is restarted, and other adapters continue', async (t) => {
  for (const doing of ['loops', 'fills the heap', 'keeps buffers', 'throws later', 'exits']) {
    const { adapters, adapter, linesNamed } = await open(t, [writeBrokenAdapter(t), writeBrokenAdapter(t, 'owl')], {
      externalBytes: 128e6,
    })
    const pending = send(adapter, doing)
    t.same(await send(adapters[1]!, 'Hello'), sent, 'another adapter answers in the meantime')
    const outcome = await pending
    t.match(outcome, { kind: 'refused', retry: 'later' }, doing)
    t.notOk('isUnknown' in outcome, 'no request had left the node')
    t.match(linesNamed('adapter.thread.ended'), [{ calls: 1 }], doing)
    await waitUntil(() => isBack(adapter))
    t.equal(linesNamed('adapter.thread.ended').length, 1)
    t.notMatch(JSON.stringify(linesNamed('adapter.failed')), secret)
  }
})

t.test('A send that had called its provider when the thread ended has an unknown outcome', async (t) => {
  const { adapter } = await open(t, [writeBrokenAdapter(t)])
  t.match(await send(adapter, 'calls and loops'), { kind: 'refused', retry: 'later', isUnknown: true })
})

t.test('Without a thread messages are refused temporarily and calls of providers fail', async (t) => {
  const { adapter, linesNamed } = await open(t, [writeBrokenAdapter(t)], { restartMs: 400, restartMaxMs: 1_000 })
  const ends = async (count: number) => {
    await send(adapter, 'exits')
    await waitUntil(() => linesNamed('adapter.thread.ended').length === count)
  }
  await ends(1)
  const [payload] = await adapter.render([{ kind: 'text', text: 'Hello' }], renderContext)
  t.match(await adapter.send(payload, sendContext()), { kind: 'refused', retry: 'later' })
  t.match(await send(adapter, 'Hello'), { kind: 'refused', retry: 'later' })
  const request = {
    bindingId: 'cb_1',
    method: 'POST',
    url: '',
    header: () => '',
    body: new Uint8Array(),
    at: 0,
  } as const
  await t.rejects(Promise.resolve(adapter.receive(request, auth)))
  for (const count of [2, 3]) {
    await waitUntil(() => isBack(adapter))
    await ends(count)
  }
  const waits = linesNamed('adapter.thread.ended').map(({ restartInMs }) => restartInMs)
  t.same(waits, [400, 800, 1_000], 'each wait is twice the one before, up to the most')
})

t.test('A module that never finishes loading stops the start with a sentence', async (t) => {
  for (const text of ['for (;;) {}', 'await new Promise(() => setInterval(() => {}, 1000))', 'process.exit(0)']) {
    const { dir } = generateAdapter(t, 'sms', 'pigeon')
    writeFileSync(join(dir, 'index.js'), text)
    await t.rejects(open(t, [dir], { loadMs: 300 }), { name: 'AdapterUnusable', message: /cannot be loaded: it/ }, text)
  }
})

t.test('An adapter in its thread queries the node for data that only the node has', async (t) => {
  const { adapter } = await open(t, [writeBrokenAdapter(t)])
  const probeContext = async (more: Partial<FindContext<unknown>> = {}) => {
    const outcome = await send(adapter, 'asks', more)
    return outcome.kind === 'sent' ? outcome.providerId.split(',') : []
  }
  const [isWithheld, at, cached] = await probeContext()
  t.equal(isWithheld, 'false')
  t.ok(Number(at) >= 1_000 && Number(at) < Date.now() / 2, 'the clock is that of the node')
  t.match(await probeContext({ isCancelled: () => true }), ['true', /^\d+$/, cached], 'the adapter’s own state is kept')
  const other = await probeContext({ cache: createTokenCache({ now: () => 0 }) })
  t.not(other[2], cached, 'a binding with other credentials has a memory of its own')
  const end = new AbortController()
  const waiting = send(adapter, 'waits', { signal: end.signal })
  end.abort()
  t.same(await waiting, { kind: 'sent', providerId: 'aborted' })
})

t.test('An adapter reads its own environment variables, and none of the node’s', async (t) => {
  const set = { PARLEY_BOOTSTRAP_KEY: 'sk-svc-of-the-node', PARLEY_WHATEVER: 'x', PIGEON_REGION: 'eu' }
  Object.assign(process.env, set)
  t.teardown(() => {
    for (const name of Object.keys(set)) delete process.env[name]
  })
  const { adapter } = await open(t, [writeBrokenAdapter(t)])
  t.match(await send(adapter, 'reads'), { kind: 'sent', providerId: '["PIGEON_REGION"]' })
  t.equal(process.env.PARLEY_BOOTSTRAP_KEY, set.PARLEY_BOOTSTRAP_KEY, 'the node keeps its own')
})

t.test('An adapter cannot send signals to the process of the node', async (t) => {
  const { adapter, linesNamed } = await open(t, [writeBrokenAdapter(t)])
  const outcome = await send(adapter, 'signals')
  const [kill, rawKill, abort] = outcome.kind === 'sent' ? JSON.parse(outcome.providerId) : []
  for (const answer of [kill, rawKill]) t.match(answer, /^An adapter sends no signals/)
  t.match(abort, /not supported in workers/)
  t.same(await send(adapter, 'Hello'), sent)
  t.same(linesNamed('adapter.thread.ended'), [])
})

t.test('An adapter that calls without end has a bounded number of requests at the node', async (t) => {
  const { adapter } = await open(t, [writeBrokenAdapter(t)], {})
  let requests = 0
  const call = (request: ProviderRequest) => {
    if (request.method === 'GET') requests++
    return new Promise<ProviderResponse>((resolve) => setTimeout(() => resolve(accepted), 20))
  }
  await send(adapter, 'floods', { call })
  t.ok(requests > 0 && requests <= adapterThread.openRequests, String(requests))
})

const powers = `
  validateAuth: ({ accountId }) => (accountId === 'nobody' ? { field: 'accountId', message: 'is not an account' } : undefined),
  traitsForDevice: (abilities) => (abilities.includes('MEDIA') ? descriptor.traits : { ...descriptor.traits, text: { ...descriptor.traits.text, max: 160 } }),
  find: async (_wire, { isKnown }) => (isKnown('a') ? { kind: 'absent' } : { kind: 'found', providerId: 'a' }),
  connect({ report, addressOf, bindingId }) {
    const items = [{ id: 'evt_1', address: '+14155550100', inbound: { kind: 'content', content: { text: bindingId } } }]
    const up = addressOf('smsc.example', 2775).then(async (address) => { await report(items); return address })
    return { problem: () => 'no bind yet', close: async () => {}, up }
  },
  revoke: async (_id, { connection }) => ((await connection.up) === '192.0.2.1' ? 'revoked' : 'tooLate'),
`

t.test(
  'Optional functions of an adapter work in its thread, and a connection is reopened after a restart',
  async (t) => {
    const { adapter } = await open(t, [writeBrokenAdapter(t, 'pigeon', powers)])
    t.equal(await adapter.validateAuth?.(auth), undefined)
    t.match(await adapter.validateAuth?.({ ...auth, accountId: 'nobody' }), { field: 'accountId' })
    t.same(await adapter.find?.({}, sendContext()), { kind: 'found', providerId: 'a' })
    t.same(await adapter.find?.({}, sendContext({ isKnown: (id) => id === 'a' })), { kind: 'absent' })
    t.equal(adapter.traitsForDevice?.([]), adapter.descriptor.traits, 'until it is known')
    await adapter.prepareTraits?.([])
    t.equal(adapter.traitsForDevice?.([]).text.max, 160)
    const items: Item[] = []
    const connecting: ConnectContext<unknown> = {
      ...sendContext(),
      addressOf: async () => '192.0.2.1',
      report: async (reported) => void items.push(...reported),
    }
    const connection = adapter.connect!(connecting)
    t.equal(await adapter.revoke?.('wire_1', sendContext({ connection })), 'revoked')
    t.match(items, [{ id: 'evt_1', inbound: { content: { text: 'cb_1' } } }])
    await waitUntil(() => connection.problem() === 'no bind yet')
    await send(adapter, 'exits')
    t.match(connection.problem(), /started again/)
    await waitUntil(() => isBack(adapter))
    t.equal(await adapter.revoke?.('wire_1', sendContext({ connection })), 'revoked')
    t.equal(items.length, 2)
    await connection.close()
  },
)
