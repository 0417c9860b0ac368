/**
 * Where providers call in. A call is believed only when its signature is good, acknowledged as soon as everything in it is
 * on record, and an item that cannot be read, or that no conversation takes, does not lose the others. What is not taken is
 * refused, so that the provider keeps it: nothing is acknowledged and dropped.
 */
import Type from 'typebox'
import { type ChannelRoute, routeOfBinding } from '../../core/agent/routing.js'
import { type AgentPlace, agentKeyOf } from '../../core/agentkey.js'
import type { IngressRequest, Item, Received } from '../../core/channel/adapter.js'
import type { Reference } from '../../core/channel/held.js'
import type { HostedAdapter } from '../../core/channel/hosted.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { pathIdPattern } from '../../core/ids.js'
import { adapter as adapterLimits, ingress as limits } from '../../core/limits.js'
import type { Adapters, Directory } from '../conversation/context.js'
import { ingressUrlOf, type Providers } from '../delivery/providers.js'
import { type Answer, type BeforeCall, type Method, type Route, route } from '../http/route.js'
import { andThen } from '../maybeasync.js'
import type { Log } from '../observe/log.js'
import { unavailable } from '../shard/unavailable.js'
import { type InboundDeps, type IngressMetrics, recordInbound } from './inbound.js'
import { type BoundIngress, type OtherAccountsOptions, openOtherAccounts } from './otheraccounts.js'

export interface IngressOptions extends InboundDeps {
  readonly directory: Directory
  readonly adapters: Adapters
  readonly providers: Pick<Providers, 'authOf' | 'reach'>
  /** The agent that a binding belongs to; null for one that nobody made. */
  readonly findBinding: (bindingId: string) => AgentPlace | Promise<AgentPlace | null | Refusal>
  /** The bindings of a provider, of every org. */
  readonly findBindings: OtherAccountsOptions['findBindings']
  /** Every header that any adapter reads. */
  readonly headers: readonly string[]
  /** Where providers reach the gateway, as they were told. */
  readonly publicUrl: () => string
  readonly log: Log
}

const notThere = refuse('resource.not_found')
const noBinding = { ...notThere, detail: 'No channel has the account that a part of the call is about.' }

function outcomeOf(refusal: Refusal | undefined): Parameters<IngressMetrics['called']>[1] {
  if (refusal === undefined) return 'heard'
  if (refusal === noBinding) return 'unbound'
  return refusal.refused === 'request.invalid' ? 'unreadable' : 'failed'
}

/** What could not be read stays with the provider: it is in the log, and nothing of it was taken. */
function unreadIn(items: readonly Item[]): Refusal | undefined {
  const unread = items.find((item) => 'problem' in item)
  return unread && 'problem' in unread ? refuse('request.invalid', { detail: unread.problem }) : undefined
}

function refusalOf(place: AgentPlace | null | Refusal): Refusal | undefined {
  if (place === null) return notThere
  return isRefusal(place) ? place : undefined
}

/** A binding whose setup waits for its credentials has nothing yet that a call could be verified with. */
function isUnverifiable({ auth }: ChannelRoute, { descriptor }: HostedAdapter): boolean {
  return !auth && Object.keys(descriptor.form.credentials.properties).length > 0
}

type Deed = Exclude<Item, { readonly problem: string }>

function isReference(item: Item): item is Deed & { readonly inbound: Reference } {
  return 'inbound' in item && item.inbound.kind === 'reference'
}

export function ingressRoutes(options: IngressOptions): Route[] {
  const { findBinding, findBindings, headers, publicUrl, log } = options
  const { directory, adapters, providers, metrics, refusedCalls, clock } = options
  const common = {
    plane: 'gateway',
    path: '/ingress/{bindingId}',
    tag: 'Providers',
    access: { who: 'public' },
    params: Type.Object({ bindingId: Type.String({ pattern: pathIdPattern }) }),
    rawQuery: true,
    headers,
    before: ({ params: { bindingId = '' } }: BeforeCall) => andThen(findBinding(bindingId), refusalOf),
    errors: ['resource.not_found', 'auth.unauthenticated', 'request.invalid', 'service.unavailable'],
  } as const

  function ingress(method: Extract<Method, 'GET' | 'POST'>, summary: string, below = ''): Route {
    return route({
      ...common,
      path: `${common.path}${below}`,
      method,
      summary,
      ...(method === 'POST' && { rawTypes: ['*/*'], bodyOptional: true as const, bodyLimitBytes: limits.bodyBytes }),
      reply: { 200: '*/*' },
      handler({ params: { bindingId }, queryText, header, body }) {
        const query = queryText === '' ? '' : `?${queryText}`
        const url = `${ingressUrlOf(publicUrl(), bindingId)}${below}${query}`
        const bytes = (body as unknown as Uint8Array | undefined) ?? new Uint8Array(0)
        return answered({ bindingId, method, url, header, body: bytes, at: clock.now() })
      },
    })
  }

  async function boundTo(bindingId: string): Promise<BoundIngress | Refusal> {
    const place = await findBinding(bindingId)
    if (!place || isRefusal(place)) return place ?? notThere
    const agent = await directory.get(agentKeyOf(place))
    if (isRefusal(agent)) return agent
    const bound = routeOfBinding(agent, bindingId)
    const adapter = bound && adapters(bound.channel, bound.provider)
    if (!adapter || (agent.notReady.includes(bound) && isUnverifiable(bound, adapter))) return notThere
    const opened = await providers.authOf(agent.orgId, bound)
    return isRefusal(opened) ? opened : { agent, bound, adapter, auth: opened.auth }
  }

  async function answered(request: IngressRequest): Promise<Answer | Refusal> {
    const found = await boundTo(request.bindingId)
    if (isRefusal(found)) return found
    const received = await read(found, request)
    const counted = (outcome: Parameters<IngressMetrics['called']>[1]) => metrics.called(found.bound, outcome)
    if (isRefusal(received)) {
      counted('failed')
      return received
    }
    if (received.kind === 'refused') {
      counted('badSignature')
      refusedCalls.note(found.agent, found.bound, 'ingress.signature_refused')
      return refuse('auth.unauthenticated')
    }
    if (received.kind === 'unreadable') {
      counted('unreadable')
      log.warn('ingress.unreadable', { bindingId: request.bindingId, problem: received.problem })
      refusedCalls.note(found.agent, found.bound, 'ingress.malformed', received.problem)
      return refuse('request.invalid', { detail: received.problem })
    }
    if (received.kind === 'answer') {
      counted('answered')
      const { status, type, body } = received
      return { status, type, body }
    }
    const refusal = received.elsewhere
      ? await takeDivided(found, received, request)
      : ((await take(found, received.items)) ?? unreadIn(received.items))
    counted(outcomeOf(refusal))
    // Some providers take a body for something to say to the person.
    return refusal ?? { status: 200 }
  }

  const divide = openOtherAccounts({ findBindings, boundTo, read })

  /** What no binding has is refused once the rest is on record: the provider repeats the call, and the rest is known then. */
  async function takeDivided(
    found: BoundIngress,
    received: Extract<Received, { readonly kind: 'items' }>,
    request: IngressRequest,
  ): Promise<Refusal | undefined> {
    const divided = await divide(found, received, request)
    if (isRefusal(divided)) return divided
    const taken = await Promise.all(divided.parts.map(({ to, items }) => take(to, items)))
    const { bindingId } = found.bound
    for (const account of divided.unbound) log.warn('ingress.account.unbound', { bindingId, account })
    const unbound = divided.unbound.length > 0 ? noBinding : undefined
    if (unbound) refusedCalls.note(found.agent, found.bound, 'ingress.malformed', unbound.detail)
    const unread = unreadIn(divided.parts.flatMap(({ items }) => items))
    return taken.find((refusal) => refusal !== undefined) ?? unbound ?? unread
  }

  /** A refusal when any of it is not on record. */
  async function take(to: BoundIngress, told: readonly Item[]): Promise<Refusal | undefined> {
    const items = await followed(told, to)
    return isRefusal(items) ? items : recordInbound(options, { items, agent: to.agent, bound: to.bound }, log)
  }

  /** Items that only refer to what a person did, with that in them; while it cannot be had, the provider calls again. */
  async function followed(
    items: readonly Item[],
    { bound, adapter, auth }: BoundIngress,
  ): Promise<readonly Item[] | Refusal> {
    if (!adapter.follow || !items.some(isReference)) return items
    const reaching = providers.reach(bound, auth, AbortSignal.timeout(adapterLimits.openMs))
    const whole: Item[] = []
    for (const item of items) {
      if (!isReference(item)) {
        whole.push(item)
        continue
      }
      const outcome = await adapter.follow(item.inbound.reference, reaching)
      if (outcome.kind === 'refused') {
        log.warn('ingress.reference.unavailable', { bindingId: bound.bindingId, detail: outcome.detail })
        return unavailable
      }
      whole.push({ ...item, inbound: outcome.inbound })
    }
    return whole
  }

  /** An adapter that throws has not read anything; whoever called is told to come again. */
  async function read({ adapter, auth }: BoundIngress, request: IngressRequest): Promise<Received | Refusal> {
    try {
      return await adapter.receive(request, auth)
    } catch (error) {
      log.error('ingress.adapter.failed', { bindingId: request.bindingId, error })
      return unavailable
    }
  }

  return [
    ingress('GET', 'A provider makes itself known'),
    ingress('POST', 'A provider tells what happened'),
    // Apple Messages for Business calls below the address that it is given.
    ingress('POST', 'Apple Messages for Business tells what happened', '/message'),
  ]
}
