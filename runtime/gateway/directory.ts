/** What the gateway knows of agents, by whoever keeps them. */

import { agentKeyOf } from '../../core/agentkey.js'
import type { AgentSide } from '../../core/agentside.js'
import type { Adapter } from '../../core/channel/adapter.js'
import { type ChannelName, carrierChannels } from '../../core/channel/names.js'
import type { Around } from '../../core/conversation/desk.js'
import type { Refusal } from '../../core/errors.js'
import type { AsidOf } from './asid.js'

/** With the org's time zone, where it has one. */
export type KnownAgent = AgentSide & { readonly timeZone?: string }

export interface Directory {
  /** A refusal when there is no such agent, or nobody can be asked just now. */
  routes(agentKey: string): Promise<KnownAgent | Refusal>
}

/** Finds the adapter of a provider on a channel. */
export type Adapters = (channel: ChannelName, provider: string) => Adapter | undefined

export function adaptersAmong(known: readonly Adapter[]): Adapters {
  const byName = new Map(
    known.map((adapter) => [nameOf(adapter.descriptor.channel, adapter.descriptor.provider), adapter]),
  )
  return (channel, provider) => byName.get(nameOf(channel, provider))
}

function nameOf(channel: ChannelName, provider: string): string {
  return `${channel} ${provider}`
}

/** How values are written for the people of an agent, unless a message says otherwise. */
export function readerOf({ timeZone = 'UTC' }: { readonly timeZone?: string }): Around['reader'] {
  return { locale: 'en-US', zone: timeZone }
}

export interface Person {
  readonly channel: ChannelName
  readonly address: string
}

/** The agent around a conversation with that person. */
export function aroundOf(
  agent: KnownAgent,
  { channel, address }: Person,
  {
    adapters,
    asidOf,
    traitsOf,
  }: { adapters: Adapters; asidOf: AsidOf; traitsOf: (channel: ChannelName) => Around['traits'] },
): Around {
  const bound = agent.channels.find((each) => each.channel === channel)
  const adapter = bound && adapters(channel, bound.provider)
  const { contactEmail, contactPhone, websiteUrl } = agent.identity
  const compliance = bound?.compliance
  const isDisabled = agent.disabled.includes(channel)
  return {
    ...((adapter || isDisabled) && {
      binding: {
        provider: bound?.provider ?? '',
        isActive: adapter !== undefined,
        minDelayMs: bound?.delivery?.minMessageDelayMs ?? 0,
        ...(compliance?.enabled && {
          compliance: { ...(compliance.disclaimerText && { disclaimer: compliance.disclaimerText }) },
        }),
      },
    }),
    traits: adapter?.descriptor.traits ?? traitsOf(channel),
    brand: {
      name: agent.name,
      ...(contactEmail && { contactEmail }),
      ...(contactPhone && { contactPhone }),
      ...(websiteUrl && { websiteUrl }),
    },
    reader: readerOf(agent),
    siblings: siblingsOf(agent, { channel, address }, asidOf),
  }
}

/** Around a conversation whose agent is gone there is nobody: nothing can be sent, and nobody is told. */
export function aroundNobody(traits: Around['traits']): Around {
  return { traits, brand: { name: '' }, reader: readerOf({}), siblings: {} }
}

/** Carrier channels have their addresses in common; no other two channels do. */
function siblingsOf(agent: KnownAgent, { channel, address }: Person, asidOf: AsidOf): Around['siblings'] {
  if (!carrierChannels.includes(channel)) return {}
  const others = agent.channels.filter((each) => each.channel !== channel && carrierChannels.includes(each.channel))
  return Object.fromEntries(others.map((each) => [each.channel, asidOf(agentKeyOf(agent), each.channel, address)]))
}
