/** Records inbound items of a provider: one command for all items of one person, all people concurrently. */

import type { AgentRouting, ChannelRoute } from '../../core/agent/routing.js'
import { formatAgentKey } from '../../core/agentref.js'
import type { Item } from '../../core/channel/adapter.js'
import { withPublicUrls } from '../../core/channel/providermedia.js'
import { factsOf } from '../../core/conversation/context.js'
import type { InboundItem } from '../../core/conversation/reduce.js'
import type { CanonicalIdentity } from '../../core/conversation/state.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { ingress as limits } from '../../core/limits/index.js'
import type { Clock } from '../clock.js'
import type { AsidOf } from '../conversation/asid.js'
import type { AgentContexts } from '../conversation/context.js'
import type { ConversationCommands, Identity, InboundBatch, InboundResult } from '../conversation/contract.js'
import { readConversation } from '../conversation/queries.js'
import type { Log } from '../observe/log.js'
import type { Shards } from '../shard/contract.js'
import { unavailable } from '../shard/refusals.js'
import type { InboundMediaUrls } from './inboundmedia.js'
import type { RefusedCallLog } from './refusedcalls.js'

export interface InboundDeps {
  readonly shards: Shards
  readonly commands: Pick<ConversationCommands, 'receiveInbound' | 'mergeInto'>
  readonly contexts: Pick<AgentContexts, 'of'>
  readonly asidOf: AsidOf
  /** Makes URLs for media that its provider opens only with the credentials of the binding. */
  readonly mediaUrls: InboundMediaUrls
  readonly refusedCalls: RefusedCallLog
  readonly metrics: IngressMetrics
  readonly clock: Pick<Clock, 'now' | 'monotonic' | 'setTimer'>
}

export interface IngressMetrics {
  /** Counts a call of a provider. */
  countCall(
    binding: Pick<ChannelRoute, 'channel' | 'provider'>,
    outcome: 'received' | 'answered' | 'badSignature' | 'unreadable' | 'unbound' | 'failed',
  ): void
  /** Counts items of a provider by outcome. */
  countItems(channel: string, outcome: 'new' | 'duplicate' | 'unreadable', count: number): void
}

export interface ProviderItems {
  readonly agent: AgentRouting
  readonly binding: ChannelRoute
  readonly items: readonly Item[]
}

/** Returns a refusal when any readable item is not recorded. Skips and logs items that cannot be read. */
export function recordInbound(
  deps: InboundDeps,
  { agent, binding, items }: ProviderItems,
  log: Log,
): Promise<Refusal | undefined> {
  const { metrics } = deps
  const readable: PersonItems[] = []
  const { orgId, agentId } = agent
  const { channel, bindingId } = binding
  const addressOf = (mediaRef: string) => deps.mediaUrls.urlOf({ orgId, agentId, bindingId, mediaRef })
  for (const item of items) {
    if ('problem' in item) {
      metrics.countItems(channel, 'unreadable', 1)
      log.warn('ingress.item.unreadable', { bindingId, problem: item.problem })
      deps.refusedCalls.note(agent, binding, 'ingress.malformed', item.problem)
      continue
    }
    const { address, alias, id, deviceCapabilities } = item
    // A reference has no content to record; the ingress resolves references before this.
    if (item.inbound.kind === 'reference') continue
    const inbound = withPublicUrls(item.inbound, addressOf)
    const inboundItem = deviceCapabilities ? { id, inbound, deviceCapabilities } : { id, inbound }
    readable.push(alias === undefined ? { address, items: [inboundItem] } : { address, alias, items: [inboundItem] })
  }
  // Most calls have one item.
  if (readable.length === 1) return recordForPerson(deps, agent, channel, readable[0]!)
  const recorded = byPerson(readable).map((person) => recordForPerson(deps, agent, channel, person))
  return Promise.all(recorded).then((refusals) => refusals.find((refusal) => refusal !== undefined))
}

interface PersonItems {
  readonly address: string
  readonly alias?: string
  readonly items: readonly InboundItem[]
}

function byPerson(all: readonly PersonItems[]): PersonItems[] {
  const people = new Map<string, PersonItems & { readonly items: InboundItem[] }>()
  for (const { address, alias, items: extra } of all) {
    const existing = people.get(address)
    const items = existing?.items ?? []
    items.push(...extra)
    if (!existing && alias === undefined) people.set(address, { address, items })
    else if (alias !== undefined && existing?.alias === undefined) people.set(address, { address, alias, items })
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
  const addressIdentity = (name: string): CanonicalIdentity => ({
    asid: deps.asidOf(formatAgentKey(agent), channel, name),
    address: name,
  })
  const identityOf = ({ asid, address }: CanonicalIdentity): Identity => ({
    asid,
    agent: { orgId, agentId },
    channel,
    address,
  })
  const contextOf = (target: CanonicalIdentity) => contexts.of(agent, identityOf(target))
  const record = (target: CanonicalIdentity, extra: Pick<InboundBatch, 'other' | 'isFirst'> = {}) =>
    shards.execute(target.asid, commands.receiveInbound, {
      identity: identityOf(target),
      agent: contextOf(target),
      items,
      ...extra,
    })
  let target = addressIdentity(address)
  let other = alias === undefined ? undefined : addressIdentity(alias)
  let result = await (other ? record(target, { other }) : record(target))
  if (isRefusal(result)) return result
  if (result.isUnknown && other) {
    const conversation = await shards.query(other.asid, readConversation, { asid: other.asid })
    if (isRefusal(conversation)) return conversation
    if (conversation) [target, other] = [other, target]
    result = await record(target, { other, isFirst: true })
    if (isRefusal(result)) return result
  }
  if (result.isAliased && other) {
    // The commit also sends the other conversation a command; executed here, it takes effect before the provider gets
    // its answer.
    const merge = { identity: identityOf(other), agent: factsOf(contextOf(other)), canonical: target }
    const merged = await shards.execute(other.asid, commands.mergeInto, merge)
    if (isRefusal(merged)) return merged
  }
  if (result.canonical) {
    target = result.canonical
    result = await record(target)
    if (isRefusal(result)) return result
    if (result.canonical) return unavailable
  }
  const { newCount, inFlight } = result
  metrics.countItems(channel, 'new', newCount)
  if (newCount < items.length) metrics.countItems(channel, 'duplicate', items.length - newCount)
  return inFlight && waitForInFlight(deps, target.asid, inFlight)
}

/**
 * Waits until the provider has no message for the person any more, so that nothing arrives after the STOP is
 * acknowledged. The STOP is already recorded; a provider without an answer in time repeats the call.
 */
async function waitForInFlight(
  { shards, clock }: InboundDeps,
  asid: string,
  { messageId, attempt }: NonNullable<InboundResult['inFlight']>,
): Promise<Refusal | undefined> {
  const until = clock.monotonic() + limits.stopWaitMs
  for (;;) {
    const now = await shards.query(asid, readConversation, { asid })
    if (isRefusal(now)) return now
    const { inFlight } = now ?? {}
    if (inFlight?.messageId !== messageId || inFlight.attempt !== attempt || inFlight.retryAt !== undefined)
      return undefined
    if (clock.monotonic() >= until) return unavailable
    await new Promise<void>((resolve) => clock.setTimer(clock.now() + limits.stopPollMs, resolve))
  }
}
