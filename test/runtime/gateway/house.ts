/** A gateway of one agent: real store, engine, pipeline and way out, with a provider that behaves as it is told. */
import { randomBytes } from 'node:crypto'
import type { Test } from 'tap'
import { emulatorAdapter, signatureHeader, signatureOf } from '../../../adapters/emulator/adapter.js'
import { openPhones } from '../../../adapters/emulator/phones.js'
import type { AgentRouting } from '../../../core/agent/routing.js'
import { agentKeyOf } from '../../../core/agentkey.js'
import type { Adapter, SendOutcome } from '../../../core/channel/adapter.js'
import { traitsOf } from '../../../core/channel/table.js'
import type { ChannelName } from '../../../core/channelnames.js'
import type { TypedEvent } from '../../../core/conversation/state.js'
import { refuse } from '../../../core/errors.js'
import { agentWebhook } from '../../../core/limits.js'
import { gatewayRoutes } from '../../../runtime/api/routes.js'
import { asids } from '../../../runtime/conversation/asid.js'
import { adaptersAmong, createAgentContexts } from '../../../runtime/conversation/context.js'
import { apiMetrics } from '../../../runtime/conversation/metrics.js'
import { deadLetterTable, eventTable } from '../../../runtime/conversation/tables.js'
import { openProviders } from '../../../runtime/delivery/providers.js'
import { createThrottle } from '../../../runtime/delivery/throttle.js'
import { createPipeline } from '../../../runtime/http/pipeline.js'
import { receivedAddresses } from '../../../runtime/ingress/media.js'
import { ingressRoutes } from '../../../runtime/ingress/routes.js'
import { openCapsules } from '../../../runtime/media/capsule.js'
import type { Media } from '../../../runtime/media/contract.js'
import { gatewayDeps, gatewayParts } from '../../../runtime/node/gateway.js'
import { openLog } from '../../../runtime/observe/log.js'
import { openMetrics } from '../../../runtime/observe/metrics.js'
import type { Shards } from '../../../runtime/shard/contract.js'
import { openEmbedded } from '../../../runtime/shard/embedded.js'
import type { Key, Row, Table } from '../../../runtime/store/contract.js'
import { openStore } from '../../../runtime/store/lmdb.js'
import { type DoorLimits, openDoor } from '../../../runtime/webhook/door.js'
import { carried } from '../../harness/carried.js'
import { until } from '../../harness/clock.js'
import { everyRow } from '../../harness/everyrow.js'
import { injectInto } from '../../harness/inject.js'
import { openReceiver, type Received } from '../../harness/receiver.js'
import { leapingClock, sealer, temporary } from '../../harness/webhooknode.js'

const shardCount = 4
const place = { orgId: 'acme', agentId: 'desk' }
const phoneKey = Buffer.alloc(32, 5)
const hook = '/hook'

/** One request that the provider was given. */
export interface Handed {
  readonly channel: ChannelName
  readonly address: string
  readonly id: string
  readonly text: string
  readonly wire: unknown
  readonly at: number
}

export type Provider = (handed: Handed) => SendOutcome | Promise<SendOutcome>

export const takes: Provider = ({ id }) => ({ kind: 'sent', providerId: `p-${id}` })

export interface Envelope {
  readonly userId: string
  readonly event: { readonly eventId: string; readonly event: TypedEvent; readonly timestamp: string }
}

export interface HouseOptions {
  readonly channels?: readonly ChannelName[]
  readonly minMessageDelayMs?: number
  readonly hasWebhook?: boolean
  readonly identity?: Readonly<Record<string, string>>
  /** Media that cannot be fetched. */
  readonly unreachable?: readonly string[]
  readonly limits?: DoorLimits
  /** Stands between what is performed and the shards it reports to. */
  readonly between?: (shards: Shards) => Shards
}

/** What its provider says that it lets through. */
export const bulkPerSecond = 40

export async function openHouse(t: Test, options: HouseOptions = {}) {
  const { channels = ['sms', 'rcs'], hasWebhook = true, between = (shards) => shards } = options
  const clock = leapingClock()
  const receiver = await openReceiver(t)
  const { log } = openLog({ to: { write: () => {} } })
  const store = await openStore({ dir: temporary(t), shards: shardCount })
  const parts = gatewayParts({ timeScale: 1 })
  const handed: Handed[] = []
  const operatorCalls: { readonly bindingId: string; readonly detail: string }[] = []
  let provider = takes
  const phones = openPhones(1)
  const adapters = channels.map((channel): Adapter => {
    const emulated = emulatorAdapter(channel, phones, phoneKey) as Adapter
    return {
      ...emulated,
      descriptor: { ...emulated.descriptor, bulkPerSecond },
      async send(wire, { address, id }) {
        const { block } = wire as { block?: { text?: string } }
        const each = { channel, address, id, text: block?.text ?? '', wire, at: clock.now() }
        handed.push(each)
        return provider(each)
      },
    }
  })
  const delivery = options.minMessageDelayMs ? { minMessageDelayMs: options.minMessageDelayMs } : {}
  const secretAt = { kind: 'signing secret', id: 'desk' }
  let agent: AgentRouting = {
    ...place,
    name: 'Harbor Desk',
    mode: hasWebhook ? 'webhook' : 'managed',
    ...(hasWebhook && { webhook: { webhookUrl: receiver.url(hook), instanceId: 'blue' } }),
    signingSecret: { ...secretAt, sealed: await sealedSecret('ws-svc-first') },
    identity: options.identity ?? {},
    channels: channels.map((channel) => {
      return { bindingId: `cb_${channel}`, channel, provider: 'emulator', mode: 'unmanaged', delivery }
    }),
    notReady: [],
  }
  async function sealedSecret(secret: string): Promise<Uint8Array> {
    return (await sealer.seal(place.orgId, secretAt.kind, secretAt.id, secret)) as Uint8Array
  }
  const asidOf = asids(Buffer.alloc(32, 3))
  const metrics = openMetrics()
  const door = openDoor({ allowPrivate: true }, options.limits ?? agentWebhook)
  const publicUrl = () => 'http://gateway.test'
  const providers = openProviders({ allowPrivate: true, sealer, clock, publicUrl })
  const missing = refuse('resource.not_found')
  const adapterOf = adaptersAmong(adapters)
  const shared = {
    directory: { get: async (key: string) => (key === agentKeyOf(place) ? agent : missing) },
    adapters: adapterOf,
    contexts: createAgentContexts({ adapters: adapterOf, asidOf, traitsOf }),
    asidOf,
    media: {
      hosted: async (url: string): ReturnType<Media['hosted']> =>
        options.unreachable?.includes(url)
          ? { reason: 'mediaUnreachable', why: 'source', detail: 'away' }
          : { url, type: 'image/png', bytes: 1 },
    },
    providers,
    clock,
  }
  const engine = carried(
    openEmbedded({
      shards: shardCount,
      store,
      repertoire: { ...parts, performers: (shards) => parts.performers(() => handlerDeps(between(carried(shards)))) },
      clock,
      newCommandId: () => randomBytes(12).toString('hex'),
      log,
    }),
  )
  const { deps, ingress, handlerDeps } = gatewayDeps({
    ...shared,
    throttle: createThrottle({ shards: engine, clock }),
    ...{ parts, shards: engine, sealer, door, log, metrics },
    received: receivedAddresses(openCapsules(Buffer.alloc(32, 4)), publicUrl),
    lines: { of: () => undefined },
    needsOperator: ({ bindingId }, detail) => void operatorCalls.push({ bindingId, detail }),
    campaigns: { mayLeave: async () => true, mayLeaveHere: () => true },
  })
  await engine.start()
  const serve = createPipeline({
    prefix: '/v4',
    routes: [
      ...gatewayRoutes({ ...deps, metrics: apiMetrics(metrics) }),
      ...ingressRoutes({
        ...ingress,
        findBinding: async () => place,
        findBindings: async () => [],
        headers: [signatureHeader],
        publicUrl,
        log,
      }),
    ],
    style: 'gateway',
    authenticate: () => ({ kind: 'agent', id: 'at-svc-desk', ...place }),
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
    await door.close()
    await stopped
    await store.close()
  })

  let items = 0
  const house = {
    clock,
    engine,
    deps,
    receiver,
    handed,
    operatorCalls,
    inject,
    adapters,
    asid: (address: string, channel: ChannelName = 'sms') => asidOf(agentKeyOf(place), channel, address),
    /** The binding of a channel needs its operator, or is Active again. */
    isReady(channel: ChannelName, ready: boolean): void {
      const all = [...agent.channels, ...agent.notReady]
      const isResting = (each: (typeof all)[number]) =>
        each.channel === channel ? !ready : agent.notReady.includes(each)
      agent = { ...agent, channels: all.filter((each) => !isResting(each)), notReady: all.filter(isResting) }
    },
    providerIs(next: Provider): void {
      provider = next
    },
    behaves: (how: Parameters<typeof receiver.behave>[1]) => receiver.behave(hook, how),
    async rotateSecret(secret: string): Promise<void> {
      agent = { ...agent, signingSecret: { ...secretAt, sealed: await sealedSecret(secret) } }
    },
    /** Every record of a table, in whatever shard. */
    rows<K extends Key, V>(table: Table<K, V>): Row<K, V>[] {
      return everyRow(store, shardCount, table)
    },
    /** Requests of the webhook, as they came. */
    requests: (): readonly Received[] => receiver.at(hook),
    envelopes: (): Envelope[] => receiver.at(hook).map(({ body }) => JSON.parse(body.toString())),
    /** What a person was told in events, as words: the text of a message, a kind, or a state with its channel. */
    told: (asid: string): string[] =>
      house
        .envelopes()
        .filter(({ userId }) => userId === asid)
        .map(({ event: { event } }) => wordsOf(event)),
    deadLetters: () => house.rows(deadLetterTable).map(({ value }) => value),
    waiting: () => house.rows(eventTable).length,
    waitingEvents: () => house.rows(eventTable).map(({ value }) => value),
    async ingress(channel: ChannelName, body: string | Uint8Array, signature?: string) {
      const signed = signature ?? signatureOf(phoneKey, `cb_${channel}`, Buffer.from(body as string))
      return inject('POST', `/v4/ingress/cb_${channel}`, { body, headers: { [signatureHeader]: signed } })
    },
    /** Somebody says something, and it is on record. */
    async says(address: string, text: string, channel: ChannelName = 'sms'): Promise<string> {
      const body = JSON.stringify({ items: [{ id: `in-${++items}`, from: address, text }] })
      const { status } = await house.ingress(channel, body)
      if (status !== 200) throw new Error(`the ingress answered ${status}`)
      return house.asid(address, channel)
    },
    async send(userId: string, messages: readonly unknown[], more: object = {}) {
      const answer = await inject('POST', '/v4/messages', { token: 'agent', json: { userId, messages, ...more } })
      if (!answer.json?.results) throw new Error(`the send was answered ${answer.status}: ${answer.text}`)
      return answer.json.results as { messageId: string; accepted: boolean; reason?: string }[]
    },
    /** Everything that the webhook should hear of has been taken by it. */
    quiet: () => until(() => house.waiting() === 0),
  }
  return house
}
export type House = Awaited<ReturnType<typeof openHouse>>

export const said = (text: string, more: object = {}) => ({ spec: 'amf/1', parts: [{ type: 'text', text }], ...more })

function wordsOf(event: TypedEvent): string {
  if (event.type === 'message') return event.message.text ?? ''
  if (event.type === 'system') return event.system.kind
  if (event.type !== 'status') return event.type
  const { state, attempt, reason } = event.status
  return [state, attempt.channel, reason].filter(Boolean).join(' ')
}
