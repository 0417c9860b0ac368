/**
 * Callback routes for providers. The ingress verifies the signature of a call and acknowledges it once every item in it
 * is recorded. An item that cannot be read or recorded does not affect the others, but the call is refused, so that the
 * provider repeats it: no item is acknowledged and dropped.
 */
import Type from 'typebox'
import { type ChannelRoute, routeOfBinding } from '../../core/agent/routing.js'
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import type { IngressRequest, IngressResult, Item } from '../../core/channel/adapter.js'
import type { HostedAdapter } from '../../core/channel/hostedadapter.js'
import type { InboundReference } from '../../core/channel/providermedia.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { pathIdPattern } from '../../core/ids.js'
import { adapter as adapterLimits, ingress as limits } from '../../core/limits/index.js'
import type { AdapterLookup, Directory } from '../conversation/context.js'
import { ingressUrlOf, type Providers } from '../delivery/providers.js'
import { type Answer, type Method, type PrecheckCall, type Route, route } from '../http/route.js'
import { andThen } from '../maybeasync.js'
import type { Log } from '../observe/log.js'
import { unavailable } from '../shard/refusals.js'
import { type AccountSplitterOptions, createAccountSplitter, type IngressTarget } from './accountsplit.js'
import { type InboundDeps, type IngressMetrics, recordInbound } from './inbound.js'

export interface IngressOptions extends InboundDeps {
  readonly directory: Directory
  readonly adapters: AdapterLookup
  readonly providers: Pick<Providers, 'authOf' | 'contextFor'>
  /** The agent of a binding; null when the binding does not exist. */
  readonly findBinding: (bindingId: string) => AgentRef | Promise<AgentRef | null | Refusal>
  /** The bindings of a provider in every org. */
  readonly findBindings: AccountSplitterOptions['findBindings']
  /** Every header that any adapter reads. */
  readonly headers: readonly string[]
  /** The base URL that providers call, as it was registered with them. */
  readonly publicUrl: () => string
  readonly log: Log
}

const notFound = refuse('resource.not_found')
const noBinding = { ...notFound, detail: 'No channel has the account that a part of the call is about.' }

function outcomeOf(refusal: Refusal | undefined): Parameters<IngressMetrics['countCall']>[1] {
  if (refusal === undefined) return 'received'
  if (refusal === noBinding) return 'unbound'
  return refusal.refused === 'request.invalid' ? 'unreadable' : 'failed'
}

/** A refusal when any item cannot be read, so that the provider keeps it. Such items are logged and not recorded. */
function unreadableRefusal(items: readonly Item[]): Refusal | undefined {
  const unreadable = items.find((item) => 'problem' in item)
  return unreadable && 'problem' in unreadable ? refuse('request.invalid', { detail: unreadable.problem }) : undefined
}

function refusalOf(agentRef: AgentRef | null | Refusal): Refusal | undefined {
  if (agentRef === null) return notFound
  return isRefusal(agentRef) ? agentRef : undefined
}

/** A binding whose setup still waits for its credentials has nothing to verify a call with. */
function isUnverifiable({ auth }: ChannelRoute, { descriptor }: HostedAdapter): boolean {
  return !auth && Object.keys(descriptor.form.credentials.properties).length > 0
}

type ReadableItem = Exclude<Item, { readonly problem: string }>

function isReference(item: Item): item is ReadableItem & { readonly inbound: InboundReference } {
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
    precheck: ({ params: { bindingId = '' } }: PrecheckCall) => andThen(findBinding(bindingId), refusalOf),
    errors: ['resource.not_found', 'auth.unauthenticated', 'request.invalid', 'service.unavailable'],
  } as const

  function ingress(method: Extract<Method, 'GET' | 'POST'>, summary: string, subpath = ''): Route {
    return route({
      ...common,
      path: `${common.path}${subpath}`,
      method,
      summary,
      ...(method === 'POST' && { rawTypes: ['*/*'], bodyOptional: true as const, bodyLimitBytes: limits.bodyBytes }),
      reply: { 200: '*/*' },
      handler({ params: { bindingId }, queryText, header, body }) {
        const query = queryText === '' ? '' : `?${queryText}`
        const url = `${ingressUrlOf(publicUrl(), bindingId)}${subpath}${query}`
        const bytes = (body as unknown as Uint8Array | undefined) ?? new Uint8Array(0)
        return handleCall({ bindingId, method, url, header, body: bytes, at: clock.now() })
      },
    })
  }

  async function resolveTarget(bindingId: string): Promise<IngressTarget | Refusal> {
    const agentRef = await findBinding(bindingId)
    if (!agentRef || isRefusal(agentRef)) return agentRef ?? notFound
    const agent = await directory.get(formatAgentKey(agentRef))
    if (isRefusal(agent)) return agent
    const binding = routeOfBinding(agent, bindingId)
    const adapter = binding && adapters(binding.channel, binding.provider)
    if (!adapter || (agent.notReady.includes(binding) && isUnverifiable(binding, adapter))) return notFound
    const credentials = await providers.authOf(agent.orgId, binding)
    return isRefusal(credentials) ? credentials : { agent, binding, adapter, auth: credentials.auth }
  }

  async function handleCall(request: IngressRequest): Promise<Answer | Refusal> {
    const target = await resolveTarget(request.bindingId)
    if (isRefusal(target)) return target
    const received = await read(target, request)
    const count = (outcome: Parameters<IngressMetrics['countCall']>[1]) => metrics.countCall(target.binding, outcome)
    if (isRefusal(received)) {
      count('failed')
      return received
    }
    if (received.kind === 'refused') {
      count('badSignature')
      refusedCalls.note(target.agent, target.binding, 'ingress.signature_refused')
      return refuse('auth.unauthenticated')
    }
    if (received.kind === 'unreadable') {
      count('unreadable')
      log.warn('ingress.unreadable', { bindingId: request.bindingId, problem: received.problem })
      refusedCalls.note(target.agent, target.binding, 'ingress.malformed', received.problem)
      return refuse('request.invalid', { detail: received.problem })
    }
    if (received.kind === 'answer') {
      count('answered')
      const { status, type, body } = received
      return { status, type, body }
    }
    const refusal = received.otherAccounts
      ? await recordSplit(target, received, request)
      : ((await record(target, received.items)) ?? unreadableRefusal(received.items))
    count(outcomeOf(refusal))
    // The answer has no body: some providers send a body to the person as a message.
    return refusal ?? { status: 200 }
  }

  const splitByAccount = createAccountSplitter({ findBindings, resolveTarget, read })

  /**
   * Refuses items of accounts without a binding after the others are recorded. The provider repeats the call, and
   * recorded items are then duplicates.
   */
  async function recordSplit(
    target: IngressTarget,
    received: Extract<IngressResult, { readonly kind: 'items' }>,
    request: IngressRequest,
  ): Promise<Refusal | undefined> {
    const split = await splitByAccount(target, received, request)
    if (isRefusal(split)) return split
    const refusals = await Promise.all(split.parts.map(({ target: to, items }) => record(to, items)))
    const { bindingId } = target.binding
    for (const account of split.unbound) log.warn('ingress.account.unbound', { bindingId, account })
    const unbound = split.unbound.length > 0 ? noBinding : undefined
    if (unbound) refusedCalls.note(target.agent, target.binding, 'ingress.malformed', unbound.detail)
    const unreadable = unreadableRefusal(split.parts.flatMap(({ items }) => items))
    return refusals.find((refusal) => refusal !== undefined) ?? unbound ?? unreadable
  }

  /** Returns a refusal when any item is not recorded. */
  async function record(target: IngressTarget, received: readonly Item[]): Promise<Refusal | undefined> {
    const items = await resolveReferences(received, target)
    return isRefusal(items)
      ? items
      : recordInbound(options, { items, agent: target.agent, binding: target.binding }, log)
  }

  /**
   * Replaces references by the content that they refer to. Returns a refusal while the provider does not give it, so
   * that the provider calls again.
   */
  async function resolveReferences(
    items: readonly Item[],
    { binding, adapter, auth }: IngressTarget,
  ): Promise<readonly Item[] | Refusal> {
    if (!adapter.follow || !items.some(isReference)) return items
    const providerContext = providers.contextFor(binding, auth, AbortSignal.timeout(adapterLimits.openMs))
    const resolved: Item[] = []
    for (const item of items) {
      if (!isReference(item)) {
        resolved.push(item)
        continue
      }
      const outcome = await adapter.follow(item.inbound.reference, providerContext)
      if (outcome.kind === 'refused') {
        log.warn('ingress.reference.unavailable', { bindingId: binding.bindingId, detail: outcome.detail })
        return unavailable
      }
      resolved.push({ ...item, inbound: outcome.inbound })
    }
    return resolved
  }

  /** An adapter that throws has read nothing; the refusal makes the provider call again. */
  async function read({ adapter, auth }: IngressTarget, request: IngressRequest): Promise<IngressResult | Refusal> {
    try {
      return await adapter.receive(request, auth)
    } catch (error) {
      log.error('ingress.adapter.failed', { bindingId: request.bindingId, error })
      return unavailable
    }
  }

  return [
    ingress('GET', 'A provider makes itself known'),
    ingress('POST', 'A callback of a provider'),
    // Apple Messages for Business calls a path below the callback address.
    ingress('POST', 'A callback of Apple Messages for Business', '/message'),
  ]
}
