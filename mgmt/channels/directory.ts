/**
 * What conversations need to know of an agent, on any process: gathered in the agent's shard by one query, with the time
 * zone of its org. It is asked for each time, but cached while this process owns the shard in question: then it sees every
 * change before the change is answered.
 */
import { hash as digest } from 'node:crypto'
import { enabledRules } from '../../core/agent/replyrules.js'
import type { Rule } from '../../core/agent/resources/character.js'
import type { AgentRouting } from '../../core/agent/routing.js'
import { type AgentPlace, agentKeyOf, placeOfAgentKey } from '../../core/agentkey.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { gatewayAccess } from '../../core/limits.js'
import type { Local, Query, Shards } from '../../runtime/shard/contract.js'
import { encodePlain } from '../../runtime/store/codec.js'
import { secretKind } from '../agents/credentials.js'
import { createOwnerCache } from '../agents/ownercache.js'
import { readSection } from '../agents/sections.js'
import { agentTable, findAgent } from '../agents/store.js'
import { gatewayTable, modeOf, notFound } from '../gatewayaccess/store.js'
import { orgTable, readOrg } from '../orgs/store.js'
import { bindingTable, channelRoutesOf } from './store.js'

export interface VersionedRouting extends AgentRouting {
  /** Follows from all the rest: the same on every process, and another one when anything is changed. */
  readonly version: number
}

export interface AgentDirectory {
  /**
   * Not found for an agent that is not there; unavailable when its shard or its org's cannot be asked just now.
   * Synchronous when all that it needs is cached.
   */
  get(agentKey: string): VersionedRouting | Promise<VersionedRouting | Refusal>
}

export const agentRouting: Query<AgentPlace, AgentRouting> = {
  name: 'gateway.routes',
  read(reader, { orgId, agentId }) {
    const place = { orgId, agentId }
    const agent = findAgent(reader, place)
    const access = reader.get(gatewayTable, [orgId, agentId])
    if (!agent || !access) return notFound
    const { id, sealed } = access.secret
    const rules = enabledRules((readSection(reader, place, 'rules') ?? []) as readonly Rule[])
    return {
      ...place,
      name: agent.name,
      mode: modeOf(access),
      ...(access.webhook && { webhook: access.webhook }),
      signingSecret: { kind: secretKind, id, sealed },
      identity: agent.identity ?? {},
      ...(rules.length > 0 && { rules }),
      ...channelRoutesOf(reader, place),
    }
  },
}

export function createDirectory(shards: Shards & Local): AgentDirectory {
  const sides = createOwnerCache<AgentRouting>(shards, gatewayAccess.heldAgents)
  const zones = createOwnerCache<{ readonly timeZone?: string }>(shards, gatewayAccess.heldAgents)
  const composed = new WeakMap<AgentRouting, VersionedRouting>()

  const forget = ([orgId, agentId]: readonly [string, string, ...string[]]) =>
    sides.forget(agentKeyOf({ orgId, agentId }))
  shards.watch(agentTable, forget)
  shards.watch(gatewayTable, forget)
  shards.watch(bindingTable, forget)
  shards.watch(orgTable, ([orgId]) => zones.forget(orgId))

  async function zoneOf(orgId: string): Promise<{ readonly timeZone?: string } | Refusal> {
    const known = zones.known(orgId)
    if (known) return known
    const learned = await zones.learn(orgId, async () => {
      const found = await shards.read(orgId, readOrg, { orgId })
      return isRefusal(found) ? found : { timeZone: found.timeZone }
    })
    return learned ?? {}
  }

  async function lookUp(agentKey: string): Promise<VersionedRouting | Refusal> {
    const place = placeOfAgentKey(agentKey)
    const ask = () => shards.read(agentKey, agentRouting, place)
    const [side, zone] = await Promise.all([sides.known(agentKey) ?? sides.learn(agentKey, ask), zoneOf(place.orgId)])
    if (isRefusal(side)) return side
    return isRefusal(zone) ? zone : composedOf(side!, zone)
  }

  /** The same object for as long as nothing is changed. */
  function composedOf(side: AgentRouting, { timeZone }: { readonly timeZone?: string }): VersionedRouting {
    const before = composed.get(side)
    if (before && before.timeZone === timeZone) return before
    const routes = compose(side, timeZone)
    composed.set(side, routes)
    return routes
  }

  return {
    get(agentKey) {
      const side = sides.known(agentKey)
      const zone = side && zones.known(side.orgId)
      return zone ? composedOf(side, zone) : lookUp(agentKey)
    },
  }
}

const versionBytes = 6

function compose(side: AgentRouting, timeZone: string | undefined): VersionedRouting {
  const version = digest('sha256', encodePlain([side, timeZone]), 'buffer').readUIntBE(0, versionBytes)
  return { ...side, ...(timeZone !== undefined && { timeZone }), version }
}
