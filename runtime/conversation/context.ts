/** Agent contexts: what a conversation needs to know of its agent, built once per agent version and channel. */

import { type AgentRouting, notReadyOn } from '../../core/agent/routing.js'
import { formatAgentKey } from '../../core/agentref.js'
import { effectiveTraits } from '../../core/channel/devicetraits.js'
import type { HostedAdapter } from '../../core/channel/hostedadapter.js'
import { bulkRate } from '../../core/channel/throttle.js'
import type { Traits } from '../../core/channel/traits.js'
import type { ChannelName } from '../../core/channelnames.js'
import type { AgentContext } from '../../core/conversation/context.js'
import type { Refusal } from '../../core/errors.js'
import { phoneOfAddress } from '../../core/people/address.js'
import type { AsidOf } from './asid.js'

export interface Directory {
  /** A refusal when the agent does not exist or its shard is unavailable. A changed agent is a new object. */
  get(agentKey: string): AgentRouting | Promise<AgentRouting | Refusal>
}

/** Finds the adapter of a provider on a channel. */
export type AdapterLookup = (channel: ChannelName, provider: string) => HostedAdapter | undefined

export function createAdapterLookup(adapters: readonly HostedAdapter[]): AdapterLookup {
  const byName = new Map(
    adapters.map((adapter) => [adapterKey(adapter.descriptor.channel, adapter.descriptor.provider), adapter]),
  )
  return (channel, provider) => byName.get(adapterKey(channel, provider))
}

function adapterKey(channel: ChannelName, provider: string): string {
  return `${channel} ${provider}`
}

/** Locale and time zone in which values are formatted for the people of an agent, unless a message says otherwise. */
export function readerOf({ timeZone = 'UTC' }: { readonly timeZone?: string }): AgentContext['reader'] {
  return { locale: 'en-US', zone: timeZone }
}

export interface Recipient {
  readonly channel: ChannelName
  readonly address: string
  /** Capabilities of the person's device, if known. */
  readonly deviceCapabilities?: readonly string[]
  readonly sandbox?: true
}

export interface AgentContexts {
  /** The context of a conversation with that person, with the traits of their device. */
  of(agent: AgentRouting, person: Recipient): AgentContext
  /** The context of a conversation whose agent was deleted: no binding, and no events. */
  orphan(channel: ChannelName): AgentContext
}

export interface AgentContextsOptions {
  readonly adapters: AdapterLookup
  readonly asidOf: AsidOf
  readonly traitsOf: (channel: ChannelName) => Traits
}

/** Conversations with personas of the sandbox need no binding, and Parley neither paces them nor adds a disclaimer. */
const sandboxBinding = { provider: 'emulator', binding: { isActive: true, minDelayMs: 0 } } as const

export function createAgentContexts({ adapters, asidOf, traitsOf }: AgentContextsOptions): AgentContexts {
  const byAgent = new WeakMap<AgentRouting, Map<ChannelName, AgentContext>>()

  function sharedContext(agent: AgentRouting, channel: ChannelName): AgentContext {
    const byChannel = byAgent.get(agent) ?? new Map<ChannelName, AgentContext>()
    const context = byChannel.get(channel) ?? buildContext(agent, channel)
    byAgent.set(agent, byChannel.set(channel, context))
    return context
  }

  function adapterOf(agent: AgentRouting, channel: ChannelName): HostedAdapter | undefined {
    const binding = agent.channels.find((each) => each.channel === channel) ?? notReadyOn(agent, channel)
    return binding && adapters(channel, binding.provider)
  }

  /** The part of the context that all conversations of the agent on that channel share. */
  function buildContext(agent: AgentRouting, channel: ChannelName): AgentContext {
    const notReady = notReadyOn(agent, channel)
    const binding = notReady ?? agent.channels.find((each) => each.channel === channel)
    const adapter = binding && adapters(channel, binding.provider)
    const perSecond = adapter && bulkRate(adapter.descriptor)
    const { contactEmail, contactPhone, websiteUrl } = agent.identity
    const compliance = binding?.compliance
    const traits = adapter?.descriptor.traits ?? traitsOf(channel)
    const isBound = adapter !== undefined || notReady !== undefined
    return {
      provider: (isBound && binding?.provider) || '',
      windowHours: traits.windowHours,
      receivesEvents: agent.webhook !== undefined || agent.speaks === true,
      ...(agent.webhook === undefined && agent.speaks && { isManaged: true as const }),
      siblings: {},
      ...(isBound && {
        binding: {
          isActive: adapter !== undefined && !notReady,
          ...(adapter?.socket && { isOwnChannel: true }),
          minDelayMs: binding?.delivery?.minMessageDelayMs ?? 0,
          ...(binding?.delivery?.loopGuard && { loopGuard: binding.delivery.loopGuard }),
          ...(perSecond !== undefined && { bulkPerSecond: perSecond }),
          ...(compliance?.enabled && {
            compliance: { ...(compliance.disclaimerText && { disclaimer: compliance.disclaimerText }) },
          }),
        },
      }),
      traits,
      brand: {
        name: agent.name,
        ...(contactEmail && { contactEmail }),
        ...(contactPhone && { contactPhone }),
        ...(websiteUrl && { websiteUrl }),
      },
      reader: readerOf(agent),
    }
  }

  /** Only channels that identify people by phone number share addresses. */
  function siblingsOf(agent: AgentRouting, { channel, address }: Recipient): AgentContext['siblings'] | undefined {
    const otherBindings = agent.channels.filter((each) => each.channel !== channel)
    const number = otherBindings.length === 0 ? undefined : phoneOfAddress(channel, address)
    if (number === undefined) return undefined
    const others = otherBindings.filter((each) => phoneOfAddress(each.channel, number))
    if (others.length === 0) return undefined
    return Object.fromEntries(others.map((each) => [each.channel, asidOf(formatAgentKey(agent), each.channel, number)]))
  }

  return {
    of(agent, person) {
      const { channel, deviceCapabilities, sandbox } = person
      const shared = sharedContext(agent, channel)
      if (sandbox) return { ...shared, ...sandboxBinding }
      const siblings = siblingsOf(agent, person)
      const context = siblings ? { ...shared, siblings } : shared
      const adapter = deviceCapabilities && adapterOf(agent, channel)
      if (!adapter) return context
      const traits = effectiveTraits(adapter, deviceCapabilities)
      return { ...context, traits, windowHours: traits.windowHours }
    },
    orphan(channel) {
      const traits = traitsOf(channel)
      return {
        provider: '',
        windowHours: traits.windowHours,
        receivesEvents: false,
        siblings: {},
        traits,
        brand: { name: '' },
        reader: readerOf({}),
      }
    },
  }
}
