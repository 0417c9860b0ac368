/**
 * Which agent an access token is of. Where the agent of a token lives never changes and is cached. Whether the token is
 * good is asked of the agent's shard each time, but cached while this process owns that shard: then it sees every change
 * before the change is answered.
 */
import { timingSafeEqual } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { AgentCaller } from '../../core/access.js'
import { type AgentPlace, agentKeyOf } from '../../core/agentkey.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { accessTokenPrefix } from '../../core/ids.js'
import { gatewayAccess } from '../../core/limits.js'
import type { Local, Shards } from '../../runtime/shard/contract.js'
import { hashToken } from '../agents/credentials.js'
import { createOwnerCache } from '../agents/ownercache.js'
import { gatewayQueries, gatewayTable } from './store.js'
import { ownerOfToken, tokenIndex } from './tokenindex.js'

/** Undefined for a token that is unknown or was replaced. Synchronous when all that it needs is cached. */
export type AgentOfToken = (token: string) => AgentCaller | undefined | Promise<AgentCaller | undefined | Refusal>

export function createAgentOfToken(shards: Shards & Local): AgentOfToken {
  const places = new LRUCache<string, AgentPlace>({ max: gatewayAccess.rememberedTokens })
  const hashes = createOwnerCache<Uint8Array>(shards, gatewayAccess.heldAgents)
  shards.watch(gatewayTable, ([orgId, agentId]) => hashes.forget(agentKeyOf({ orgId, agentId })))

  /** That a token is nowhere is never cached: it may be made at any moment. */
  async function placeOf(hash: Uint8Array, name: string): Promise<AgentPlace | null | Refusal> {
    const found = await shards.read(ownerOfToken(hash), tokenIndex.find, { hash })
    if (!found || isRefusal(found)) return found
    places.set(name, found)
    return found
  }

  async function verify(place: AgentPlace, hash: Uint8Array): Promise<AgentCaller | undefined | Refusal> {
    const found = await hashes.learn(agentKeyOf(place), async () => {
      const isGood = await shards.read(agentKeyOf(place), gatewayQueries.recognise, { ...place, hash })
      return isRefusal(isGood) ? isGood : isGood ? hash : undefined
    })
    return !found || isRefusal(found) ? found : callerOf(place)
  }

  async function search(hash: Uint8Array, name: string): Promise<AgentCaller | undefined | Refusal> {
    const place = await placeOf(hash, name)
    return !place || isRefusal(place) ? (place ?? undefined) : verify(place, hash)
  }

  return (token) => {
    if (!token.startsWith(accessTokenPrefix)) return undefined
    const hash = hashToken(token)
    const name = hash.toString('base64')
    const place = places.get(name)
    if (!place) return search(hash, name)
    const known = hashes.known(agentKeyOf(place))
    if (!known) return verify(place, hash)
    return timingSafeEqual(known, hash) ? callerOf(place) : undefined
  }
}

function callerOf({ orgId, agentId }: AgentPlace): AgentCaller {
  return { kind: 'agent', id: agentId, orgId, agentId }
}
