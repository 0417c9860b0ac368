/** The way to providers: what an adapter works with for one binding, within the limits of the node. */
import type { ChannelRoute, Sealed } from '../../core/agent/routing.js'
import type { CallProvider, NoResponse, ProviderCache, ProviderContext } from '../../core/channel/adapter.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { provider as limits } from '../../core/limits/index.js'
import type { Clock } from '../clock.js'
import { parseUrl } from '../config/url.js'
import { readBody } from '../egress/body.js'
import { createEgressClient, type EgressClientOptions, type EgressFailure, failureOf } from '../egress/client.js'
import type { Sealer } from '../secrets/sealer.js'
import type { ProviderMetrics } from './metrics.js'
import { createTokenCache } from './tokencache.js'

export interface Providers {
  /** The credentials of a binding, at once where they are known; a refusal when they cannot be opened just now. */
  authOf(orgId: string, binding: ChannelRoute): Credentials | Promise<Credentials | Refusal>
  /** No call begins, and none that waited for its connection is written, once `isCancelled` answers so. */
  contextFor(
    binding: ChannelRoute,
    auth: unknown,
    signal: AbortSignal,
    isCancelled?: () => boolean,
  ): ProviderContext<unknown>
  /** Drops what adapters keep for a binding, such as an access token. */
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
  /** Where the gateway is, as providers call it. */
  readonly publicUrl: () => string
  /** Origins of providers that this node runs itself, which may be called wherever they are. */
  readonly ownOrigins?: () => ReadonlySet<string>
  readonly metrics?: ProviderMetrics
}

export function openProviders({
  sealer,
  clock,
  publicUrl,
  ownOrigins,
  metrics,
  ...policy
}: ProvidersOptions): Providers {
  const client = createEgressClient(policy, limits)
  const ownClient = createEgressClient({ ...policy, allowPrivate: true }, limits)
  const credentialCache = new WeakMap<Sealed, Credentials>()
  const tokenCaches = new Map<string, { readonly sealed?: Uint8Array; readonly cache: ProviderCache }>()

  async function open(orgId: string, sealed: Sealed): Promise<Credentials | Refusal> {
    const text = await sealer.open(orgId, sealed.kind, sealed.id, sealed.sealed)
    if (isRefusal(text)) return text
    const credentials = { auth: JSON.parse(text) as unknown }
    credentialCache.set(sealed, credentials)
    return credentials
  }

  /** What was kept under other credentials is forgotten. */
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
      if (isCancelled?.()) return noAnswer(failureOf('withheld'))
      const began = clock.monotonic()
      const origin = parseUrl(url)?.origin ?? ''
      const httpClient = ownOrigins?.().has(origin) ? ownClient : client
      const answer = await httpClient.request(signal, async (send) => {
        const bytes = typeof body === 'string' ? Buffer.from(body) : body
        const response = await send({
          method,
          url,
          headers,
          ...(bytes && { body: bytes }),
          ...(isCancelled && { isWithheld: isCancelled }),
        })
        const content = await readBody(response, limits.answerBytes)
        if (typeof content === 'string') return failureOf(content)
        const { statusCode: status, headers: responseHeaders } = response
        const header = (name: string) => String(responseHeaders[name.toLowerCase()] ?? '')
        return {
          kind: 'answer' as const,
          status,
          header,
          // Made when it is read: most adapters ask for one header or none.
          get headers() {
            return Object.fromEntries(
              Object.entries(responseHeaders).map(([name, value]) => [name, String(value ?? '')]),
            )
          },
          body: content.toString('utf8'),
          bytes: content,
        }
      })
      const isAnswer = 'kind' in answer
      metrics?.observeCall(binding, isAnswer ? answer.status : undefined, clock.monotonic() - began)
      return isAnswer ? answer : noAnswer(answer)
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
    async close() {
      await Promise.all([client.close(), ownClient.close()])
    },
  }
}

export function ingressUrlOf(gatewayUrl: string, bindingId: string): string {
  return `${gatewayUrl}/v4/ingress/${bindingId}`
}

const unsentReasons: readonly EgressFailure['reason'][] = ['refused-address', 'unknown-name', 'tls', 'withheld']

function noAnswer({ reason, message }: EgressFailure): NoResponse {
  return { kind: 'none', detail: message, unsent: unsentReasons.includes(reason) }
}

/** Whether two bindings, or one at two times, have the very same sealed credentials. */
export function sameBytes(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && Buffer.compare(a, b) === 0)
}
