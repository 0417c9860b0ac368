/** What an engine is opened with, whichever engine it is. */
import type { Clock } from '../clock.js'
import type { Bus } from '../nats/contract.js'
import type { Log } from '../observe/log.js'
import type { Store } from '../store/contract.js'
import type { Handlers } from './contract.js'
import type { CommitMetrics } from './metrics.js'

export interface EngineOptions {
  /** How many shards the installation has; fixed for its life. */
  readonly shards: number
  readonly handlers: Handlers
  readonly clock: Clock
  readonly newCommandId: () => string
  readonly log: Log
  readonly commitMetrics?: CommitMetrics
}

export interface EmbeddedOptions extends EngineOptions {
  readonly store: Store
  readonly info?: NodeIdentity['info']
}

export interface ClusterOptions extends EngineOptions {
  readonly bus: Bus
  /** Where copies of shards are kept (`durability: 'async'` will do). A process without one owns none and only asks. */
  readonly store?: Store
  readonly node: NodeIdentity
  /** Names the root key without telling anything about it; every node of an installation must have the same one. */
  readonly rootKeyName: string
  /** The sealed secrets of the installation, put back where the servers have lost them. */
  readonly rootSecrets?: Uint8Array
  readonly randomBytes: (count: number) => Uint8Array
}

export interface NodeIdentity {
  /** The same for the life of its data directory; letters, digits and dashes. */
  readonly id: string
  /** Another one at every start. */
  readonly incarnation: string
  /** What operators are shown of it. */
  readonly info: Readonly<Record<string, string>>
}
