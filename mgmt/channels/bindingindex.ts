/**
 * Which agent a binding belongs to, by the binding's id alone: providers call in with nothing else. It is a row in a shard
 * of its own and not a part of the id, so that an address given to a provider tells nothing about org and agent, and
 * nobody can write one that leads to a shard of his choosing. A row never changes; whether the binding is there and may be
 * used its agent says.
 */
import { LRUCache } from 'lru-cache'
import type { AgentPlace } from '../../core/agentkey.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { channelBinding as limits } from '../../core/limits.js'
import type { Command, Query, Shards } from '../../runtime/shard/contract.js'
import { table } from '../../runtime/store/contract.js'

const indexTable = table<[bindingId: string], AgentPlace>('channels.index')

export function ownerOfBinding(bindingId: string): string {
  return `binding:${bindingId}`
}

const put: Command<AgentPlace & { readonly bindingId: string }, true> = {
  name: 'channels.index.put',
  decide(tx, { orgId, agentId, bindingId }) {
    tx.put(indexTable, [bindingId], { orgId, agentId })
    return true
  },
}

const remove: Command<{ readonly bindingId: string }, true> = {
  name: 'channels.index.remove',
  decide(tx, { bindingId }) {
    tx.remove(indexTable, [bindingId])
    return true
  },
}

const find: Query<{ readonly bindingId: string }, AgentPlace | null> = {
  name: 'channels.index.find',
  read: (reader, { bindingId }) => reader.get(indexTable, [bindingId]) ?? null,
}

export const bindingIndex = { put, remove, find }

/** Null for a binding that nobody made. A place once found is remembered for good; that there is none never is. */
export type FindBinding = (bindingId: string) => AgentPlace | Promise<AgentPlace | null | Refusal>

export function openBindingPlaces(shards: Pick<Shards, 'read'>): FindBinding {
  const places = new LRUCache<string, AgentPlace>({ max: limits.rememberedPlaces })

  async function lookedUp(bindingId: string): Promise<AgentPlace | null | Refusal> {
    const found = await shards.read(ownerOfBinding(bindingId), find, { bindingId })
    if (!found || isRefusal(found)) return found
    places.set(bindingId, found)
    return found
  }

  return (bindingId) => places.get(bindingId) ?? lookedUp(bindingId)
}
