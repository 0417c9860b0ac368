/** Options of the engines. */
import type { Clock } from '../clock.js'
import type { Bus } from '../nats/contract.js'
import type { Log } from '../observe/log.js'
import type { Store } from '../store/contract.js'
import type { Handlers } from './contract.js'
import type { LimitOverrides } from './limits.js'
import type { CommitMetrics } from './metrics.js'

export interface EngineOptions {
  /** The number of shards of the installation; fixed for its life. */
  readonly shards: number
  readonly handlers: Handlers
  readonly clock: Clock
  readonly newCommandId: () => string
  readonly log: Log
  readonly commitMetrics?: CommitMetrics
  readonly limits?: LimitOverrides
}

export interface EmbeddedOptions extends EngineOptions {
  readonly store: Store
  readonly info?: NodeIdentity['info']
}

export interface ClusterOptions extends EngineOptions {
  readonly bus: Bus
  /**
   * The store of the node's copies (`durability: 'async'` is enough). A process without one owns no shards and only
   * routes.
   */
  readonly store?: Store
  readonly node: NodeIdentity
  /** Identifies the root key without revealing anything of it; every node of an installation must have the same one. */
  readonly rootKeyName: string
  /** The sealed secrets of the installation; the node restores them after the servers have lost them. */
  readonly rootSecrets?: Uint8Array
  readonly randomBytes: (count: number) => Uint8Array
}

export interface NodeIdentity {
  /** The same for the life of its data directory; letters, digits and dashes. */
  readonly id: string
  /** Different at every start. */
  readonly incarnation: string
  /** Facts about the node for operators. */
  readonly info: Readonly<Record<string, string>>
}
