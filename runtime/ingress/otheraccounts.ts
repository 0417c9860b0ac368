/**
 * Parts of a provider's call that are about other accounts than that of the binding it was made to: one app of a provider
 * may have one address for all of its accounts. Such a part goes to the binding of the same org that has the account.
 */

import type { AgentRouting, ChannelRoute } from '../../core/agent/routing.js'
import type { AgentPlace } from '../../core/agentkey.js'
import type { IngressRequest, Item, Received } from '../../core/channel/adapter.js'
import type { HostedAdapter } from '../../core/channel/hosted.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { ingress as limits } from '../../core/limits.js'

/** A binding with all that its calls are read with. */
export interface BoundIngress {
  readonly agent: AgentRouting
  readonly bound: ChannelRoute
  readonly adapter: HostedAdapter
  readonly auth: unknown
}

export interface Part {
  readonly to: BoundIngress
  readonly items: readonly Item[]
}

/** Every part that has a binding, and the accounts that have none. */
export interface Parts {
  readonly parts: readonly Part[]
  readonly unbound: readonly string[]
}

export interface OtherAccountsOptions {
  readonly findBindings: (provider: string) => Promise<readonly BindingOfOrg[] | Refusal>
  readonly boundTo: (bindingId: string) => Promise<BoundIngress | Refusal>
  readonly read: (bound: BoundIngress, request: IngressRequest) => Received | Refusal | Promise<Received | Refusal>
}

interface BindingOfOrg extends AgentPlace {
  readonly bindingId: string
}

type Told = Extract<Received, { readonly kind: 'items' }>

export type Divide = (called: BoundIngress, received: Told, request: IngressRequest) => Promise<Parts | Refusal>

/** A refusal where it cannot be known just now which binding has an account. */
export function openOtherAccounts({ findBindings, boundTo, read }: OtherAccountsOptions): Divide {
  /** Which binding had an account the last time. It is read anew with that binding, so nothing here can be out of date. */
  const lately = new Map<string, string>()

  /** The part of the binding, if its own credentials prove the call and the account is its own. */
  async function partOf(bindingId: string, account: string, called: BoundIngress, request: IngressRequest) {
    const to = await boundTo(bindingId)
    if (isRefusal(to)) return to.refused === 'resource.not_found' ? undefined : to
    if (to.agent.orgId !== called.agent.orgId || to.adapter !== called.adapter) return undefined
    const received = await read(to, request)
    if (isRefusal(received)) return received
    if (received.kind !== 'items' || received.elsewhere?.some((each) => each.account === account)) return undefined
    return { to, items: received.items }
  }

  async function find(account: string, called: BoundIngress, request: IngressRequest) {
    const { bindingId, provider } = called.bound
    const name = JSON.stringify([called.agent.orgId, provider, account])
    const before = lately.get(name)
    const known = before === undefined ? undefined : await partOf(before, account, called, request)
    if (known) return known
    const bindings = await findBindings(provider)
    if (isRefusal(bindings)) return bindings
    for (const each of bindings) {
      if (each.orgId !== called.agent.orgId || each.bindingId === bindingId) continue
      const part = await partOf(each.bindingId, account, called, request)
      if (!part) continue
      if (isRefusal(part)) return part
      if (lately.size >= limits.accountsRemembered) lately.delete(lately.keys().next().value!)
      lately.set(name, each.bindingId)
      return part
    }
    return undefined
  }

  return async (called, { items, elsewhere = [] }, request) => {
    const own = [...items]
    const parts: Part[] = []
    const unbound: string[] = []
    for (const { account, items: otherwise } of elsewhere) {
      const part = await find(account, called, request)
      if (isRefusal(part)) return part
      if (part) parts.push(part)
      else if (otherwise) own.push(...otherwise)
      else unbound.push(account)
    }
    return { parts: [{ to: called, items: own }, ...parts], unbound }
  }
}
