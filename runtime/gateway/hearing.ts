/** Puts on record what a provider told: everything of one person in one command, persons side by side. */
import { agentKeyOf } from '../../core/agentkey.js'
import type { ChannelRoute } from '../../core/agentside.js'
import type { Item } from '../../core/channel/adapter.js'
import { withAddresses } from '../../core/channel/held.js'
import type { KnownAs } from '../../core/conversation/state.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { ingress as limits } from '../../core/limits.js'
import type { Log } from '../observe/log.js'
import { unavailable } from '../shard/unavailable.js'
import type { Heard, HeardItem, Hearing, Identity } from './commands.js'
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
      places.refusedCalls.note(agent, bound, 'ingress.malformed', item.problem)
      continue
    }
    const { address, alias, id, abilities } = item
    // Lines refer to nothing, and the ingress follows what calls refer to.
    if (item.inbound.kind === 'reference') continue
    const inbound = withAddresses(item.inbound, addressOf)
    const heard = abilities ? { id, inbound, abilities } : { id, inbound }
    told.push(alias === undefined ? { address, told: [heard] } : { address, alias, told: [heard] })
  }
  // Mostly a call tells one thing.
  if (told.length === 1) return hearPerson(places, agent, channel, told[0]!)
  const hearings = byPerson(told).map((person) => hearPerson(places, agent, channel, person))
  return Promise.all(hearings).then((refusals) => refusals.find((refusal) => refusal !== undefined))
}

interface PersonTold {
  readonly address: string
  readonly alias?: string
  readonly told: readonly HeardItem[]
}

/** Written out: this is done for every call, see `core/having.ts`. */
function byPerson(all: readonly PersonTold[]): PersonTold[] {
  const people = new Map<string, PersonTold & { readonly told: HeardItem[] }>()
  for (const { address, alias, told } of all) {
    const known = people.get(address)
    const items = known?.told ?? []
    items.push(...told)
    if (!known && alias === undefined) people.set(address, { address, told: items })
    else if (alias !== undefined && known?.alias === undefined) people.set(address, { address, alias, told: items })
  }
  return [...people.values()]
}

async function hearPerson(
  places: Places,
  agent: KnownAgent,
  channel: ChannelRoute['channel'],
  { address, alias, told }: PersonTold,
): Promise<Refusal | undefined> {
  const { ingress } = places.meters
  const { orgId, agentId } = agent
  const named = (name: string): KnownAs => ({ asid: places.asidOf(agentKeyOf(agent), channel, name), address: name })
  const whoBy = ({ asid, address }: KnownAs): Identity => ({ asid, agent: { orgId, agentId }, channel, address })
  const ask = (by: KnownAs, more: Pick<Hearing, 'other' | 'isFirst'> = {}) => {
    const who = whoBy(by)
    const around = aroundOf(agent, who, places)
    return places.shards.ask(by.asid, places.commands.hear, { who, around, items: told, ...more })
  }
  let by = named(address)
  let other = alias === undefined ? undefined : named(alias)
  let heard = await (other ? ask(by, { other }) : ask(by))
  if (isRefusal(heard)) return heard
  if (heard.isUnknown && other) {
    const known = await places.shards.read(other.asid, readConversation, { asid: other.asid })
    if (isRefusal(known)) return known
    if (known) [by, other] = [other, by]
    heard = await ask(by, { other, isFirst: true })
    if (isRefusal(heard)) return heard
  }
  if (heard.isAliased && other) {
    // The commit tells the other address of it as well; asked here, it is known before the provider has its answer.
    const noted = await places.shards.ask(other.asid, places.commands.knownAs, { who: whoBy(other), knownAs: by })
    if (isRefusal(noted)) return noted
  }
  if (heard.knownAs) {
    by = heard.knownAs
    heard = await ask(by)
    if (isRefusal(heard)) return heard
    if (heard.knownAs) return unavailable
  }
  const { fresh, aloft } = heard
  ingress.told(channel, 'new', fresh)
  if (fresh < told.length) ingress.told(channel, 'duplicate', told.length - fresh)
  return aloft && landed(places, by.asid, aloft)
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
