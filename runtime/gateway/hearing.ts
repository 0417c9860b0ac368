/** Puts on record what a provider told: everything of one person in one command, persons side by side. */
import { agentKeyOf } from '../../core/agentkey.js'
import type { ChannelRoute } from '../../core/agentside.js'
import type { Item } from '../../core/channel/adapter.js'
import { withAddresses } from '../../core/channel/held.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { ingress as limits } from '../../core/limits.js'
import type { Log } from '../observe/log.js'
import { unavailable } from '../shard/unavailable.js'
import type { Heard, HeardItem } from './commands.js'
import { aroundOf, type KnownAgent } from './directory.js'
import type { Places } from './places.js'
import { readConversation } from './routes.js'

export interface Told {
  readonly agent: KnownAgent
  readonly bound: ChannelRoute
  readonly items: readonly Item[]
}

/** A refusal when any of it is not on record. What could not be read is left out, and said in the log. */
export function hear(places: Places, { agent, bound, items }: Told, log: Log): Promise<Refusal | undefined> {
  const { ingress } = places.meters
  const told: PersonTold[] = []
  const { orgId, agentId } = agent
  const { channel, bindingId } = bound
  const addressOf = (held: string) => places.received.addressOf({ orgId, agentId, bindingId, held })
  for (const item of items) {
    if ('problem' in item) {
      ingress.told(channel, 'unreadable', 1)
      log.warn('ingress.item.unreadable', { bindingId, problem: item.problem })
      continue
    }
    const { address, id, abilities } = item
    // Lines refer to nothing, and the ingress follows what calls refer to.
    if (item.inbound.kind === 'reference') continue
    const inbound = withAddresses(item.inbound, addressOf)
    const heard = abilities ? { id, inbound, abilities } : { id, inbound }
    told.push({ address, told: [heard] })
  }
  // Mostly a call tells one thing.
  if (told.length === 1) return hearPerson(places, agent, channel, told[0]!)
  const hearings = byPerson(told).map((person) => hearPerson(places, agent, channel, person))
  return Promise.all(hearings).then((refusals) => refusals.find((refusal) => refusal !== undefined))
}

interface PersonTold {
  readonly address: string
  readonly told: readonly HeardItem[]
}

function byPerson(all: readonly PersonTold[]): PersonTold[] {
  const people = new Map<string, HeardItem[]>()
  for (const { address, told } of all) {
    const known = people.get(address)
    if (known) known.push(...told)
    else people.set(address, [...told])
  }
  return Array.from(people, ([address, told]) => ({ address, told }))
}

async function hearPerson(
  places: Places,
  agent: KnownAgent,
  channel: ChannelRoute['channel'],
  { address, told }: PersonTold,
): Promise<Refusal | undefined> {
  const { ingress } = places.meters
  const { orgId, agentId } = agent
  const asid = places.asidOf(agentKeyOf(agent), channel, address)
  const who = { asid, agent: { orgId, agentId }, channel, address }
  const around = aroundOf(agent, who, places)
  const heard = await places.shards.ask(asid, places.commands.hear, { who, around, items: told })
  if (isRefusal(heard)) return heard
  const { fresh, aloft } = heard
  ingress.told(channel, 'new', fresh)
  if (fresh < told.length) ingress.told(channel, 'duplicate', told.length - fresh)
  return aloft && landed(places, asid, aloft)
}

/**
 * A STOP is acknowledged once nothing is with the provider any more, so that nothing arrives after it. It is on record
 * before that; whoever is not told in time comes again.
 */
async function landed(
  { shards, clock }: Places,
  asid: string,
  { messageId, tried }: NonNullable<Heard['aloft']>,
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
