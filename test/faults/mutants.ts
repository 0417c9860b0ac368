/** Nodes that break one promise each, to prove that the fault tests find it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isRefusal } from '../../core/errors.js'
import type { Shards } from '../../runtime/shard/contract.js'
import { all, type Book, type BookView, type Written } from './books.js'

/**
 * `hasty` answers a write before it is committed. `forgetful` does not remember ids, and answers late enough for
 * writers to ask again. `stale` serves reads from an older state. `careless` performs effects long after they began,
 * even after the loss of the shard.
 */
export type Mutant = 'hasty' | 'forgetful' | 'stale' | 'careless'

const earlyMs = 50
const lateMs = 150
const staleMs = 400
const carelessMs = 10_000

export function withMutants<S extends Shards>(shards: S, mutants: string): S {
  if (mutants.includes('hasty')) return { ...shards, execute: answerEarly(shards) }
  if (mutants.includes('forgetful')) return { ...shards, execute: dropWrites(shards) }
  if (mutants.includes('stale')) return { ...shards, query: readStale(shards) }
  return shards
}

export function delayEffects(mutants: string): (() => Promise<void>) | undefined {
  return mutants.includes('careless') ? () => sleep(Math.random() * carelessMs) : undefined
}

/** Computes the answer before the commit, which works while every write comes through this process. */
function answerEarly({ execute: ask, query: read }: Shards): Shards['execute'] {
  const foreseen = new Map<string, Promise<number>>()
  let commits: Promise<unknown> = Promise.resolve()
  async function countOf(book: string): Promise<number> {
    const contents = await read(book, all, { book })
    return isRefusal(contents) ? 0 : contents.count
  }
  return async (book, command, input, options) => {
    if (command.name !== 'faults.add') return ask(book, command, input, options)
    const index = (foreseen.get(book) ?? countOf(book)).then((count) => count + 1)
    foreseen.set(book, index)
    commits = commits.then(() => sleep(earlyMs)).then(() => ask(book, command, input, options))
    const answer: Written = { place: await index, attempt: (input as { attempt: number }).attempt }
    return answer as never
  }
}

function dropWrites({ execute: ask }: Shards): Shards['execute'] {
  return async (owner, command, input, { by } = {}) => {
    const answer = await ask(owner, command, input, { by })
    if (command.name === 'faults.add') await sleep(lateMs)
    return answer
  }
}

function readStale({ query: read }: Shards): Shards['query'] {
  const seen = new Map<string, { readonly book: Book; readonly at: number }>()
  return async (owner, query, input) => {
    if (query.name !== 'faults.look') return read(owner, query, input)
    const { index } = input as { index: number }
    const before = seen.get(owner)
    if (before && performance.now() - before.at < staleMs) return viewOf(before.book, index) as never
    const book = await read(owner, all, { book: owner })
    if (isRefusal(book)) return book
    seen.set(owner, { book, at: performance.now() })
    return viewOf(book, index) as never
  }
}

function viewOf({ count, entries }: Book, index: number): BookView {
  return { count, entry: entries[index - 1] }
}
