/** Channels: the bindings of agents, and the directory by which conversations find an agent. */
import type { AgentRef } from '../../core/agentref.js'
import type { Throughput } from '../../core/campaign/throughput.js'
import type { HostedAdapter } from '../../core/channel/hostedadapter.js'
import { bulkRate } from '../../core/channel/throttle.js'
import type { ChannelName } from '../../core/channelnames.js'
import type { OrgEventPayload } from '../../core/orgevents.js'
import type { Route } from '../../runtime/http/route.js'
import type { Log } from '../../runtime/observe/log.js'
import type { Command, Local, Shards, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import type { Agents } from '../agents/index.js'
import { moduleOf, type RouteDeps } from '../area.js'
import { createMarkActionRequired } from './actionrequired.js'
import { bindingIndex, createBindingLookup } from './bindingindex.js'
import { bindingsOfProviders, findBindingsOfProviders } from './byprovider.js'
import { type BindingListeners, createChannelCommands } from './commands.js'
import { createCredentialsCheck } from './credentials.js'
import { agentRouting, createDirectory } from './directory.js'
import { channelQueries } from './queries.js'
import { channelRoutes } from './routes.js'
import type { SendBudgets } from './sendbudgets.js'
import { bindingsOf, channelRoutesOf } from './store.js'

export interface ChannelsDeps {
  readonly orgEvent: Command<OrgEventPayload, unknown>
  readonly agents: Pick<Agents, 'onLifecycle'>
  readonly adapters: readonly HostedAdapter[]
  readonly sendBudgets: SendBudgets
  /** Base URL of the gateway as others reach it, without the version. */
  readonly gatewayUrl: () => string
  readonly randomBytes: (count: number) => Uint8Array
  readonly log: Pick<Log, 'warn'>
  readonly timeScale: number
}

export function createChannels({ orgEvent, agents, timeScale, log, ...deps }: ChannelsDeps) {
  const listeners: BindingListeners = { removed: [], ready: [] }
  const { commands, lifecycle } = createChannelCommands({ orgEvent, timeScale, listeners })
  const { put, remove, find } = bindingIndex
  const descriptors = new Map(
    deps.adapters.map(({ descriptor }) => [providerKey(descriptor.channel, descriptor.provider), descriptor]),
  )
  agents.onLifecycle(lifecycle)
  agents.onLifecycle({ removed: deps.sendBudgets.remove })
  return {
    commands,
    /**
     * Called in the commit in which an operator deletes a binding, in the order of registration. Not called for
     * bindings that are deleted with their agent: the agent's own listeners are.
     */
    onRemoved: (listener: (tx: Tx, agent: AgentRef, bindingId: string) => void): void =>
      void listeners.removed.push(listener),
    /** Called in the commit in which a binding becomes Active, in the order of registration. */
    onReady: (listener: (tx: Tx, agent: AgentRef, at: number) => void): void => void listeners.ready.push(listener),
    module: moduleOf(
      { commands, queries: channelQueries },
      { commands: { put, remove }, queries: { find, bindingsOfProviders, agentRouting } },
    ),
    /** The Active bindings, with the rate at which their providers accept messages of campaigns. */
    throughputOf: (reader: Reader, agent: AgentRef): readonly Throughput[] =>
      channelRoutesOf(reader, agent).channels.map(({ channel, provider }) => {
        const perSecond = bulkRate(descriptors.get(providerKey(channel, provider)) ?? {})
        return { channel, provider, ...(perSecond !== undefined && { perSecond }) }
      }),
    /** Draws times from the send budget of a binding, in a commit of the agent's shard. */
    drawTimes: deps.sendBudgets.draw,
    /** Channels that have a binding, in any status. */
    boundChannels: (reader: Reader, agent: AgentRef): readonly ChannelName[] =>
      bindingsOf(reader, agent).map(({ channel }) => channel),
    /** What the gateway needs of bindings and their agents. */
    connect: (shards: Shards & Local) => ({
      directory: createDirectory(shards),
      findBinding: createBindingLookup(shards),
      findBindingsOfProviders: (providers: readonly string[]) => findBindingsOfProviders(shards, providers),
      markActionRequired: createMarkActionRequired({ shards, commands, log }),
    }),
    routes(engine: RouteDeps): Route[] {
      const { adapters, gatewayUrl, randomBytes } = deps
      const checkCredentials = createCredentialsCheck(adapters)
      return channelRoutes({
        ...engine,
        commands,
        checkCredentials,
        randomBytes,
        gatewayUrl: () => `${gatewayUrl()}/v4`,
      })
    },
  }
}
function providerKey(channel: ChannelName, provider: string): string {
  return `${channel} ${provider}`
}

export type Channels = ReturnType<typeof createChannels>
