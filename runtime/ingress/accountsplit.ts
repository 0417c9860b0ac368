/**
 * Splits a provider's call by account: one app of a provider may have one callback address for all of its accounts.
 * Items of another account than the called binding's go to the binding of the same org that has the account.
 */

import type { AgentRouting, ChannelRoute } from '../../core/agent/routing.js'
import type { IngressRequest, IngressResult, Item } from '../../core/channel/adapter.js'
import type { HostedAdapter } from '../../core/channel/hostedadapter.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { ingress as limits } from '../../core/limits/index.js'
import type { BindingRef } from '../delivery/connections.js'

/** A binding with everything that its calls are read with. */
export interface IngressTarget {
  readonly agent: AgentRouting
  readonly binding: ChannelRoute
  readonly adapter: HostedAdapter
  readonly auth: unknown
}

export interface AccountPart {
  readonly target: IngressTarget
  readonly items: readonly Item[]
}

/** Parts with a binding, and accounts without one. */
export interface AccountParts {
  readonly parts: readonly AccountPart[]
  readonly unbound: readonly string[]
}

export interface AccountSplitterOptions {
  readonly findBindings: (provider: string) => Promise<readonly BindingRef[] | Refusal>
  readonly resolveTarget: (bindingId: string) => Promise<IngressTarget | Refusal>
  readonly read: (
    binding: IngressTarget,
    request: IngressRequest,
  ) => IngressResult | Refusal | Promise<IngressResult | Refusal>
}

type ReceivedItems = Extract<IngressResult, { readonly kind: 'items' }>

export type SplitByAccount = (
  primary: IngressTarget,
  received: ReceivedItems,
  request: IngressRequest,
) => Promise<AccountParts | Refusal>

/** The splitter returns a refusal when it cannot find out which binding has an account. */
export function createAccountSplitter({ findBindings, resolveTarget, read }: AccountSplitterOptions): SplitByAccount {
  /**
   * The binding that last had an account. Each call is read again with that binding, so a stale entry is never used.
   */
  const bindingCache = new Map<string, string>()

  /** The part of the binding, if its own credentials verify the call and the account is its own. */
  async function readPart(bindingId: string, account: string, primary: IngressTarget, request: IngressRequest) {
    const target = await resolveTarget(bindingId)
    if (isRefusal(target)) return target.refused === 'resource.not_found' ? undefined : target
    if (target.agent.orgId !== primary.agent.orgId || target.adapter !== primary.adapter) return undefined
    const received = await read(target, request)
    if (isRefusal(received)) return received
    if (received.kind !== 'items' || received.otherAccounts?.some((each) => each.account === account)) return undefined
    return { target, items: received.items }
  }

  async function findPart(account: string, primary: IngressTarget, request: IngressRequest) {
    const { bindingId, provider } = primary.binding
    const cacheKey = JSON.stringify([primary.agent.orgId, provider, account])
    const cachedId = bindingCache.get(cacheKey)
    const cached = cachedId === undefined ? undefined : await readPart(cachedId, account, primary, request)
    if (cached) return cached
    const bindings = await findBindings(provider)
    if (isRefusal(bindings)) return bindings
    for (const each of bindings) {
      if (each.orgId !== primary.agent.orgId || each.bindingId === bindingId) continue
      const part = await readPart(each.bindingId, account, primary, request)
      if (!part) continue
      if (isRefusal(part)) return part
      if (bindingCache.size >= limits.cachedAccounts) bindingCache.delete(bindingCache.keys().next().value!)
      bindingCache.set(cacheKey, each.bindingId)
      return part
    }
    return undefined
  }

  return async (primary, { items, otherAccounts = [] }, request) => {
    const own = [...items]
    const parts: AccountPart[] = []
    const unbound: string[] = []
    for (const { account, items: fallbackItems } of otherAccounts) {
      const part = await findPart(account, primary, request)
      if (isRefusal(part)) return part
      if (part) parts.push(part)
      else if (fallbackItems) own.push(...fallbackItems)
      else unbound.push(account)
    }
    return { parts: [{ target: primary, items: own }, ...parts], unbound }
  }
}
