/** The commands and queries of the house by name: what may be asked for, from this process or from another. */
import type { Command, Query, Repertoire } from './contract.js'

export interface Registry {
  /** Throws for a name that is not registered. */
  command(name: string): Command<unknown, unknown>
  query(name: string): Query<unknown, unknown>
  knowsCommand(name: string): boolean
  /** The command that this one is of several inputs, if it is. */
  eachOf(name: string): Command<unknown, unknown> | undefined
  knowsQuery(name: string): boolean
}

export function openRegistry({ commands, queries }: Pick<Repertoire, 'commands' | 'queries'>): Registry {
  const command = byName('command', commands as readonly Command<unknown, unknown>[])
  const query = byName('query', queries as readonly Query<unknown, unknown>[])
  const each = new Map<string, Command<unknown, unknown>>()
  for (const one of commands as readonly Command<unknown, unknown>[]) if (one.together) each.set(one.together.name, one)
  return {
    command: command.find,
    query: query.find,
    knowsCommand: command.has,
    knowsQuery: query.has,
    eachOf: (name) => each.get(name),
  }
}

function byName<T extends { readonly name: string }>(what: string, items: readonly T[]) {
  const known = new Map<string, T>()
  for (const item of items) {
    if (known.has(item.name)) throw new Error(`two ${what} definitions are called ${item.name}`)
    known.set(item.name, item)
  }
  return {
    has: (name: string) => known.has(name),
    find(name: string): T {
      const item = known.get(name)
      if (!item) throw new Error(`the ${what} ${name} is not registered`)
      return item
    },
  }
}
