/**
 * Connections to providers with a connection protocol. Every process that submits messages has one connection per such
 * binding. A message or the reconciliation opens it; the reconciliation closes it when the binding is deleted, and a
 * change of credentials replaces it. A binding that needs its operator or is disabled keeps its connection, since
 * inbound messages arrive over it.
 */

import type { AgentRouting } from '../../core/agent/routing.js'
import { type ChannelRoute, routeOfBinding } from '../../core/agent/routing.js'
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import type { Item, ProviderConnection } from '../../core/channel/adapter.js'
import type { HostedAdapter } from '../../core/channel/hostedadapter.js'
import type { Refusal } from '../../core/errors.js'
import { isRefusal } from '../../core/errors.js'
import { provider as limits } from '../../core/limits/index.js'
import type { Clock } from '../clock.js'
import type { AdapterLookup, Directory } from '../conversation/context.js'
import type { Log } from '../observe/log.js'
import { type Providers, sameBytes } from './providers.js'

export interface ConnectionPool {
  /** Undefined for a provider that is called over HTTP. */
  get(agent: AgentRouting, binding: ChannelRoute, adapter: HostedAdapter, auth: unknown): ProviderConnection | undefined
  /** Starts the periodic reconciliation of connections with bindings. */
  start(): void
  close(): Promise<void>
}

export interface BindingRef extends AgentRef {
  readonly bindingId: string
}

export interface ConnectionPoolOptions {
  readonly directory: Directory
  readonly adapters: AdapterLookup
  readonly providers: Pick<Providers, 'authOf' | 'contextFor'>
  /** Records items from a connection; returns a refusal when any of them is not recorded. */
  readonly record: (from: BindingContext & { readonly items: readonly Item[] }) => Promise<Refusal | undefined>
  readonly clock: Pick<Clock, 'now' | 'setTimer'>
  /** Every binding whose provider has a connection protocol, from all shards that are available. */
  readonly findBindings: () => Promise<readonly BindingRef[]>
  readonly addressOf: (host: string, port: number) => Promise<string | undefined>
  readonly log: Log
}

export interface BindingContext {
  readonly agent: AgentRouting
  readonly binding: ChannelRoute
}

interface PooledConnection {
  readonly connection: ProviderConnection
  readonly sealed: Uint8Array | undefined
  readonly controller: AbortController
}

export function createConnectionPool(options: ConnectionPoolOptions): ConnectionPool {
  const { directory, adapters, providers, record, findBindings, addressOf, clock, log } = options
  const pool = new Map<string, PooledConnection>()
  let cancel = () => {}
  let isClosed = false

  function get(
    agent: AgentRouting,
    binding: ChannelRoute,
    adapter: HostedAdapter,
    auth: unknown,
  ): ProviderConnection | undefined {
    if (!adapter.connect || isClosed) return undefined
    const { bindingId } = binding
    const existing = pool.get(bindingId)
    if (existing && sameBytes(existing.sealed, binding.auth?.sealed)) return existing.connection
    if (existing) void end(bindingId, existing)
    const controller = new AbortController()
    const connection = adapter.connect({
      ...providers.contextFor(binding, auth, controller.signal),
      addressOf,
      async report(items) {
        const current = await bindingContextOf({ ...agent, bindingId })
        const refusal = current ? await record({ ...current, items }) : undefined
        if (!current || refusal) throw new Error('inbound items of the connection were not recorded')
      },
    })
    pool.set(bindingId, { connection, sealed: binding.auth?.sealed, controller })
    return connection
  }

  /** Undefined when the binding does not exist any more. */
  async function bindingContextOf(bindingRef: BindingRef): Promise<BindingContext | undefined> {
    const agent = await directory.get(formatAgentKey(bindingRef))
    if (isRefusal(agent)) {
      if (agent.refused === 'resource.not_found') return undefined
      throw new Error('an agent cannot be looked up just now')
    }
    const binding = routeOfBinding(agent, bindingRef.bindingId)
    return binding && { agent, binding }
  }

  async function end(bindingId: string, { connection, controller: end }: PooledConnection): Promise<void> {
    pool.delete(bindingId)
    try {
      await connection.close()
    } catch (error) {
      log.error('connection.close.failed', { bindingId, error })
    }
    end.abort()
  }

  /** Closes nothing when any lookup fails: the binding may still exist. */
  async function reconcile(): Promise<void> {
    const contexts = await Promise.all((await findBindings()).map(bindingContextOf))
    const expected = new Set<string>()
    for (const route of contexts) {
      const adapter = route && adapters(route.binding.channel, route.binding.provider)
      if (!adapter?.connect) continue
      const { agent, binding } = route!
      expected.add(binding.bindingId)
      const credentials = await providers.authOf(agent.orgId, binding)
      if (!isRefusal(credentials)) get(agent, binding, adapter, credentials.auth)
    }
    for (const [bindingId, each] of pool) if (!expected.has(bindingId)) void end(bindingId, each)
  }

  function scheduleReconcile(): void {
    cancel = clock.setTimer(clock.now() + limits.connectionCheckMs, reconcileNow)
  }

  function reconcileNow(): void {
    reconcile()
      .catch((error) => log.error('connection.reconcile.failed', { error }))
      .finally(() => {
        if (!isClosed) scheduleReconcile()
      })
  }

  return {
    get,
    start: reconcileNow,
    async close() {
      isClosed = true
      cancel()
      await Promise.all([...pool].map(([bindingId, each]) => end(bindingId, each)))
    },
  }
}
