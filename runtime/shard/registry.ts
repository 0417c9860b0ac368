/** The registry: commands and queries by name, for calls of this process and of other nodes. */
import type { Command, Handlers, Query } from './contract.js'

export interface Registry {
  /** Throws for a name that is not registered. */
  command(name: string): Command<unknown, unknown>
  query(name: string): Query<unknown, unknown>
  hasCommand(name: string): boolean
  /** The command whose `batch` form this one is, if any. */
  singleCommandOf(name: string): Command<unknown, unknown> | undefined
  hasQuery(name: string): boolean
}

export function createRegistry({ commands, queries }: Pick<Handlers, 'commands' | 'queries'>): Registry {
  const command = byName('command', commands as readonly Command<unknown, unknown>[])
  const query = byName('query', queries as readonly Query<unknown, unknown>[])
  const singleByBatch = new Map<string, Command<unknown, unknown>>()
  for (const one of commands as readonly Command<unknown, unknown>[])
    if (one.batch) singleByBatch.set(one.batch.name, one)
  return {
    command: command.get,
    query: query.get,
    hasCommand: command.has,
    hasQuery: query.has,
    singleCommandOf: (name) => singleByBatch.get(name),
  }
}

function byName<T extends { readonly name: string }>(kind: string, items: readonly T[]) {
  const itemsByName = new Map<string, T>()
  for (const item of items) {
    if (itemsByName.has(item.name)) throw new Error(`two ${kind} definitions are called ${item.name}`)
    itemsByName.set(item.name, item)
  }
  return {
    has: (name: string) => itemsByName.has(name),
    get(name: string): T {
      const item = itemsByName.get(name)
      if (!item) throw new Error(`the ${kind} ${name} is not registered`)
      return item
    },
  }
}
