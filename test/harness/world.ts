/**
 * The harness over the real composition: a node as `runtime/node/compose.ts` opens it, one agent, its channels and its
 * webhook, for tests that tell what happens between people, the agent and the providers.
 */
import type { Test } from 'tap'
import type { AgentRef } from '../../core/agentref.js'
import type { Adapter, SendOutcome } from '../../core/channel/adapter.js'
import type { ChannelName } from '../../core/channelnames.js'
import type { TypedEvent } from '../../core/conversation/state.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { Key, Row, Table } from '../../runtime/store/contract.js'
import { createAgents, type NodeAgent } from './agents.js'
import { allRows } from './allrows.js'
import { createLeapingClock, type LeapingClock } from './clock.js'
import { openTestNode, type TestNode, type TestNodeOptions } from './node.js'
import { type Behavior, openReceiver, type Received } from './receiver.js'
import { withSerialization } from './serialization.js'
import { tempDir } from './tempdir.js'

/**
 * What `createWorld` opens, and what a test may rely on:
 *
 * - The product is the one that `npm start` composes. State is in a real LMDB store in a folder of its own, commands
 *   pass through the embedded engine, and every command, query and answer is serialized as for another process.
 * - Requests are injected into the real pipeline of each plane, so nothing listens except the webhook of the agent.
 * - The product's time passes only when the test advances the clock. Commits and outgoing requests take real time.
 * - Outgoing calls reach loopback addresses; the webhook is a real HTTP server there.
 * - Messages to people end at the script of `channels`; everything before and after the provider's answer is real.
 * - The agent, its webhook and its bindings are created and changed through the API, as an operator does it.
 *
 * The teardown of the test ends unanswered calls of the webhook, then closes the node, the webhook and the folder.
 */
export interface World {
  readonly clock: LeapingClock
  readonly node: WorldNode
  /** The one agent of the world, with what people send to it. */
  readonly agent: NodeAgent
  readonly channels: WorldChannels
  readonly webhook: WorldWebhook
}

/** The node: `mgmt` and `gateway` inject requests into its planes. */
export interface WorldNode extends TestNode {
  readonly shardCount: number
  /** Every record of a table, in whatever shard. */
  rows<K extends Key, V>(table: Table<K, V>): Row<K, V>[]
}

/** The channels of the agent, bound to emulated phones whose provider answers as the script says. */
export interface WorldChannels {
  /** The adapters in the order of `WorldOptions.channels`; a test may assign members of its own to them. */
  readonly adapters: readonly Adapter[]
  /** Every request that a provider was given, oldest first. */
  readonly requests: readonly ProviderRequest[]
  /** Sets the answer to every further request. */
  setProvider(next: Provider): void
  /** Disables the binding, or makes it Active again, also when it is ActionRequired. */
  setReady(channel: ChannelName, isReady: boolean): Promise<void>
}

/** The agent's webhook; it answers 200 without a body unless the test sets another behavior. */
export interface WorldWebhook {
  setBehavior(behavior: Behavior): void
  /** The calls so far, oldest first. */
  requests(): readonly Received[]
  envelopes(): Envelope[]
  /** Replaces the secret that signs the calls, and returns the new one. */
  rotateSecret(): Promise<string>
}

export interface WorldOptions {
  readonly agent?: {
    /** Further fields of the agent as the API takes them. */
    readonly fields?: object
    /** Without a webhook the agent is managed. */
    readonly hasWebhook?: boolean
  }
  readonly channels?: readonly ChannelSpec[]
  readonly clock?: LeapingClock
  /** Stands between the product and its shards. */
  readonly wrapShards?: (shards: Shards) => Shards
  /** What else the composition takes. */
  readonly node?: Pick<TestNodeOptions, 'env' | 'extraModule' | 'extraRoutes' | 'randomBytes' | 'wrapGateway'>
}

export interface ChannelSpec {
  readonly channel: ChannelName
  /** Settings of the binding as a PATCH takes them. */
  readonly settings?: object
  /** The rate at which the provider says that it accepts messages in bulk; any by default. */
  readonly bulkPerSecond?: number
}

/** One request that a provider was given. */
export interface ProviderRequest {
  readonly channel: ChannelName
  readonly address: string
  readonly id: string
  readonly text: string
  readonly payload: unknown
  readonly at: number
}

export type Provider = (request: ProviderRequest) => SendOutcome | Promise<SendOutcome>

export const acceptAll: Provider = ({ id }) => ({ kind: 'sent', providerId: `p-${id}` })

/** A call of the webhook. */
export interface Envelope {
  readonly userId: string
  readonly event: { readonly eventId: string; readonly event: TypedEvent; readonly timestamp: string }
}

/** The agent of every world. */
export const agentRef: AgentRef = { orgId: 'acme', agentId: 'desk' }
const shardCount = 4
const webhookPath = '/hook'

export async function createWorld(t: Test, options: WorldOptions = {}): Promise<World> {
  const { agent: { fields = {}, hasWebhook = true } = {}, channels: specs = [], wrapShards } = options
  const clock = options.clock ?? createLeapingClock()
  const receiver = await openReceiver(t)
  const { wrapAdapter, adapters, requests, setProvider } = scriptProvider(specs, clock)
  const opened = await openTestNode({
    ...options.node,
    env: { PARLEY_BOOTSTRAP_ORG: agentRef.orgId, PARLEY_SHARDS: String(shardCount), ...options.node?.env },
    dir: tempDir(t),
    clock: { ...clock, advance: async (ms) => clock.advance(ms) },
    wrapAdapter,
    ...(wrapShards && { wrapShards: (shards) => ({ ...shards, ...wrapShards(withSerialization(shards)) }) }),
  })
  t.teardown(async () => {
    receiver.cutConnections()
    await opened.close()
  })
  const { store } = opened.node
  const node: WorldNode = { ...opened, shardCount, rows: (table) => allRows(store!, shardCount, table) }
  const agent = await createAgents(node).createAgent(
    { id: agentRef.agentId, name: 'Harbor Desk', ...fields },
    specs.map(({ channel }) => channel),
  )
  for (const { channel, settings } of specs) {
    if (settings) await agent.manage('PATCH', `/channels/${agent.binding(channel)}`, settings)
  }
  if (hasWebhook) {
    const { status, text } = await agent.call('POST', '/webhook', { webhookUrl: receiver.url(webhookPath) })
    if (status !== 200) throw new Error(`the webhook was refused: ${status} ${text}`)
  }
  return {
    clock,
    node,
    agent,
    channels: {
      adapters: adapters(),
      requests,
      setProvider,
      async setReady(channel, isReady) {
        const path = `/channels/${agent.binding(channel)}`
        const { status } = await agent.manage('GET', path)
        if (isReady === (status === 'Active')) return
        if (isReady && status === 'Disabled') await agent.manage('POST', `${path}/_enable`)
        else if (isReady) await agent.manage('PATCH', path, { auth: {} })
        else if (status === 'Active') await agent.manage('POST', `${path}/_disable`)
      },
    },
    webhook: {
      setBehavior: (behavior) => receiver.setBehavior(webhookPath, behavior),
      requests: () => receiver.at(webhookPath),
      envelopes: () => receiver.at(webhookPath).map(({ body }) => JSON.parse(body.toString())),
      rotateSecret: async () => (await agent.manage('POST', '/gateway/_rotateSecret')).signingSecret,
    },
  }
}

/** Replaces the send of the emulated phones of those channels by a script, and records what it is given. */
function scriptProvider(specs: readonly ChannelSpec[], clock: Pick<LeapingClock, 'now'>) {
  const requests: ProviderRequest[] = []
  const scripted = new Map<ChannelName, Adapter>()
  let provider = acceptAll

  function withScript(adapter: Adapter, { channel, bulkPerSecond }: ChannelSpec): Adapter {
    return {
      ...adapter,
      descriptor: { ...adapter.descriptor, ...(bulkPerSecond !== undefined && { bulkPerSecond }) },
      async send(payload, { address, id }) {
        const { block } = payload as { block?: { text?: string } }
        const request = { channel, address, id, text: block?.text ?? '', payload, at: clock.now() }
        requests.push(request)
        return provider(request)
      },
    }
  }

  const wrapAdapter: NonNullable<TestNodeOptions['wrapAdapter']> = (adapter) => {
    const { channel, provider: name } = adapter.descriptor
    const spec = name === 'emulator' && specs.find((each) => each.channel === channel)
    if (!spec) return adapter
    const withOwnSend = withScript(adapter as Adapter, spec)
    scripted.set(channel, withOwnSend)
    return withOwnSend
  }

  return {
    wrapAdapter,
    requests,
    /** Known once the node is composed. */
    adapters: () => specs.map(({ channel }) => scripted.get(channel)!),
    setProvider(next: Provider): void {
      provider = next
    },
  }
}
