/**
 * Index from binding id to agent: providers call in with the binding id alone. Each row is in a shard of its own and no
 * part of the id, so that an address given to a provider tells nothing about org and agent, and a caller cannot write
 * an id that leads to a shard of its choosing. A row never changes. The agent's shard knows whether the binding exists
 * and may be used.
 */
import { LRUCache } from 'lru-cache'
import type { AgentRef } from '../../core/agentref.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { channelBinding as limits } from '../../core/limits/index.js'
import type { Command, Query, Shards } from '../../runtime/shard/contract.js'
import { table } from '../../runtime/store/contract.js'

const indexTable = table<[bindingId: string], AgentRef>('channels.index')

export function ownerOfBinding(bindingId: string): string {
  return `binding:${bindingId}`
}

const put: Command<AgentRef & { readonly bindingId: string }, true> = {
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

const find: Query<{ readonly bindingId: string }, AgentRef | null> = {
  name: 'channels.index.find',
  read: (reader, { bindingId }) => reader.get(indexTable, [bindingId]) ?? null,
}

export const bindingIndex = { put, remove, find }

/** Null for an id without a row. A row is cached for good; a missing row is never cached. */
export type FindBinding = (bindingId: string) => AgentRef | Promise<AgentRef | null | Refusal>

export function createBindingLookup(shards: Pick<Shards, 'query'>): FindBinding {
  const agentCache = new LRUCache<string, AgentRef>({ max: limits.cachedBindingAgents })

  async function lookUp(bindingId: string): Promise<AgentRef | null | Refusal> {
    const agent = await shards.query(ownerOfBinding(bindingId), find, { bindingId })
    if (!agent || isRefusal(agent)) return agent
    agentCache.set(bindingId, agent)
    return agent
  }

  return (bindingId) => agentCache.get(bindingId) ?? lookUp(bindingId)
}
