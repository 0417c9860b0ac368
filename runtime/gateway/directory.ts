/** What the gateway knows of agents, by whoever keeps them. */

import { agentKeyOf } from '../../core/agentkey.js'
import { type AgentSide, notReadyOn } from '../../core/agentside.js'
import { traitsFor } from '../../core/channel/abilities.js'
import type { HostedAdapter } from '../../core/channel/hosted.js'
import type { ChannelName } from '../../core/channel/names.js'
import { bulkPace } from '../../core/channel/pace.js'
import type { Around } from '../../core/conversation/desk.js'
import type { Refusal } from '../../core/errors.js'
import { numberBehind } from '../../core/people/address.js'
import type { AsidOf } from './asid.js'

/** With the org's time zone, where it has one. */
export type KnownAgent = AgentSide & { readonly timeZone?: string }

export interface Directory {
  /** A refusal when there is no such agent, or nobody can be asked just now. */
  routes(agentKey: string): KnownAgent | Promise<KnownAgent | Refusal>
}

/** Finds the adapter of a provider on a channel. */
export type Adapters = (channel: ChannelName, provider: string) => HostedAdapter | undefined

export function adaptersAmong(known: readonly HostedAdapter[]): Adapters {
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
  /** What their device can do, where that is known. */
  readonly abilities?: readonly string[]
  readonly sandbox?: true
}

interface Ways {
  readonly adapters: Adapters
  readonly asidOf: AsidOf
  readonly traitsOf: (channel: ChannelName) => Around['traits']
}

/** The agent around a conversation with that person, with the traits that hold for their device. */
export function aroundOf(agent: KnownAgent, person: Person, ways: Ways): Around {
  const around = knownAround.get(agent)?.get(person.channel) ?? aroundEverybody(agent, person.channel, ways)
  if (person.sandbox) return { ...around, binding: capturing }
  const siblings = siblingsOf(agent, person, ways.asidOf)
  const known = siblings ? { ...around, siblings } : around
  const adapter = person.abilities && adapterOf(agent, person.channel, ways)
  return adapter ? { ...known, traits: traitsFor(adapter, person.abilities) } : known
}

function adapterOf(agent: KnownAgent, channel: ChannelName, { adapters }: Ways): HostedAdapter | undefined {
  const bound = agent.channels.find((each) => each.channel === channel) ?? notReadyOn(agent, channel)
  return bound && adapters(channel, bound.provider)
}

/** What is said to a persona goes nowhere, so no binding is needed, and nothing is paced or disclaimed. */
const capturing: Around['binding'] = { provider: 'emulator', isActive: true, minDelayMs: 0 }

/** An agent that was changed is another object, so what was made of one holds for as long as there is one. */
const knownAround = new WeakMap<KnownAgent, Map<ChannelName, Around>>()

/** What is the same around every conversation that the agent has on that channel. */
function aroundEverybody(agent: KnownAgent, channel: ChannelName, ways: Ways): Around {
  const around = madeAround(agent, channel, ways)
  const known = knownAround.get(agent) ?? new Map<ChannelName, Around>()
  knownAround.set(agent, known.set(channel, around))
  return around
}

function madeAround(agent: KnownAgent, channel: ChannelName, { adapters, traitsOf }: Ways): Around {
  const resting = notReadyOn(agent, channel)
  const bound = resting ?? agent.channels.find((each) => each.channel === channel)
  const adapter = bound && adapters(channel, bound.provider)
  const perSecond = adapter && bulkPace(adapter.descriptor)
  const { contactEmail, contactPhone, websiteUrl } = agent.identity
  const compliance = bound?.compliance
  return {
    ...((adapter || resting) && {
      binding: {
        provider: bound?.provider ?? '',
        isActive: adapter !== undefined && !resting,
        ...(adapter?.live && { isOurs: true }),
        minDelayMs: bound?.delivery?.minMessageDelayMs ?? 0,
        ...(bound?.delivery?.loopGuard && { loopGuard: bound.delivery.loopGuard }),
        ...(perSecond !== undefined && { bulkPerSecond: perSecond }),
        ...(compliance?.enabled && {
          compliance: { ...(compliance.disclaimerText && { disclaimer: compliance.disclaimerText }) },
        }),
      },
    }),
    isListening: agent.webhook !== undefined,
    traits: adapter?.descriptor.traits ?? traitsOf(channel),
    brand: {
      name: agent.name,
      ...(contactEmail && { contactEmail }),
      ...(contactPhone && { contactPhone }),
      ...(websiteUrl && { websiteUrl }),
    },
    reader: readerOf(agent),
    siblings: {},
  }
}

/** Around a conversation whose agent is gone there is nobody: nothing can be sent, and nobody is told. */
export function aroundNobody(traits: Around['traits']): Around {
  return { isListening: false, traits, brand: { name: '' }, reader: readerOf({}), siblings: {} }
}

/** Channels that know people by their numbers have their addresses in common; no other two channels do. */
function siblingsOf(agent: KnownAgent, { channel, address }: Person, asidOf: AsidOf): Around['siblings'] | undefined {
  const elsewhere = agent.channels.filter((each) => each.channel !== channel)
  const number = elsewhere.length === 0 ? undefined : numberBehind(channel, address)
  if (number === undefined) return undefined
  const others = elsewhere.filter((each) => numberBehind(each.channel, number))
  if (others.length === 0) return undefined
  return Object.fromEntries(others.map((each) => [each.channel, asidOf(agentKeyOf(agent), each.channel, number)]))
}
