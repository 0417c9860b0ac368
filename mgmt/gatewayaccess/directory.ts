/**
 * Who an access token is, and by what ways an agent sends, on any process. Where a token's agent is never changes and is
 * remembered; everything else is asked of the agent's shard each time, except while this process owns that shard and so
 * hears of every change before anybody else does.
 */
import { hash as digest, timingSafeEqual } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { AgentCaller } from '../../core/access.js'
import { type AgentPlace, agentKeyOf, placeOfAgentKey } from '../../core/agentkey.js'
import type { AgentSide } from '../../core/agentside.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { accessTokenPrefix } from '../../core/ids.js'
import { gatewayAccess } from '../../core/limits.js'
import type { Local, Query, Shards } from '../../runtime/shard/contract.js'
import { encodePlain } from '../../runtime/store/codec.js'
import type { Table } from '../../runtime/store/contract.js'
import { hashToken } from './credentials.js'
import { gatewayQueries, gatewayTable } from './store.js'
import { openTenured } from './tenured.js'
import { ownerOfToken, tokenIndex } from './tokenindex.js'

export interface AgentRoutes extends AgentSide {
  /** The org's, an IANA name. */
  readonly timeZone?: string
  /** Follows from all the rest: the same on every process, and another one when anything is changed. */
  readonly version: number
}

export interface AgentDirectory {
  /**
   * Not found for an agent that is not there; unavailable when its shard or its org's cannot be asked just now. What is
   * known at once is answered at once.
   */
  routes(agentKey: string): AgentRoutes | Promise<AgentRoutes | Refusal>
  /** Undefined for a token that is unknown or was replaced; what is known at once is answered at once. */
  byAccessToken(token: string): AgentCaller | undefined | Promise<AgentCaller | undefined | Refusal>
}

/** What other areas keep that the routes are made of: a change of any of these tables is a change of routes. */
export interface DirectoryOptions {
  readonly shards: Shards & Local
  readonly routes: Query<AgentPlace, AgentSide>
  readonly agentTables: readonly Table<readonly [orgId: string, agentId: string, ...string[]], unknown>[]
  readonly org: {
    readonly table: Table<[orgId: string], unknown>
    readonly read: Query<{ readonly orgId: string }, { readonly timeZone?: string }>
  }
}

export function openDirectory({ shards, routes: query, agentTables, org }: DirectoryOptions): AgentDirectory {
  const places = new LRUCache<string, AgentPlace>({ max: gatewayAccess.rememberedTokens })
  const tokens = openTenured<Uint8Array>(shards, gatewayAccess.heldAgents)
  const sides = openTenured<AgentSide>(shards, gatewayAccess.heldAgents)
  const zones = openTenured<{ readonly timeZone?: string }>(shards, gatewayAccess.heldAgents)
  const composed = new WeakMap<AgentSide, AgentRoutes>()

  function followAgents(table: Table<readonly [string, string, ...string[]], unknown>): void {
    shards.watch(table, ([orgId, agentId]) => {
      const owner = agentKeyOf({ orgId, agentId })
      tokens.forget(owner)
      sides.forget(owner)
    })
  }
  for (const table of [gatewayTable, ...agentTables]) followAgents(table as Parameters<typeof followAgents>[0])
  shards.watch(org.table, ([orgId]) => zones.forget(orgId))

  async function zoneOf(orgId: string): Promise<{ readonly timeZone?: string } | Refusal> {
    const known = zones.known(orgId)
    if (known) return known
    const learned = await zones.learn(orgId, async () => {
      const found = await shards.read(orgId, org.read, { orgId })
      return isRefusal(found) ? found : { timeZone: found.timeZone }
    })
    return learned ?? {}
  }

  /** That a token is nowhere is never remembered: it may be made at any moment. */
  async function placeOf(hash: Uint8Array, name: string): Promise<AgentPlace | null | Refusal> {
    const found = await shards.read(ownerOfToken(hash), tokenIndex.find, { hash })
    if (!found || isRefusal(found)) return found
    places.set(name, found)
    return found
  }

  async function inquire(place: AgentPlace, hash: Uint8Array): Promise<AgentCaller | undefined | Refusal> {
    const found = await tokens.learn(agentKeyOf(place), async () => {
      const isGood = await shards.read(agentKeyOf(place), gatewayQueries.recognise, { ...place, hash })
      return isRefusal(isGood) ? isGood : isGood ? hash : undefined
    })
    return !found || isRefusal(found) ? found : callerOf(place)
  }

  async function inquireRoutes(agentKey: string): Promise<AgentRoutes | Refusal> {
    const place = placeOfAgentKey(agentKey)
    const ask = () => shards.read(agentKey, query, place)
    const [side, zone] = await Promise.all([sides.known(agentKey) ?? sides.learn(agentKey, ask), zoneOf(place.orgId)])
    if (isRefusal(side)) return side
    return isRefusal(zone) ? zone : composedOf(side!, zone)
  }

  /** The same object for as long as nothing is changed. */
  function composedOf(side: AgentSide, { timeZone }: { readonly timeZone?: string }): AgentRoutes {
    const before = composed.get(side)
    if (before && before.timeZone === timeZone) return before
    const routes = compose(side, timeZone)
    composed.set(side, routes)
    return routes
  }

  async function search(hash: Uint8Array, name: string): Promise<AgentCaller | undefined | Refusal> {
    const place = await placeOf(hash, name)
    return !place || isRefusal(place) ? (place ?? undefined) : inquire(place, hash)
  }

  return {
    routes(agentKey) {
      const side = sides.known(agentKey)
      const zone = side && zones.known(side.orgId)
      return zone ? composedOf(side, zone) : inquireRoutes(agentKey)
    },
    byAccessToken(token) {
      if (!token.startsWith(accessTokenPrefix)) return undefined
      const hash = hashToken(token)
      const name = hash.toString('base64')
      const place = places.get(name)
      if (!place) return search(hash, name)
      const held = tokens.known(agentKeyOf(place))
      if (!held) return inquire(place, hash)
      return timingSafeEqual(held, hash) ? callerOf(place) : undefined
    },
  }
}

function callerOf({ orgId, agentId }: AgentPlace): AgentCaller {
  return { kind: 'agent', id: agentId, orgId, agentId }
}

const versionBytes = 6

function compose(side: AgentSide, timeZone: string | undefined): AgentRoutes {
  const version = digest('sha256', encodePlain([side, timeZone]), 'buffer').readUIntBE(0, versionBytes)
  return { ...side, ...(timeZone !== undefined && { timeZone }), version }
}
