/**
 * The agent directory of the gateway: what conversations need to know of an agent, on any process. One query reads it
 * in the agent's shard, and another the time zone of its org. The directory queries on each call and caches only while
 * this process owns the shard in question: then it sees every change before the change is answered.
 */
import { hash as digest } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { enabledRules } from '../../core/agent/replyrules.js'
import type { Rule } from '../../core/agent/resources/character.js'
import type { AgentRouting } from '../../core/agent/routing.js'
import { type AgentRef, formatAgentKey, parseAgentKey } from '../../core/agentref.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { gatewayAccess } from '../../core/limits/index.js'
import type { Local, Query, Shards } from '../../runtime/shard/contract.js'
import { encodePlain } from '../../runtime/store/codec.js'
import { secretKind } from '../agents/credentials.js'
import { createOwnerCache } from '../agents/ownercache.js'
import { readSection } from '../agents/sections.js'
import { agentTable, findAgent } from '../agents/store.js'
import { readsVoice } from '../agents/voice.js'
import { gatewayTable, modeOf, notFound } from '../gatewayaccess/store.js'
import { orgTable, readOrg } from '../orgs/store.js'
import { bindingTable, channelRoutesOf } from './store.js'

export interface VersionedRouting extends AgentRouting {
  /** A hash of all other members: equal on every process, and different after any change. */
  readonly version: number
}

export interface AgentDirectory {
  /**
   * Not found for an agent that does not exist; unavailable when its shard or its org's cannot be asked at the moment.
   * Synchronous when everything is cached.
   */
  get(agentKey: string): VersionedRouting | Promise<VersionedRouting | Refusal>
}

export const agentRouting: Query<AgentRef, AgentRouting> = {
  name: 'gateway.routes',
  read(reader, { orgId, agentId }) {
    const agentRef = { orgId, agentId }
    const agent = findAgent(reader, agentRef)
    const access = reader.get(gatewayTable, [orgId, agentId])
    if (!agent || !access) return notFound
    const { id, sealed } = access.secret
    const rules = enabledRules((readSection(reader, agentRef, 'rules') ?? []) as readonly Rule[])
    return {
      ...agentRef,
      name: agent.name,
      mode: modeOf(access),
      ...(access.webhook && { webhook: access.webhook }),
      ...(!access.webhook && readsVoice(reader, agentRef) && { speaks: true }),
      signingSecret: { kind: secretKind, id, sealed },
      identity: agent.identity ?? {},
      ...(rules.length > 0 && { rules }),
      ...channelRoutesOf(reader, agentRef),
    }
  },
}

export function createDirectory(shards: Shards & Local): AgentDirectory {
  const routingCache = createOwnerCache<AgentRouting>(shards, gatewayAccess.cachedAgents)
  const zoneCache = createOwnerCache<{ readonly timeZone?: string }>(shards, gatewayAccess.cachedAgents)
  const versionedCache = new WeakMap<AgentRouting, VersionedRouting>()
  /** The last routing of each agent: a change of its document that routing does not have leaves the object the same. */
  const latest = new LRUCache<string, VersionedRouting>({ max: gatewayAccess.cachedAgents })

  const invalidate = ([orgId, agentId]: readonly [string, string, ...string[]]) =>
    routingCache.invalidate(formatAgentKey({ orgId, agentId }))
  // Every change of an agent's document writes the agent's record too.
  shards.watch(agentTable, invalidate)
  shards.watch(gatewayTable, invalidate)
  shards.watch(bindingTable, invalidate)
  shards.watch(orgTable, ([orgId]) => zoneCache.invalidate(orgId))

  async function loadZone(orgId: string): Promise<{ readonly timeZone?: string } | Refusal> {
    const cached = zoneCache.get(orgId)
    if (cached) return cached
    const zone = await zoneCache.load(orgId, async () => {
      const org = await shards.query(orgId, readOrg, { orgId })
      return isRefusal(org) ? org : { timeZone: org.timeZone }
    })
    return zone ?? {}
  }

  async function load(agentKey: string): Promise<VersionedRouting | Refusal> {
    const agentRef = parseAgentKey(agentKey)
    const query = () => shards.query(agentKey, agentRouting, agentRef)
    const [routing, zone] = await Promise.all([
      routingCache.get(agentKey) ?? routingCache.load(agentKey, query),
      loadZone(agentRef.orgId),
    ])
    if (isRefusal(routing)) return routing
    return isRefusal(zone) ? zone : versionedRoutingOf(routing!, zone)
  }

  /** The same object until a change. */
  function versionedRoutingOf(routing: AgentRouting, { timeZone }: { readonly timeZone?: string }): VersionedRouting {
    const cached = versionedCache.get(routing)
    if (cached && cached.timeZone === timeZone) return cached
    const agentKey = formatAgentKey(routing)
    const [previous, current] = [latest.get(agentKey), withVersion(routing, timeZone)]
    const versioned = previous?.version === current.version ? previous : current
    latest.set(agentKey, versioned)
    versionedCache.set(routing, versioned)
    return versioned
  }

  return {
    get(agentKey) {
      const routing = routingCache.get(agentKey)
      const zone = routing && zoneCache.get(routing.orgId)
      return zone ? versionedRoutingOf(routing, zone) : load(agentKey)
    },
  }
}

const versionBytes = 6

function withVersion(routing: AgentRouting, timeZone: string | undefined): VersionedRouting {
  const version = digest('sha256', encodePlain([routing, timeZone]), 'buffer').readUIntBE(0, versionBytes)
  return { ...routing, ...(timeZone !== undefined && { timeZone }), version }
}
