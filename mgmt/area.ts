/** What every management area is made of, and what its effects and routes run with. */
import type { Pages } from '../runtime/http/page.js'
import type { Command, Local, Query, Repertoire, Shards } from '../runtime/shard/contract.js'
import type { Sealer } from '../runtime/store/sealer.js'

/** The commands and queries of an area that run where a shard is. */
export type Module = Pick<Repertoire, 'commands' | 'queries'>

/** What effects are performed with; there before the engine starts. */
export interface EffectDeps {
  readonly shards: Shards
  readonly sealer: Sealer
}

/** What requests are answered with; there once the engine was opened. */
export interface RouteDeps extends EffectDeps {
  readonly shards: Shards & Local
  readonly pages: Pages
}

type Commands = Readonly<Record<string, Command<never, unknown>>>
type Queries = Readonly<Record<string, Query<never, unknown>>>

export function moduleOf(...parts: readonly { readonly commands?: Commands; readonly queries?: Queries }[]): Module {
  return {
    commands: parts.flatMap(({ commands = {} }) => Object.values(commands)),
    queries: parts.flatMap(({ queries = {} }) => Object.values(queries)),
  }
}
