/** The node's answers to callbacks of an adapter thread during a call. */
import type {
  ConnectContext,
  FindContext,
  ProviderCache,
  ProviderContext,
  ProviderRequest,
  ProviderResponse,
} from '../../core/channel/adapter.js'
import { type ContextData, type FromThread, syncAnswers, type ToThread } from './contract.js'

/** The context of a call of an adapter, with the number of the connection in place of the connection. */
export type CallContext = ProviderContext<unknown> &
  Partial<Omit<FindContext<unknown>, 'connection'>> &
  Partial<Pick<ConnectContext<unknown>, 'addressOf' | 'report'>> & { readonly connectionId?: number }

const cacheNumbers = new WeakMap<ProviderCache, number>()
let lastCacheNumber = 0

/** A change of credentials replaces the cache of a binding, and its number with it. */
function cacheNumberOf(cache: ProviderCache | undefined): number {
  if (!cache) return 0
  const existing = cacheNumbers.get(cache)
  if (existing !== undefined) return existing
  lastCacheNumber++
  cacheNumbers.set(cache, lastCacheNumber)
  return lastCacheNumber
}

export function serializeContext({
  auth,
  bindingId,
  ingressUrl,
  now,
  cache,
  signal,
  ...more
}: CallContext): ContextData {
  const { address, id, since, connectionId } = more
  return {
    ...{ auth, bindingId, ingressUrl, at: now(), cacheNumber: cacheNumberOf(cache), isAborted: signal.aborted },
    ...(address !== undefined && { address }),
    ...(id !== undefined && { id }),
    ...(since !== undefined && { since }),
    ...(connectionId !== undefined && { connectionId }),
  }
}

/** A call that has ended must not send anything. */
export function answerSyncCall(
  { name, arg = '', cell }: Extract<FromThread, { kind: 'syncCall' }>,
  callContext: CallContext | undefined,
): void {
  const isTrue =
    name === 'isCancelled'
      ? (callContext?.isCancelled?.() ?? callContext === undefined)
      : (callContext?.isKnown?.(arg) ?? true)
  Atomics.store(cell, 0, isTrue ? syncAnswers.yes : syncAnswers.no)
  Atomics.notify(cell, 0)
}

export async function answerCallback(
  { id, name, args }: Extract<FromThread, { kind: 'callback' }>,
  callContext: CallContext | undefined,
  post: (message: ToThread) => void,
): Promise<void> {
  try {
    post({ kind: 'callback', id, answer: await runCallback(name, args, callContext) })
  } catch (error) {
    post({ kind: 'callback', id, failed: (error as Error)?.message ?? 'the node could not do it' })
  }
}

async function runCallback(
  name: string,
  args: readonly unknown[],
  callContext: CallContext | undefined,
): Promise<unknown> {
  if (name === 'addressOf') return callContext?.addressOf?.(...(args as [string, number]))
  if (name === 'report') {
    if (!callContext?.report) throw new Error('the line is closed')
    return callContext.report(args[0] as Parameters<NonNullable<CallContext['report']>>[0])
  }
  if (!callContext) return { kind: 'none', detail: 'The call of the adapter is over.', unsent: true }
  const answer = await callContext.call(args[0] as ProviderRequest)
  return answer.kind === 'none' ? answer : serializeAnswer(answer)
}

function serializeAnswer({ header: _function, headers = {}, ...answer }: ProviderResponse): object {
  return { ...answer, headers }
}
