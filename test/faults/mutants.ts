/** Nodes that break one promise each, to show that these faults would tell. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isRefusal } from '../../core/errors.js'
import type { Shards } from '../../runtime/shard/contract.js'
import { all, type Book, type Look, type Written } from './books.js'

/**
 * `hasty` answers a write before it is committed. `forgetful` does not remember ids, and answers late enough for writers to
 * ask again. `stale` shows what it saw a moment ago. `careless` performs effects long after they were begun, whatever became of
 * the shard.
 */
export type Mutant = 'hasty' | 'forgetful' | 'stale' | 'careless'

const hastyMs = 50
const lateMs = 150
const staleMs = 400
const carelessMs = 10_000

export function mutated<S extends Shards>(shards: S, mutants: string): S {
  if (mutants.includes('hasty')) return { ...shards, ask: hastily(shards) }
  if (mutants.includes('forgetful')) return { ...shards, ask: forgetfully(shards) }
  if (mutants.includes('stale')) return { ...shards, read: stalely(shards) }
  return shards
}

export function dawdling(mutants: string): (() => Promise<void>) | undefined {
  return mutants.includes('careless') ? () => sleep(Math.random() * carelessMs) : undefined
}

/** Foresees the answer, which it can while every write comes through this process. */
function hastily({ ask, read }: Shards): Shards['ask'] {
  const foreseen = new Map<string, Promise<number>>()
  let commits: Promise<unknown> = Promise.resolve()
  async function countOf(book: string): Promise<number> {
    const found = await read(book, all, { book })
    return isRefusal(found) ? 0 : found.count
  }
  return async (book, command, input, options) => {
    if (command.name !== 'faults.add') return ask(book, command, input, options)
    const place = (foreseen.get(book) ?? countOf(book)).then((count) => count + 1)
    foreseen.set(book, place)
    commits = commits.then(() => sleep(hastyMs)).then(() => ask(book, command, input, options))
    const answer: Written = { place: await place, attempt: (input as { attempt: number }).attempt }
    return answer as never
  }
}

function forgetfully({ ask }: Shards): Shards['ask'] {
  return async (owner, command, input, { by } = {}) => {
    const answer = await ask(owner, command, input, { by })
    if (command.name === 'faults.add') await sleep(lateMs)
    return answer
  }
}

function stalely({ read }: Shards): Shards['read'] {
  const seen = new Map<string, { readonly book: Book; readonly at: number }>()
  return async (owner, query, input) => {
    if (query.name !== 'faults.look') return read(owner, query, input)
    const { place } = input as { place: number }
    const before = seen.get(owner)
    if (before && performance.now() - before.at < staleMs) return shown(before.book, place) as never
    const book = await read(owner, all, { book: owner })
    if (isRefusal(book)) return book
    seen.set(owner, { book, at: performance.now() })
    return shown(book, place) as never
  }
}

function shown({ count, entries }: Book, place: number): Look {
  return { count, entry: entries[place - 1] }
}
