/** What every management area is made of, and what its effects and routes run with. */
import type { PageTokens } from '../runtime/http/pagetokens.js'
import type { Sealer } from '../runtime/secrets/sealer.js'
import type { Command, Handlers, Local, Query, Shards } from '../runtime/shard/contract.js'

/** The commands and queries of an area that run where a shard is. */
export type Module = Pick<Handlers, 'commands' | 'queries'>

/** What effects are performed with; there before the engine starts. */
export interface EffectDeps {
  readonly shards: Shards
  readonly sealer: Sealer
}

/** What requests are answered with; there once the engine was opened. */
export interface RouteDeps extends EffectDeps {
  readonly shards: Shards & Local
  readonly pages: PageTokens
}

type Commands = Readonly<Record<string, Command<never, unknown>>>
type Queries = Readonly<Record<string, Query<never, unknown>>>

export function moduleOf(...parts: readonly { readonly commands?: Commands; readonly queries?: Queries }[]): Module {
  return {
    commands: parts.flatMap(({ commands = {} }) => Object.values(commands)),
    queries: parts.flatMap(({ queries = {} }) => Object.values(queries)),
  }
}
