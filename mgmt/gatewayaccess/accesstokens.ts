/**
 * Authentication of agents by access token. The agent of a token never changes and is cached. The agent's shard says
 * whether the token is valid; that answer is cached only while this process owns the shard, and every change
 * invalidates it before the change is answered.
 */
import { timingSafeEqual } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { AgentCaller } from '../../core/access.js'
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { accessTokenPrefix } from '../../core/ids.js'
import { gatewayAccess } from '../../core/limits/index.js'
import type { Local, Shards } from '../../runtime/shard/contract.js'
import { hashToken } from '../agents/credentials.js'
import { createOwnerCache } from '../agents/ownercache.js'
import { gatewayQueries, gatewayTable } from './store.js'
import { ownerOfToken, tokenIndex } from './tokenindex.js'

/** Undefined for a token that is unknown or was replaced. Synchronous when agent and hash are cached. */
export type AgentTokenAuth = (token: string) => AgentCaller | undefined | Promise<AgentCaller | undefined | Refusal>

export function createAgentTokenAuth(shards: Shards & Local): AgentTokenAuth {
  const agentCache = new LRUCache<string, AgentRef>({ max: gatewayAccess.cachedTokens })
  const hashCache = createOwnerCache<Uint8Array>(shards, gatewayAccess.cachedAgents)
  shards.watch(gatewayTable, ([orgId, agentId]) => hashCache.invalidate(formatAgentKey({ orgId, agentId })))

  /** A miss is never cached, because the token may be created at any moment. */
  async function loadAgentRef(hash: Uint8Array, cacheKey: string): Promise<AgentRef | null | Refusal> {
    const agent = await shards.query(ownerOfToken(hash), tokenIndex.find, { hash })
    if (!agent || isRefusal(agent)) return agent
    agentCache.set(cacheKey, agent)
    return agent
  }

  async function verify(agent: AgentRef, hash: Uint8Array): Promise<AgentCaller | undefined | Refusal> {
    const validHash = await hashCache.load(formatAgentKey(agent), async () => {
      const isGood = await shards.query(formatAgentKey(agent), gatewayQueries.isCurrentToken, { ...agent, hash })
      return isRefusal(isGood) ? isGood : isGood ? hash : undefined
    })
    return !validHash || isRefusal(validHash) ? validHash : callerOf(agent)
  }

  async function findAndVerify(hash: Uint8Array, cacheKey: string): Promise<AgentCaller | undefined | Refusal> {
    const agent = await loadAgentRef(hash, cacheKey)
    return !agent || isRefusal(agent) ? (agent ?? undefined) : verify(agent, hash)
  }

  return (token) => {
    if (!token.startsWith(accessTokenPrefix)) return undefined
    const hash = hashToken(token)
    const cacheKey = hash.toString('base64')
    const agent = agentCache.get(cacheKey)
    if (!agent) return findAndVerify(hash, cacheKey)
    const cached = hashCache.get(formatAgentKey(agent))
    if (!cached) return verify(agent, hash)
    return timingSafeEqual(cached, hash) ? callerOf(agent) : undefined
  }
}

function callerOf({ orgId, agentId }: AgentRef): AgentCaller {
  return { kind: 'agent', id: agentId, orgId, agentId }
}
