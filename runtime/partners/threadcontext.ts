/**
 * The context of an adapter inside its thread: the functions of one call, which call back the node for the work that
 * only the node can do.
 */
import { LRUCache } from 'lru-cache'
import type { ProviderCache, ProviderConnection, ProviderResponse } from '../../core/channel/adapter.js'
import { provider as providerLimits } from '../../core/limits/index.js'
import { createTokenCache } from '../delivery/tokencache.js'
import {
  type CallbackName,
  type ContextData,
  type FromThread,
  type SyncCallName,
  syncAnswers,
  type ToThread,
} from './contract.js'
import { adapterThread as limits } from './limits.js'

type CallbackAnswer = Extract<ToThread, { readonly kind: 'callback' }>
type Waiting = { readonly resolve: (answer: unknown) => void; readonly reject: (error: Error) => void }
type AnswerData = Omit<ProviderResponse, 'header'> & { readonly headers: Readonly<Record<string, string>> }

export function createThreadContext(
  post: (message: FromThread) => void,
  connectionOf: (id: number) => ProviderConnection | undefined,
) {
  const waiting = new Map<number, Waiting>()
  const abortControllers = new Map<number, AbortController>()
  const caches = new LRUCache<number, ProviderCache>({ max: providerLimits.cachedBindings })
  let lastCallbackId = 0
  /** The clock of the node, extrapolated from the newest call. */
  let offset = Date.now() - performance.now()
  const now = () => Math.round(offset + performance.now())

  /**
   * An adapter that calls in an endless loop would fill the queue of the node, so calls beyond the limit are refused
   * here.
   */
  function callHost(call: number, name: CallbackName, args: readonly unknown[]): Promise<unknown> {
    if (waiting.size >= limits.openRequests) return Promise.reject(new Error('the adapter has too many requests open'))
    const id = ++lastCallbackId
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      try {
        post({ kind: 'callback', id, call, name, args })
      } catch (error) {
        waiting.delete(id)
        reject(error as Error)
      }
    })
  }

  /** Blocks this thread until the node has answered; undefined when the answer did not come in time. */
  function callHostSync(call: number, name: SyncCallName, arg?: string): boolean | undefined {
    const cell = new Int32Array(new SharedArrayBuffer(4))
    post({ kind: 'syncCall', call, name, ...(arg !== undefined && { arg }), cell })
    Atomics.wait(cell, 0, 0, limits.syncCallMs)
    const answer = Atomics.load(cell, 0)
    return answer === 0 ? undefined : answer === syncAnswers.yes
  }

  async function callProvider(call: number, request: unknown) {
    const sent = await callHost(call, 'call', [request]).catch((error: Error) => ({
      kind: 'none' as const,
      detail: error.message,
      unsent: true,
    }))
    const answer = sent as AnswerData | { readonly kind: 'none' }
    if (answer.kind === 'none') return answer
    const { headers, ...rest } = answer
    return { ...rest, header: (name: string) => headers[name.toLowerCase()] ?? '' }
  }

  function cacheOf(key: number): ProviderCache {
    const cached = caches.get(key)
    if (cached) return cached
    const cache = createTokenCache({ now })
    caches.set(key, cache)
    return cache
  }

  function isKnown(call: number, providerId: string): boolean {
    const answer = callHostSync(call, 'isKnown', String(providerId))
    if (answer === undefined) throw new Error('the node did not say whether a message is known')
    return answer
  }

  return {
    open(call: number, { at, cacheNumber: cache, isAborted, connectionId: connection, ...data }: ContextData): object {
      offset = at - performance.now()
      const controller = new AbortController()
      if (isAborted) controller.abort()
      abortControllers.set(call, controller)
      return {
        ...data,
        ...(connection !== undefined && { connection: connectionOf(connection) }),
        call: (request: unknown) => callProvider(call, request),
        cache: cacheOf(cache),
        now,
        signal: controller.signal,
        // Without an answer the call counts as cancelled, so it sends nothing.
        isCancelled: () => callHostSync(call, 'isCancelled') ?? true,
        isKnown: (providerId: string) => isKnown(call, providerId),
        addressOf: (host: string, port: number) => callHost(call, 'addressOf', [host, port]),
        report: (items: unknown) => callHost(call, 'report', [items]),
      }
    },
    close: (call: number) => void abortControllers.delete(call),
    abort: (call: number) => abortControllers.get(call)?.abort(),
    complete({ id, answer, failed }: CallbackAnswer): void {
      const pending = waiting.get(id)
      waiting.delete(id)
      if (failed === undefined) pending?.resolve(answer)
      else pending?.reject(new Error(failed))
    },
  }
}
