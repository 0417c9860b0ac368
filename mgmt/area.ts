/** The types shared by all management areas: their handlers and what their effects and routes depend on. */
import type { PageTokens } from '../runtime/http/pagetokens.js'
import type { Sealer } from '../runtime/secrets/sealer.js'
import type { Command, Handlers, Local, Query, Shards } from '../runtime/shard/contract.js'

/** The commands and queries of an area; they run on the owner of the shard. */
export type Module = Pick<Handlers, 'commands' | 'queries'>

/** Dependencies of effect handlers; available before the engine starts. */
export interface EffectDeps {
  readonly shards: Shards
  readonly sealer: Sealer
}

/** Dependencies of routes; available once the engine is open. */
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
