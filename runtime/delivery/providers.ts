/** The way to providers: what an adapter works with for one binding, within the limits of the node. */
import type { ChannelRoute, Sealed } from '../../core/agent/routing.js'
import type { CallProvider, Memory, NoAnswer, Reaching } from '../../core/channel/adapter.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { provider as limits } from '../../core/limits.js'
import type { Clock } from '../clock.js'
import type { Sealer } from '../store/sealer.js'
import { parsedUrl } from '../url.js'
import { readWhole } from '../webhook/answer.js'
import { type DoorOptions, type Failed, failed, openDoor } from '../webhook/door.js'
import type { ProviderMetrics } from './metrics.js'
import { openMemory } from './tokencache.js'

export interface Providers {
  /** The credentials of a binding, at once where they are known; a refusal when they cannot be opened just now. */
  authOf(orgId: string, bound: ChannelRoute): Opened | Promise<Opened | Refusal>
  /** No call begins, and none that waited for its connection is written, once `isWithheld` answers so. */
  reach(bound: ChannelRoute, auth: unknown, signal: AbortSignal, isWithheld?: () => boolean): Reaching<unknown>
  /** Drops what adapters keep for a binding, such as an access token. */
  forget(bindingId: string): void
  close(): Promise<void>
}

interface Opened {
  readonly auth: unknown
}
const noAuth: Opened = { auth: {} }

export interface ProvidersOptions extends DoorOptions {
  readonly sealer: Pick<Sealer, 'open'>
  readonly clock: Clock
  /** Where the gateway is, as providers call it. */
  readonly publicUrl: () => string
  /** Origins of providers that this node runs itself, which may be called wherever they are. */
  readonly own?: () => ReadonlySet<string>
  readonly metrics?: ProviderMetrics
}

export function openProviders({ sealer, clock, publicUrl, own, metrics, ...policy }: ProvidersOptions): Providers {
  const door = openDoor(policy, limits)
  const ownDoor = openDoor({ ...policy, allowPrivate: true }, limits)
  const opened = new WeakMap<Sealed, Opened>()
  const memories = new Map<string, { readonly sealed?: Uint8Array; readonly memory: Memory }>()

  async function open(orgId: string, sealed: Sealed): Promise<Opened | Refusal> {
    const text = await sealer.open(orgId, sealed.kind, sealed.id, sealed.sealed)
    if (isRefusal(text)) return text
    const found = { auth: JSON.parse(text) as unknown }
    opened.set(sealed, found)
    return found
  }

  /** What was kept under other credentials is forgotten. */
  function memoryOf({ bindingId, auth }: ChannelRoute): Memory {
    const held = memories.get(bindingId)
    if (held && sameBytes(held.sealed, auth?.sealed)) return held.memory
    if (!held && memories.size >= limits.bindingsHeld) memories.delete(memories.keys().next().value!)
    const memory = openMemory(clock)
    memories.set(bindingId, { ...(auth && { sealed: auth.sealed }), memory })
    return memory
  }

  function callWithin(bound: ChannelRoute, signal: AbortSignal, isWithheld?: () => boolean): CallProvider {
    return async ({ method, url, headers = {}, body }) => {
      if (isWithheld?.()) return noAnswer(failed('withheld'))
      const began = clock.elapsed()
      const origin = parsedUrl(url)?.origin ?? ''
      const way = own?.().has(origin) ? ownDoor : door
      const answer = await way.exchange(signal, async (send) => {
        const bytes = typeof body === 'string' ? Buffer.from(body) : body
        const response = await send({
          method,
          url,
          headers,
          ...(bytes && { body: bytes }),
          ...(isWithheld && { isWithheld }),
        })
        const whole = await readWhole(response, limits.answerBytes)
        if (typeof whole === 'string') return failed(whole)
        const { statusCode: status, headers: told } = response
        const header = (name: string) => String(told[name.toLowerCase()] ?? '')
        return {
          kind: 'answer' as const,
          status,
          header,
          // Made when it is read: most adapters ask for one header or none.
          get headers() {
            return Object.fromEntries(Object.entries(told).map(([name, value]) => [name, String(value ?? '')]))
          },
          body: whole.toString('utf8'),
          bytes: whole,
        }
      })
      const isAnswer = 'kind' in answer
      metrics?.called(bound, isAnswer ? answer.status : undefined, clock.elapsed() - began)
      return isAnswer ? answer : noAnswer(answer)
    }
  }

  return {
    authOf: (orgId, { auth: sealed }) => (sealed ? (opened.get(sealed) ?? open(orgId, sealed)) : noAuth),
    reach: (bound, auth, signal, isWithheld) => ({
      auth,
      bindingId: bound.bindingId,
      ingressUrl: ingressUrlOf(publicUrl(), bound.bindingId),
      call: callWithin(bound, signal, isWithheld),
      memory: memoryOf(bound),
      now: () => clock.now(),
      signal,
    }),
    forget: (bindingId) => void memories.delete(bindingId),
    async close() {
      await Promise.all([door.close(), ownDoor.close()])
    },
  }
}

export function ingressUrlOf(gatewayUrl: string, bindingId: string): string {
  return `${gatewayUrl}/v4/ingress/${bindingId}`
}

const beforeAnythingWasSent: readonly Failed['reason'][] = ['refused-address', 'unknown-name', 'tls', 'withheld']

function noAnswer({ reason, message }: Failed): NoAnswer {
  return { kind: 'none', detail: message, unsent: beforeAnythingWasSent.includes(reason) }
}

/** Whether two bindings, or one at two times, have the very same sealed credentials. */
export function sameBytes(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && Buffer.compare(a, b) === 0)
}
