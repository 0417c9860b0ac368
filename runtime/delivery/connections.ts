/**
 * Lines to providers that are connected to and not called. Every process that hands over messages has one of its own to
 * each such binding: opened when a message needs it or a look around finds the binding, closed when the binding is gone or
 * has other credentials. One that needs its operator or is disabled keeps its line: what people do comes in over it.
 */

import type { AgentRouting } from '../../core/agent/routing.js'
import { type ChannelRoute, routeOfBinding } from '../../core/agent/routing.js'
import { type AgentPlace, agentKeyOf } from '../../core/agentkey.js'
import type { Item, Line } from '../../core/channel/adapter.js'
import type { HostedAdapter } from '../../core/channel/hosted.js'
import type { Refusal } from '../../core/errors.js'
import { isRefusal } from '../../core/errors.js'
import { provider as limits } from '../../core/limits.js'
import type { Clock } from '../clock.js'
import type { Adapters, Directory } from '../conversation/context.js'
import type { Log } from '../observe/log.js'
import { type Providers, sameBytes } from './providers.js'

export interface Lines {
  /** Undefined where the provider is called and not connected to. */
  of(agent: AgentRouting, bound: ChannelRoute, adapter: HostedAdapter, auth: unknown): Line | undefined
  /** Looks around from now on. */
  start(): void
  close(): Promise<void>
}

export interface BindingPlace extends AgentPlace {
  readonly bindingId: string
}

export interface LinesOptions {
  readonly directory: Directory
  readonly adapters: Adapters
  readonly providers: Pick<Providers, 'authOf' | 'reach'>
  /** Records items that came over a connection; a refusal when any of them is not recorded. */
  readonly record: (from: Route & { readonly items: readonly Item[] }) => Promise<Refusal | undefined>
  readonly clock: Pick<Clock, 'now' | 'wake'>
  /** Every binding whose provider is connected to, in any shard that can be asked just now. */
  readonly find: () => Promise<readonly BindingPlace[]>
  readonly addressOf: (host: string, port: number) => Promise<string | undefined>
  readonly log: Log
}

export interface Route {
  readonly agent: AgentRouting
  readonly bound: ChannelRoute
}

interface Held {
  readonly line: Line
  readonly sealed: Uint8Array | undefined
  readonly end: AbortController
}

export function openLines(options: LinesOptions): Lines {
  const { directory, adapters, providers, record, find, addressOf, clock, log } = options
  const held = new Map<string, Held>()
  let cancel = () => {}
  let closed = false

  function of(agent: AgentRouting, bound: ChannelRoute, adapter: HostedAdapter, auth: unknown): Line | undefined {
    if (!adapter.connect || closed) return undefined
    const { bindingId } = bound
    const known = held.get(bindingId)
    if (known && sameBytes(known.sealed, bound.auth?.sealed)) return known.line
    if (known) void end(bindingId, known)
    const controller = new AbortController()
    const line = adapter.connect({
      ...providers.reach(bound, auth, controller.signal),
      addressOf,
      async tell(items) {
        const current = await routeOf({ ...agent, bindingId })
        const refusal = current ? await record({ ...current, items }) : undefined
        if (!current || refusal) throw new Error('what came over the line is not on record')
      },
    })
    held.set(bindingId, { line, sealed: bound.auth?.sealed, end: controller })
    return line
  }

  /** Undefined when there is no such binding any more. */
  async function routeOf(place: BindingPlace): Promise<Route | undefined> {
    const agent = await directory.get(agentKeyOf(place))
    if (isRefusal(agent)) {
      if (agent.refused === 'resource.not_found') return undefined
      throw new Error('an agent cannot be looked up just now')
    }
    const bound = routeOfBinding(agent, place.bindingId)
    return bound && { agent, bound }
  }

  async function end(bindingId: string, { line, end }: Held): Promise<void> {
    held.delete(bindingId)
    try {
      await line.close()
    } catch (error) {
      log.error('line.close.failed', { bindingId, error })
    }
    end.abort()
  }

  /** Where anything cannot be looked up, nothing is closed: it may be there all the same. */
  async function lookAround(): Promise<void> {
    const routes = await Promise.all((await find()).map(routeOf))
    const wanted = new Set<string>()
    for (const route of routes) {
      const adapter = route && adapters(route.bound.channel, route.bound.provider)
      if (!adapter?.connect) continue
      const { agent, bound } = route!
      wanted.add(bound.bindingId)
      const opened = await providers.authOf(agent.orgId, bound)
      if (!isRefusal(opened)) of(agent, bound, adapter, opened.auth)
    }
    for (const [bindingId, each] of held) if (!wanted.has(bindingId)) void end(bindingId, each)
  }

  function again(): void {
    cancel = clock.wake(clock.now() + limits.linesEveryMs, look)
  }

  function look(): void {
    lookAround()
      .catch((error) => log.error('line.look.failed', { error }))
      .finally(() => {
        if (!closed) again()
      })
  }

  return {
    of,
    start: look,
    async close() {
      closed = true
      cancel()
      await Promise.all([...held].map(([bindingId, each]) => end(bindingId, each)))
    },
  }
}
