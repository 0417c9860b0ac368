/**
 * Access to providers: credentials, token caches and HTTP for adapters, per binding and within the limits of the node.
 */
import type { ChannelRoute, Sealed } from '../../core/agent/routing.js'
import type {
  CallProvider,
  NoResponse,
  ProviderCache,
  ProviderContext,
  ProviderResponse,
} from '../../core/channel/adapter.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { provider as limits } from '../../core/limits/index.js'
import type { Clock } from '../clock.js'
import { createEgressClient, type EgressClientOptions, type EgressFailure } from '../egress/client.js'
import type { WholeResponse } from '../egress/fetchwhole.js'
import type { Sealer } from '../secrets/sealer.js'
import type { ProviderMetrics } from './metrics.js'
import { createTokenCache } from './tokencache.js'

export interface Providers {
  /** The credentials of a binding, synchronous when they are cached; a refusal when they cannot be opened. */
  authOf(orgId: string, binding: ChannelRoute): Credentials | Promise<Credentials | Refusal>
  /** Once `isCancelled` returns true, no call is written, including one that waits for its connection. */
  contextFor(
    binding: ChannelRoute,
    auth: unknown,
    signal: AbortSignal,
    isCancelled?: () => boolean,
  ): ProviderContext<unknown>
  /** Drops cached values of a binding's adapter, such as access tokens. */
  evict(bindingId: string): void
  close(): Promise<void>
}

interface Credentials {
  readonly auth: unknown
}
const noAuth: Credentials = { auth: {} }

export interface ProvidersOptions extends EgressClientOptions {
  readonly sealer: Pick<Sealer, 'open'>
  readonly clock: Clock
  /** The base URL of the gateway as providers call it. */
  readonly publicUrl: () => string
  readonly metrics?: ProviderMetrics
}

export function openProviders({ sealer, clock, publicUrl, metrics, ...policy }: ProvidersOptions): Providers {
  const client = createEgressClient(policy, limits)
  const credentialCache = new WeakMap<Sealed, Credentials>()
  const tokenCaches = new Map<string, { readonly sealed?: Uint8Array; readonly cache: ProviderCache }>()

  async function open(orgId: string, sealed: Sealed): Promise<Credentials | Refusal> {
    const text = await sealer.open(orgId, sealed.kind, sealed.id, sealed.sealed)
    if (isRefusal(text)) return text
    const credentials = { auth: JSON.parse(text) as unknown }
    credentialCache.set(sealed, credentials)
    return credentials
  }

  /** A token cache is dropped when the credentials of its binding change. */
  function tokenCacheOf({ bindingId, auth }: ChannelRoute): ProviderCache {
    const existing = tokenCaches.get(bindingId)
    if (existing && sameBytes(existing.sealed, auth?.sealed)) return existing.cache
    if (!existing && tokenCaches.size >= limits.cachedBindings) tokenCaches.delete(tokenCaches.keys().next().value!)
    const cache = createTokenCache(clock)
    tokenCaches.set(bindingId, { ...(auth && { sealed: auth.sealed }), cache })
    return cache
  }

  function createCall(binding: ChannelRoute, signal: AbortSignal, isCancelled?: () => boolean): CallProvider {
    return async ({ method, url, headers = {}, body }) => {
      const began = clock.monotonic()
      const bytes = typeof body === 'string' ? Buffer.from(body) : body
      const response = await client.fetchWhole({
        method,
        url,
        headers,
        signal,
        maxBytes: limits.answerBytes,
        isWithheld: isCancelled,
        ...(bytes && { body: bytes }),
      })
      metrics?.observeCall(binding, response.ok ? response.status : undefined, clock.monotonic() - began)
      return response.ok ? answerOf(response) : noAnswer(response)
    }
  }

  return {
    authOf: (orgId, { auth: sealed }) => (sealed ? (credentialCache.get(sealed) ?? open(orgId, sealed)) : noAuth),
    contextFor: (binding, auth, signal, isCancelled) => ({
      auth,
      bindingId: binding.bindingId,
      ingressUrl: ingressUrlOf(publicUrl(), binding.bindingId),
      call: createCall(binding, signal, isCancelled),
      cache: tokenCacheOf(binding),
      now: () => clock.now(),
      signal,
    }),
    evict: (bindingId) => void tokenCaches.delete(bindingId),
    close: client.close,
  }
}

export function ingressUrlOf(gatewayUrl: string, bindingId: string): string {
  return `${gatewayUrl}/v4/ingress/${bindingId}`
}

function answerOf({ status, headers, body }: WholeResponse): ProviderResponse {
  return {
    kind: 'answer',
    status,
    header: (name) => String(headers[name.toLowerCase()] ?? ''),
    // A getter, since most adapters read one header or none.
    get headers() {
      return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value ?? '')]))
    },
    body: body.toString('utf8'),
    bytes: body,
  }
}

const unsentReasons: readonly EgressFailure['reason'][] = ['refused-address', 'unknown-name', 'tls', 'withheld']

function noAnswer({ reason, message }: EgressFailure): NoResponse {
  return { kind: 'none', detail: message, unsent: unsentReasons.includes(reason) }
}

/** Whether two bindings have the same sealed credentials. */
export function sameBytes(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && Buffer.compare(a, b) === 0)
}
