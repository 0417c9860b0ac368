/** What an adapter works with inside its thread: the functions of one call, which ask the node for what only it can do. */
import { LRUCache } from 'lru-cache'
import type { Line, Memory, ProviderAnswer } from '../../core/channel/adapter.js'
import { provider as providerLimits } from '../../core/limits.js'
import { openMemory } from '../delivery/tokencache.js'
import { type AskName, type BackName, type FromThread, type Given, said, type ToThread } from './contract.js'
import { adapterThread as limits } from './limits.js'

type BackAnswer = Extract<ToThread, { readonly kind: 'back' }>
type Waiting = { readonly resolve: (answer: unknown) => void; readonly reject: (error: Error) => void }
type AnswerData = Omit<ProviderAnswer, 'header'> & { readonly headers: Readonly<Record<string, string>> }

export function openSurroundings(post: (message: FromThread) => void, lineOf: (id: number) => Line | undefined) {
  const waiting = new Map<number, Waiting>()
  const ends = new Map<number, AbortController>()
  const memories = new LRUCache<number, Memory>({ max: providerLimits.bindingsHeld })
  let backs = 0
  /** The clock of the node, from what it was at the newest call. */
  let ahead = Date.now() - performance.now()
  const now = () => Math.round(ahead + performance.now())

  /** An adapter that never stops calling would fill the queue of the node, so further calls are refused here. */
  function back(call: number, name: BackName, args: readonly unknown[]): Promise<unknown> {
    if (waiting.size >= limits.openRequests) return Promise.reject(new Error('the adapter has too many requests open'))
    const id = ++backs
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      try {
        post({ kind: 'back', id, call, name, args })
      } catch (error) {
        waiting.delete(id)
        reject(error as Error)
      }
    })
  }

  /** Holds this thread until the node has answered; undefined when it did not in time. */
  function ask(call: number, name: AskName, arg?: string): boolean | undefined {
    const cell = new Int32Array(new SharedArrayBuffer(4))
    post({ kind: 'ask', call, name, ...(arg !== undefined && { arg }), cell })
    Atomics.wait(cell, 0, 0, limits.askMs)
    const answer = Atomics.load(cell, 0)
    return answer === 0 ? undefined : answer === said.yes
  }

  async function callProvider(call: number, request: unknown) {
    const sent = await back(call, 'call', [request]).catch((error: Error) => ({
      kind: 'none' as const,
      detail: error.message,
      unsent: true,
    }))
    const answer = sent as AnswerData | { readonly kind: 'none' }
    if (answer.kind === 'none') return answer
    const { headers, ...rest } = answer
    return { ...rest, header: (name: string) => headers[name.toLowerCase()] ?? '' }
  }

  function memoryOf(key: number): Memory {
    const known = memories.get(key)
    if (known) return known
    const memory = openMemory({ now })
    memories.set(key, memory)
    return memory
  }

  function isKnown(call: number, providerId: string): boolean {
    const answer = ask(call, 'isKnown', String(providerId))
    if (answer === undefined) throw new Error('the node did not say whether a message is known')
    return answer
  }

  return {
    open(call: number, { at, memory, isAborted, line, ...data }: Given): object {
      ahead = at - performance.now()
      const controller = new AbortController()
      if (isAborted) controller.abort()
      ends.set(call, controller)
      return {
        ...data,
        ...(line !== undefined && { line: lineOf(line) }),
        call: (request: unknown) => callProvider(call, request),
        memory: memoryOf(memory),
        now,
        signal: controller.signal,
        // Without an answer nothing may go out.
        isWithheld: () => ask(call, 'isWithheld') ?? true,
        isKnown: (providerId: string) => isKnown(call, providerId),
        addressOf: (host: string, port: number) => back(call, 'addressOf', [host, port]),
        tell: (items: unknown) => back(call, 'tell', [items]),
      }
    },
    close: (call: number) => void ends.delete(call),
    abort: (call: number) => ends.get(call)?.abort(),
    settle({ id, answer, failed }: BackAnswer): void {
      const one = waiting.get(id)
      waiting.delete(id)
      if (failed === undefined) one?.resolve(answer)
      else one?.reject(new Error(failed))
    },
  }
}
