/**
 * The way to providers: calls within the guard and the limits, what is kept for a binding, and lines that stay open.
 */
import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { buildConnector } from 'undici'
import type { AgentRouting, ChannelRoute } from '../../../core/agent/routing.js'
import type { Adapter, ConnectContext, Item, ProviderConnection } from '../../../core/channel/adapter.js'
import { refuse } from '../../../core/errors.js'
import { provider as limits } from '../../../core/limits/index.js'
import {
  type BindingRef,
  type ConnectionPoolOptions,
  createConnectionPool,
} from '../../../runtime/delivery/connections.js'
import { openProviders } from '../../../runtime/delivery/providers.js'
import { createTokenCache } from '../../../runtime/delivery/tokencache.js'
import type { EgressClientOptions } from '../../../runtime/egress/client.js'
import { type InboundDeps, recordInbound } from '../../../runtime/ingress/inbound.js'
import { ingressMetrics } from '../../../runtime/ingress/metrics.js'
import type { Log } from '../../../runtime/observe/log.js'
import { createMetrics } from '../../../runtime/observe/metrics.js'
import { createLeapingClock } from '../../harness/clock.js'
import { answer, openReceiver } from '../../harness/receiver.js'
import { sealer } from '../../harness/webhooknode.js'

const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent }

t.test(
  'What is remembered is made once for all who ask, anew when it is over, forgotten or could not be made',
  async (t) => {
    const clock = createLeapingClock()
    const memory = createTokenCache(clock)
    let made = 0
    const make = async () => {
      await turn()
      made++
      return { value: `token ${made}`, until: clock.now() + 1_000 }
    }
    t.same(await Promise.all([memory.get('a', make), memory.get('a', make)]), ['token 1', 'token 1'])
    t.equal(await memory.get('a', make), 'token 1')
    clock.advance(1_000)
    t.equal(await memory.get('a', make), 'token 2')
    memory.invalidate('a')
    t.equal(await memory.get('a', make), 'token 3')
    t.equal(await memory.get('b', async () => undefined), undefined)
    t.equal(await memory.get('b', make), 'token 4', 'that it could not be made is not remembered')
    await t.rejects(async () => memory.get('c', async () => Promise.reject(new Error('no'))))
    t.equal(await memory.get('c', make), 'token 5')
    const slow = memory.get('d', make)
    memory.invalidate('d')
    await slow
    t.equal(await memory.get('d', make), 'token 7', 'what was forgotten while it was made is not kept')
  },
)

function gate() {
  let open = () => {}
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { passed, open }
}

async function openWay(
  t: Test,
  options: { allowPrivate?: boolean; own?: string; build?: EgressClientOptions['build'] } = {},
) {
  const clock = createLeapingClock()
  const { allowPrivate = true, own, build } = options
  const providers = openProviders({
    allowPrivate,
    sealer,
    clock,
    publicUrl: () => 'https://gateway.test',
    ...(own && { ownOrigins: () => new Set([own]) }),
    ...(build && { build }),
  })
  t.teardown(() => providers.close())
  return { providers, clock }
}

const bound = (sealed?: Uint8Array): ChannelRoute => ({
  bindingId: 'cb_1',
  channel: 'sms',
  provider: 'test',
  mode: 'unmanaged',
  ...(sealed && { auth: { kind: 'channel', id: 'cb_1', sealed } }),
})

t.test('A call answers with what the provider said, and never rejects', async (t) => {
  const receiver = await openReceiver(t)
  const { providers } = await openWay(t)
  const { call, ingressUrl } = providers.contextFor(bound(), {}, new AbortController().signal)
  t.equal(ingressUrl, 'https://gateway.test/v4/ingress/cb_1')
  receiver.setBehavior('/send', answer(503))
  const reply = await call({ method: 'POST', url: receiver.url('/send'), headers: { 'x-a': 'b' }, body: 'hello' })
  if (reply.kind !== 'answer') return t.fail(reply.detail)
  t.equal(reply.status, 503)
  t.ok(reply.header('Date'))
  t.equal(reply.header('x-none'), '')
  const [request] = receiver.at('/send')
  t.equal(request?.headers['x-a'], 'b')
  t.equal(request?.body.toString(), 'hello')
  t.match(await call({ method: 'GET', url: 'http://127.0.0.1:1/' }), { kind: 'none', unsent: false })
  t.match(await call({ method: 'GET', url: 'nonsense' }), { kind: 'none', unsent: true })
})

t.test('What is withheld while it waits for its connection is never written', async (t) => {
  const receiver = await openReceiver(t)
  const connecting = gate()
  const build: EgressClientOptions['build'] = (options) => {
    const connect = buildConnector(options)
    return (to, connected) => void connecting.passed.then(() => connect(to, connected))
  }
  const { providers } = await openWay(t, { build })
  let isWithheld = false
  const reaching = providers.contextFor(bound(), {}, new AbortController().signal, () => isWithheld)
  const request = { method: 'POST', url: receiver.url('/send'), body: 'hello' } as const
  const waits = reaching.call(request)
  await turn()
  isWithheld = true
  connecting.open()
  t.match(await waits, { kind: 'none', unsent: true })
  t.match(await reaching.call(request), { kind: 'none', unsent: true })
  t.equal(receiver.at('/send').length, 0)
  isWithheld = false
  t.match(await reaching.call(request), { kind: 'answer', status: 200 })
  t.equal(receiver.at('/send').length, 1)
})

t.test('Private addresses are refused, except those of providers that the node runs itself', async (t) => {
  const receiver = await openReceiver(t)
  const url = receiver.url('/send')
  const signal = new AbortController().signal
  const strange = (await openWay(t, { allowPrivate: false })).providers.contextFor(bound(), {}, signal)
  t.match(await strange.call({ method: 'GET', url }), { kind: 'none', unsent: true })
  const own = (await openWay(t, { allowPrivate: false, own: new URL(url).origin })).providers.contextFor(
    bound(),
    {},
    signal,
  )
  t.match(await own.call({ method: 'GET', url }), { kind: 'answer', status: 200 })
})

t.test('Credentials are opened once, and with others nothing is remembered of before', async (t) => {
  const { providers } = await openWay(t)
  const signal = new AbortController().signal
  const sealed = (await sealer.seal('o', 'channel', 'cb_1', '{"token":"a"}')) as Uint8Array
  const route = bound(sealed)
  const first = await providers.authOf('o', route)
  t.same(first, { auth: { token: 'a' } })
  t.equal(await providers.authOf('o', route), first)
  t.same(await providers.authOf('o', bound()), { auth: {} })
  const loadKept = async () => ({ value: 'kept', until: Number.POSITIVE_INFINITY })
  const other = async () => ({ value: 'other', until: Number.POSITIVE_INFINITY })
  t.equal(await providers.contextFor(route, {}, signal).cache.get('a', loadKept), 'kept')
  t.equal(await providers.contextFor(bound(Buffer.from(sealed)), {}, signal).cache.get('a', other), 'kept')
  const changed = bound((await sealer.seal('o', 'channel', 'cb_1', '{"token":"b"}')) as Uint8Array)
  t.equal(await providers.contextFor(changed, {}, signal).cache.get('a', other), 'other')
})

interface Opened extends ProviderConnection {
  readonly connecting: ConnectContext<unknown>
  isClosed: boolean
}

async function openExchange(t: Test) {
  const { providers, clock } = await openWay(t)
  const opened: Opened[] = []
  const seal = async (text: string) => (await sealer.seal('o', 'channel', 'cb_1', text)) as Uint8Array
  const adapter = {
    descriptor: { traits: {} },
    connect(connecting: ConnectContext<unknown>) {
      const connection: Opened = {
        connecting,
        isClosed: false,
        problem: () => undefined,
        async close() {
          connection.isClosed = true
        },
      }
      opened.push(connection)
      return connection
    },
  } as unknown as Adapter
  const world = {
    route: bound(await seal('{"password":"a"}')) as ChannelRoute | undefined,
    isReachable: true,
    isOnRecord: true,
    found: [{ orgId: 'o', agentId: 'a', bindingId: 'cb_1' }] as BindingRef[],
    recorded: [] as unknown[],
  }
  const agent = () =>
    ({
      orgId: 'o',
      agentId: 'a',
      identity: {},
      notReady: [],
      channels: world.route ? [world.route] : [],
    }) as unknown as AgentRouting
  const deps = {
    providers,
    clock,
    metrics: ingressMetrics(createMetrics()),
    refusedCalls: { note: () => {} },
    adapters: () => adapter,
    directory: { get: async () => (world.isReachable ? agent() : refuse('service.unavailable')) },
    asidOf: () => 'asid',
    contexts: { of: () => ({}) },
    commands: {},
    shards: {
      async execute(_owner: string, _command: unknown, { items }: { items: readonly unknown[] }) {
        if (!world.isOnRecord) return refuse('service.unavailable')
        world.recorded.push(...items)
        return { newCount: items.length }
      },
    },
  } as unknown as InboundDeps & Pick<ConnectionPoolOptions, 'directory' | 'adapters' | 'providers'>
  const connectionPool = createConnectionPool({
    ...deps,
    record: (items) => recordInbound(deps, items, silent),
    findBindings: async () => world.found,
    addressOf: async (host) => host,
    log: silent,
  })
  t.teardown(() => connectionPool.close())
  const refresh = async () => {
    clock.advance(limits.connectionCheckMs)
    for (let n = 0; n < 20; n++) await turn()
  }
  connectionPool.start()
  for (let n = 0; n < 20; n++) await turn()
  return { connectionPool, opened, world, refresh, seal, agent, adapter }
}

t.test('A line is opened for a binding that is found, once, and closed when the binding is gone', async (t) => {
  const { opened, world, refresh } = await openExchange(t)
  t.equal(opened.length, 1)
  t.same(opened[0]?.connecting.auth, { password: 'a' })
  await refresh()
  t.equal(opened.length, 1)
  world.isReachable = false
  await refresh()
  t.notOk(opened[0]?.isClosed, 'an agent that cannot be asked about may be there all the same')
  world.isReachable = true
  world.route = undefined
  await refresh()
  t.ok(opened[0]?.isClosed)
  t.ok(opened[0]?.connecting.signal.aborted)
})

t.test('Other credentials open another line in place of the first', async (t) => {
  const { opened, world, refresh, seal } = await openExchange(t)
  world.route = bound(await seal('{"password":"b"}'))
  await refresh()
  t.equal(opened.length, 2)
  t.ok(opened[0]?.isClosed)
  t.same(opened[1]?.connecting.auth, { password: 'b' })
})

t.test(
  'A message that needs a line opens it before anybody looks around, and gets the one that is there',
  async (t) => {
    const { connectionPool, opened, world, agent, adapter } = await openExchange(t)
    t.equal(connectionPool.get(agent(), world.route!, adapter, {}), opened[0])
    t.equal(
      connectionPool.get(agent(), world.route!, {} as Adapter, {}),
      undefined,
      'a provider that is called has none',
    )
    await connectionPool.close()
    t.ok(opened[0]?.isClosed)
    t.equal(connectionPool.get(agent(), world.route!, adapter, {}), undefined, 'none is opened any more')
  },
)

t.test('What comes over a line is on record once it was told, or is refused to the provider', async (t) => {
  const { opened, world } = await openExchange(t)
  const items: Item[] = [
    { problem: 'unreadable' },
    { id: '1', address: '+15550101', inbound: { kind: 'content', content: { text: 'hello' } } },
  ]
  await opened[0]!.connecting.report(items)
  t.match(world.recorded, [{ id: '1' }])
  world.isOnRecord = false
  await t.rejects(async () => opened[0]!.connecting.report(items))
  world.isOnRecord = true
  world.route = undefined
  await t.rejects(async () => opened[0]!.connecting.report(items), 'nobody is there to hear it')
})
