/** A gateway of one agent: real store, engine, pipeline and way out, with a provider that behaves as it is told. */
import { randomBytes } from 'node:crypto'
import type { Test } from 'tap'
import { emulatorAdapter, signatureHeader, signatureOf } from '../../../adapters/emulator/adapter.js'
import { createPhones } from '../../../adapters/emulator/phones.js'
import type { AgentRouting } from '../../../core/agent/routing.js'
import { formatAgentKey } from '../../../core/agentref.js'
import type { Adapter, SendOutcome } from '../../../core/channel/adapter.js'
import { traitsOf } from '../../../core/channel/channeltraits.js'
import type { ChannelName } from '../../../core/channelnames.js'
import type { TypedEvent } from '../../../core/conversation/state.js'
import { refuse } from '../../../core/errors.js'
import { agentWebhook } from '../../../core/limits/index.js'
import { apiRoutes } from '../../../runtime/api/routes.js'
import { createAsidOf } from '../../../runtime/conversation/asid.js'
import { createAdapterLookup, createAgentContexts } from '../../../runtime/conversation/context.js'
import { apiMetrics } from '../../../runtime/conversation/metrics.js'
import { deadLetterTable, eventTable } from '../../../runtime/conversation/tables.js'
import { openProviders } from '../../../runtime/delivery/providers.js'
import { createThrottle } from '../../../runtime/delivery/throttle.js'
import { createEgressClient, type EgressTimeouts } from '../../../runtime/egress/client.js'
import { createPipeline } from '../../../runtime/http/pipeline.js'
import { createInboundMediaUrls } from '../../../runtime/ingress/inboundmedia.js'
import { ingressRoutes } from '../../../runtime/ingress/routes.js'
import type { Media } from '../../../runtime/media/contract.js'
import { createMediaTokens } from '../../../runtime/media/mediatoken.js'
import { createGatewayDeps, createGatewayModule } from '../../../runtime/node/gateway.js'
import { createLog } from '../../../runtime/observe/log.js'
import { createMetrics } from '../../../runtime/observe/metrics.js'
import type { Shards } from '../../../runtime/shard/contract.js'
import { openEmbedded } from '../../../runtime/shard/embedded.js'
import type { Key, Row, Table } from '../../../runtime/store/contract.js'
import { openStore } from '../../../runtime/store/lmdb.js'
import { allRows } from '../../harness/allrows.js'
import { waitUntil } from '../../harness/clock.js'
import { injectInto } from '../../harness/injection.js'
import { openReceiver, type Received } from '../../harness/receiver.js'
import { withSerialization } from '../../harness/serialization.js'
import { createLeapingClock, sealer, tempDir } from '../../harness/webhooknode.js'

const shardCount = 4
const agentRef = { orgId: 'acme', agentId: 'desk' }
const phoneKey = Buffer.alloc(32, 5)
const webhookPath = '/hook'

/** One request that the provider was given. */
export interface ProviderRequest {
  readonly channel: ChannelName
  readonly address: string
  readonly id: string
  readonly text: string
  readonly payload: unknown
  readonly at: number
}

export type Provider = (providerRequests: ProviderRequest) => SendOutcome | Promise<SendOutcome>

export const acceptAll: Provider = ({ id }) => ({ kind: 'sent', providerId: `p-${id}` })

export interface Envelope {
  readonly userId: string
  readonly event: { readonly eventId: string; readonly event: TypedEvent; readonly timestamp: string }
}

export interface GatewayFixtureOptions {
  readonly channels?: readonly ChannelName[]
  readonly minMessageDelayMs?: number
  readonly hasWebhook?: boolean
  readonly identity?: Readonly<Record<string, string>>
  /** Media that cannot be fetched. */
  readonly unreachable?: readonly string[]
  readonly limits?: EgressTimeouts
  /** Stands between what is performed and the shards it reports to. */
  readonly wrapShards?: (shards: Shards) => Shards
}

/** What its provider says that it lets through. */
export const bulkPerSecond = 40

export async function openGatewayFixture(t: Test, options: GatewayFixtureOptions = {}) {
  const { channels = ['sms', 'rcs'], hasWebhook = true, wrapShards = (shards) => shards } = options
  const clock = createLeapingClock()
  const receiver = await openReceiver(t)
  const { log } = createLog({ destination: { write: () => {} } })
  const store = await openStore({ dir: tempDir(t), shards: shardCount })
  const gatewayModule = createGatewayModule({ timeScale: 1 })
  const providerRequests: ProviderRequest[] = []
  const operatorCalls: { readonly bindingId: string; readonly detail: string }[] = []
  let provider = acceptAll
  const phones = createPhones(1)
  const adapters = channels.map((channel): Adapter => {
    const emulated = emulatorAdapter(channel, phones, phoneKey) as Adapter
    return {
      ...emulated,
      descriptor: { ...emulated.descriptor, bulkPerSecond },
      async send(payload, { address, id }) {
        const { block } = payload as { block?: { text?: string } }
        const each = { channel, address, id, text: block?.text ?? '', payload, at: clock.now() }
        providerRequests.push(each)
        return provider(each)
      },
    }
  })
  const delivery = options.minMessageDelayMs ? { minMessageDelayMs: options.minMessageDelayMs } : {}
  const secretAt = { kind: 'signing secret', id: 'desk' }
  let agent: AgentRouting = {
    ...agentRef,
    name: 'Harbor Desk',
    mode: hasWebhook ? 'webhook' : 'managed',
    ...(hasWebhook && { webhook: { webhookUrl: receiver.url(webhookPath), instanceId: 'blue' } }),
    signingSecret: { ...secretAt, sealed: await sealedSecret('ws-svc-first') },
    identity: options.identity ?? {},
    channels: channels.map((channel) => {
      return { bindingId: `cb_${channel}`, channel, provider: 'emulator', mode: 'unmanaged', delivery }
    }),
    notReady: [],
  }
  async function sealedSecret(secret: string): Promise<Uint8Array> {
    return (await sealer.seal(agentRef.orgId, secretAt.kind, secretAt.id, secret)) as Uint8Array
  }
  const asidOf = createAsidOf(Buffer.alloc(32, 3))
  const metrics = createMetrics()
  const egress = createEgressClient({ allowPrivate: true }, options.limits ?? agentWebhook)
  const publicUrl = () => 'http://gateway.test'
  const providers = openProviders({ allowPrivate: true, sealer, clock, publicUrl })
  const missing = refuse('resource.not_found')
  const adapterOf = createAdapterLookup(adapters)
  const shared = {
    directory: { get: async (key: string) => (key === formatAgentKey(agentRef) ? agent : missing) },
    adapters: adapterOf,
    contexts: createAgentContexts({ adapters: adapterOf, asidOf, traitsOf }),
    asidOf,
    media: {
      rehost: async (url: string): ReturnType<Media['rehost']> =>
        options.unreachable?.includes(url)
          ? { reason: 'mediaUnreachable', why: 'source', detail: 'away' }
          : { url, type: 'image/png', bytes: 1 },
    },
    providers,
    clock,
  }
  const engine = withSerialization(
    openEmbedded({
      shards: shardCount,
      store,
      handlers: {
        ...gatewayModule,
        effectHandlers: (shards) =>
          gatewayModule.effectHandlers(() => handlerDeps(wrapShards(withSerialization(shards)))),
      },
      clock,
      newCommandId: () => randomBytes(12).toString('hex'),
      log,
    }),
  )
  const { deps, ingress, handlerDeps } = createGatewayDeps({
    ...shared,
    throttle: createThrottle({ shards: engine, clock }),
    ...{ gatewayModule, shards: engine, sealer, client: egress, log, metrics },
    mediaUrls: createInboundMediaUrls(createMediaTokens(Buffer.alloc(32, 4)), publicUrl),
    connections: { get: () => undefined },
    markActionRequired: ({ bindingId }, detail) => void operatorCalls.push({ bindingId, detail }),
    campaigns: { mayDispatch: async () => true, mayDispatchLocal: () => true },
  })
  await engine.start()
  const serve = createPipeline({
    prefix: '/v4',
    routes: [
      ...apiRoutes({ ...deps, metrics: apiMetrics(metrics) }),
      ...ingressRoutes({
        ...ingress,
        findBinding: async () => agentRef,
        findBindings: async () => [],
        headers: [signatureHeader],
        publicUrl,
        log,
      }),
    ],
    style: 'gateway',
    authenticate: () => ({ kind: 'agent', id: 'at-svc-desk', ...agentRef }),
    buckets: {
      spend: () => Promise.reject(new Error('no budget here')),
      degraded: () => undefined,
      close: async () => {},
    },
    cors: { headersFor: () => undefined },
    clock,
    log,
    meter: () => ({ observe() {} }),
    checkReplies: true,
  })
  const inject = injectInto(serve)
  t.teardown(async () => {
    const stopped = engine.stop()
    await egress.close()
    await stopped
    await store.close()
  })

  let items = 0
  const fixture = {
    clock,
    engine,
    deps,
    receiver,
    providerRequests,
    operatorCalls,
    inject,
    adapters,
    asid: (address: string, channel: ChannelName = 'sms') => asidOf(formatAgentKey(agentRef), channel, address),
    /** The binding of a channel needs its operator, or is Active again. */
    isReady(channel: ChannelName, ready: boolean): void {
      const all = [...agent.channels, ...agent.notReady]
      const isNotReady = (each: (typeof all)[number]) =>
        each.channel === channel ? !ready : agent.notReady.includes(each)
      agent = { ...agent, channels: all.filter((each) => !isNotReady(each)), notReady: all.filter(isNotReady) }
    },
    setProvider(next: Provider): void {
      provider = next
    },
    setWebhookBehavior: (behavior: Parameters<typeof receiver.setBehavior>[1]) =>
      receiver.setBehavior(webhookPath, behavior),
    async rotateSecret(secret: string): Promise<void> {
      agent = { ...agent, signingSecret: { ...secretAt, sealed: await sealedSecret(secret) } }
    },
    /** Every record of a table, in whatever shard. */
    rows<K extends Key, V>(table: Table<K, V>): Row<K, V>[] {
      return allRows(store, shardCount, table)
    },
    /** Requests of the webhook, as they came. */
    requests: (): readonly Received[] => receiver.at(webhookPath),
    envelopes: (): Envelope[] => receiver.at(webhookPath).map(({ body }) => JSON.parse(body.toString())),
    /** What a person was told in events, as words: the text of a message, a kind, or a state with its channel. */
    eventTexts: (asid: string): string[] =>
      fixture
        .envelopes()
        .filter(({ userId }) => userId === asid)
        .map(({ event: { event } }) => describeEvent(event)),
    deadLetters: () => fixture.rows(deadLetterTable).map(({ value }) => value),
    waitingCount: () => fixture.rows(eventTable).length,
    waitingEvents: () => fixture.rows(eventTable).map(({ value }) => value),
    async ingress(channel: ChannelName, body: string | Uint8Array, signature?: string) {
      const signed = signature ?? signatureOf(phoneKey, `cb_${channel}`, Buffer.from(body as string))
      return inject('POST', `/v4/ingress/cb_${channel}`, { body, headers: { [signatureHeader]: signed } })
    },
    /** Somebody says something, and it is on record. */
    async receiveText(address: string, text: string, channel: ChannelName = 'sms'): Promise<string> {
      const body = JSON.stringify({ items: [{ id: `in-${++items}`, from: address, text }] })
      const { status } = await fixture.ingress(channel, body)
      if (status !== 200) throw new Error(`the ingress answered ${status}`)
      return fixture.asid(address, channel)
    },
    async send(userId: string, messages: readonly unknown[], more: object = {}) {
      const answer = await inject('POST', '/v4/messages', { token: 'agent', json: { userId, messages, ...more } })
      if (!answer.json?.results) throw new Error(`the send was answered ${answer.status}: ${answer.text}`)
      return answer.json.results as { messageId: string; accepted: boolean; reason?: string }[]
    },
    /** Everything that the webhook should hear of has been taken by it. */
    waitForWebhook: () => waitUntil(() => fixture.waitingCount() === 0),
  }
  return fixture
}
export type GatewayFixture = Awaited<ReturnType<typeof openGatewayFixture>>

export const textMessage = (text: string, more: object = {}) => ({
  spec: 'amf/1',
  parts: [{ type: 'text', text }],
  ...more,
})

function describeEvent(event: TypedEvent): string {
  if (event.type === 'message') return event.message.text ?? ''
  if (event.type === 'system') return event.system.kind
  if (event.type !== 'status') return event.type
  const { state, attempt, reason } = event.status
  return [state, attempt.channel, reason].filter(Boolean).join(' ')
}
