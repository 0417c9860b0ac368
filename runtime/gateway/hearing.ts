/** Puts on record what a provider told: everything of one person in one command, persons side by side. */
import { agentKeyOf } from '../../core/agentkey.js'
import type { ChannelRoute } from '../../core/agentside.js'
import type { Item } from '../../core/channel/adapter.js'
import type { Inbound } from '../../core/conversation/hear.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import type { Log } from '../observe/log.js'
import { aroundOf, type KnownAgent } from './directory.js'
import type { Places } from './places.js'

export interface Told {
  readonly agent: KnownAgent
  readonly bound: ChannelRoute
  readonly items: readonly Item[]
}

/** A refusal when any of it is not on record. What could not be read is left out, and said in the log. */
export async function hear(places: Places, { agent, bound, items }: Told, log: Log): Promise<Refusal | undefined> {
  const people = new Map<string, { id: string; inbound: Inbound }[]>()
  for (const item of items) {
    if ('problem' in item) {
      log.warn('ingress.item.unreadable', { bindingId: bound.bindingId, problem: item.problem })
      continue
    }
    const { address, id, inbound } = item
    const told = people.get(address)
    if (told) told.push({ id, inbound })
    else people.set(address, [{ id, inbound }])
  }
  const { orgId, agentId } = agent
  const { channel } = bound
  const outcomes = await Promise.all(
    [...people].map(([address, told]) => {
      const asid = places.asidOf(agentKeyOf(agent), channel, address)
      const who = { asid, agent: { orgId, agentId }, channel, address }
      const around = aroundOf(agent, who, places)
      return places.shards.ask(asid, places.commands.hear, { who, around, items: told })
    }),
  )
  return outcomes.find(isRefusal)
}
