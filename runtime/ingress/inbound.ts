/** Records inbound items of a provider: all items of one person in one command, people side by side. */

import type { AgentRouting, ChannelRoute } from '../../core/agent/routing.js'
import { agentKeyOf } from '../../core/agentkey.js'
import type { Item } from '../../core/channel/adapter.js'
import { withAddresses } from '../../core/channel/held.js'
import { factsOf } from '../../core/conversation/context.js'
import type { InboundItem } from '../../core/conversation/reduce.js'
import type { KnownAs } from '../../core/conversation/state.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { ingress as limits } from '../../core/limits.js'
import type { Clock } from '../clock.js'
import type { AsidOf } from '../conversation/asid.js'
import type { AgentContexts } from '../conversation/context.js'
import type { ConversationCommands, Identity, InboundBatch, InboundResult } from '../conversation/contract.js'
import { readConversation } from '../conversation/queries.js'
import type { Log } from '../observe/log.js'
import type { Shards } from '../shard/contract.js'
import { unavailable } from '../shard/unavailable.js'
import type { ReceivedAddresses } from './media.js'
import type { RefusedCalls } from './refusedcalls.js'

export interface InboundDeps {
  readonly shards: Shards
  readonly commands: Pick<ConversationCommands, 'receiveInbound' | 'mergeInto'>
  readonly contexts: Pick<AgentContexts, 'of'>
  readonly asidOf: AsidOf
  /** Where agents open media that the provider opens to Parley only. */
  readonly received: ReceivedAddresses
  readonly refusedCalls: RefusedCalls
  readonly metrics: IngressMetrics
  readonly clock: Pick<Clock, 'now' | 'elapsed' | 'wake'>
}

export interface IngressMetrics {
  /** A provider called. */
  called(
    bound: Pick<ChannelRoute, 'channel' | 'provider'>,
    outcome: 'heard' | 'answered' | 'badSignature' | 'unreadable' | 'unbound' | 'failed',
  ): void
  /** So many of the provider's items had this outcome. */
  items(channel: string, outcome: 'new' | 'duplicate' | 'unreadable', count: number): void
}

export interface ProviderItems {
  readonly agent: AgentRouting
  readonly bound: ChannelRoute
  readonly items: readonly Item[]
}

/** Answers a refusal when any item is not recorded. Items that cannot be read are left out and logged. */
export function recordInbound(
  deps: InboundDeps,
  { agent, bound, items }: ProviderItems,
  log: Log,
): Promise<Refusal | undefined> {
  const { metrics } = deps
  const read: PersonItems[] = []
  const { orgId, agentId } = agent
  const { channel, bindingId } = bound
  const addressOf = (held: string) => deps.received.addressOf({ orgId, agentId, bindingId, held })
  for (const item of items) {
    if ('problem' in item) {
      metrics.items(channel, 'unreadable', 1)
      log.warn('ingress.item.unreadable', { bindingId, problem: item.problem })
      deps.refusedCalls.note(agent, bound, 'ingress.malformed', item.problem)
      continue
    }
    const { address, alias, id, abilities } = item
    // Lines refer to nothing, and the ingress follows what calls refer to.
    if (item.inbound.kind === 'reference') continue
    const inbound = withAddresses(item.inbound, addressOf)
    const one = abilities ? { id, inbound, abilities } : { id, inbound }
    read.push(alias === undefined ? { address, items: [one] } : { address, alias, items: [one] })
  }
  // Most calls have one item.
  if (read.length === 1) return recordForPerson(deps, agent, channel, read[0]!)
  const recorded = byPerson(read).map((person) => recordForPerson(deps, agent, channel, person))
  return Promise.all(recorded).then((refusals) => refusals.find((refusal) => refusal !== undefined))
}

interface PersonItems {
  readonly address: string
  readonly alias?: string
  readonly items: readonly InboundItem[]
}

function byPerson(all: readonly PersonItems[]): PersonItems[] {
  const people = new Map<string, PersonItems & { readonly items: InboundItem[] }>()
  for (const { address, alias, items: more } of all) {
    const known = people.get(address)
    const items = known?.items ?? []
    items.push(...more)
    if (!known && alias === undefined) people.set(address, { address, items })
    else if (alias !== undefined && known?.alias === undefined) people.set(address, { address, alias, items })
  }
  return [...people.values()]
}

async function recordForPerson(
  deps: InboundDeps,
  agent: AgentRouting,
  channel: ChannelRoute['channel'],
  { address, alias, items }: PersonItems,
): Promise<Refusal | undefined> {
  const { shards, commands, contexts, metrics } = deps
  const { orgId, agentId } = agent
  const named = (name: string): KnownAs => ({ asid: deps.asidOf(agentKeyOf(agent), channel, name), address: name })
  const whoBy = ({ asid, address }: KnownAs): Identity => ({ asid, agent: { orgId, agentId }, channel, address })
  const contextOf = (by: KnownAs) => contexts.of(agent, whoBy(by))
  const record = (by: KnownAs, more: Pick<InboundBatch, 'other' | 'isFirst'> = {}) =>
    shards.ask(by.asid, commands.receiveInbound, { who: whoBy(by), agent: contextOf(by), items, ...more })
  let by = named(address)
  let other = alias === undefined ? undefined : named(alias)
  let result = await (other ? record(by, { other }) : record(by))
  if (isRefusal(result)) return result
  if (result.isUnknown && other) {
    const known = await shards.read(other.asid, readConversation, { asid: other.asid })
    if (isRefusal(known)) return known
    if (known) [by, other] = [other, by]
    result = await record(by, { other, isFirst: true })
    if (isRefusal(result)) return result
  }
  if (result.isAliased && other) {
    // The commit tells the other conversation as well; asked here, it knows before the provider has its answer.
    const merge = { who: whoBy(other), agent: factsOf(contextOf(other)), knownAs: by }
    const merged = await shards.ask(other.asid, commands.mergeInto, merge)
    if (isRefusal(merged)) return merged
  }
  if (result.knownAs) {
    by = result.knownAs
    result = await record(by)
    if (isRefusal(result)) return result
    if (result.knownAs) return unavailable
  }
  const { fresh, inFlight } = result
  metrics.items(channel, 'new', fresh)
  if (fresh < items.length) metrics.items(channel, 'duplicate', items.length - fresh)
  return inFlight && waitForInFlight(deps, by.asid, inFlight)
}

/**
 * A STOP is acknowledged once no message is with the provider any more, so that nothing arrives after it. The STOP is
 * recorded before that; a provider that is not answered in time calls again.
 */
async function waitForInFlight(
  { shards, clock }: InboundDeps,
  asid: string,
  { messageId, tried }: NonNullable<InboundResult['inFlight']>,
): Promise<Refusal | undefined> {
  const until = clock.elapsed() + limits.stopWaitsMs
  for (;;) {
    const now = await shards.read(asid, readConversation, { asid })
    if (isRefusal(now)) return now
    const { flight } = now ?? {}
    if (flight?.messageId !== messageId || flight.tried !== tried || flight.againAt !== undefined) return undefined
    if (clock.elapsed() >= until) return unavailable
    await new Promise<void>((resolve) => clock.wake(clock.now() + limits.stopLookMs, resolve))
  }
}
