/** How a node answers what the thread of an adapter asks in the course of a call. */
import type {
  Connecting,
  Finding,
  Memory,
  ProviderAnswer,
  ProviderRequest,
  Reaching,
} from '../../core/channel/adapter.js'
import { type FromThread, type Given, said, type ToThread } from './contract.js'

/** What the caller of an adapter hands over with a call, and the number of the line in place of the line. */
export type Around = Reaching<unknown> &
  Partial<Omit<Finding<unknown>, 'line'>> &
  Partial<Pick<Connecting<unknown>, 'addressOf' | 'tell'>> & { readonly line?: number }

const memoryNumbers = new WeakMap<Memory, number>()
let memories = 0

/** The memory of a binding is replaced when its credentials change, and its number with it. */
function numberOf(memory: Memory | undefined): number {
  if (!memory) return 0
  const known = memoryNumbers.get(memory)
  if (known !== undefined) return known
  memories++
  memoryNumbers.set(memory, memories)
  return memories
}

export function givenOf({ auth, bindingId, ingressUrl, now, memory, signal, ...more }: Around): Given {
  const { address, id, since, line } = more
  return {
    ...{ auth, bindingId, ingressUrl, at: now(), memory: numberOf(memory), isAborted: signal.aborted },
    ...(address !== undefined && { address }),
    ...(id !== undefined && { id }),
    ...(since !== undefined && { since }),
    ...(line !== undefined && { line }),
  }
}

/** A call that is over may send nothing more. */
export function answerAsk(
  { name, arg = '', cell }: Extract<FromThread, { kind: 'ask' }>,
  around: Around | undefined,
): void {
  const isTrue =
    name === 'isWithheld' ? (around?.isWithheld?.() ?? around === undefined) : (around?.isKnown?.(arg) ?? true)
  Atomics.store(cell, 0, isTrue ? said.yes : said.no)
  Atomics.notify(cell, 0)
}

export async function answerBack(
  { id, name, args }: Extract<FromThread, { kind: 'back' }>,
  around: Around | undefined,
  post: (message: ToThread) => void,
): Promise<void> {
  try {
    post({ kind: 'back', id, answer: await answerOf(name, args, around) })
  } catch (error) {
    post({ kind: 'back', id, failed: (error as Error)?.message ?? 'the node could not do it' })
  }
}

async function answerOf(name: string, args: readonly unknown[], around: Around | undefined): Promise<unknown> {
  if (name === 'addressOf') return around?.addressOf?.(...(args as [string, number]))
  if (name === 'tell') {
    if (!around?.tell) throw new Error('the line is closed')
    return around.tell(args[0] as Parameters<NonNullable<Around['tell']>>[0])
  }
  if (!around) return { kind: 'none', detail: 'The call of the adapter is over.', unsent: true }
  const answer = await around.call(args[0] as ProviderRequest)
  return answer.kind === 'none' ? answer : asData(answer)
}

function asData({ header: _function, headers = {}, ...answer }: ProviderAnswer): object {
  return { ...answer, headers }
}
