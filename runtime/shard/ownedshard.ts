/** The interface of one shard at its owner, and what the shard works with. */
import type { CommitDeferred, Space } from '../store/contract.js'
import type { EffectHandler, LocalShardStatus, Query } from './contract.js'
import type { CommandRequest } from './decision.js'
import type { ShardLimits } from './limits.js'
import type { IsSkippable } from './messages.js'
import type { EngineOptions } from './options.js'
import type { Overlay } from './overlay.js'
import type { Registry } from './registry.js'

export interface OwnedShard {
  /**
   * Resolves after the commit. Rejects with MailboxFull, or with NotOwner when the shard was lost before the commit.
   */
  execute(request: CommandRequest): Promise<unknown>
  /** Returns a promise for a query in steps. */
  query(query: Query<unknown, unknown>, input: unknown): unknown
  /** Undefined for a query in steps. */
  queryNow(query: Query<unknown, unknown>, input: unknown): unknown
  /** Commits so far. Commits without effects are no longer counted after the shard was opened again. */
  commits(): number
  load(): Pick<LocalShardStatus, 'waiting' | 'oldestPendingAt' | 'timerDueAt'>
  /** Resumes the outbox and the timers. */
  start(): void
  /** Starts no more effects and fires no more timers; running effects have `handOverMs` to end and report. */
  quiesce(): Promise<void>
  /** Accepts no more commands and finishes the accepted ones. */
  close(): Promise<void>
  /** The shard is lost: rejects everything that waits, and sends nothing more. */
  lose(): void
}

export interface ShardOptions extends Pick<EngineOptions, 'clock' | 'log' | 'newCommandId' | 'commitMetrics'> {
  readonly number: number
  readonly limits: ShardLimits
  readonly space: Space
  readonly registry: Registry
  readonly effectHandlers: Readonly<Record<string, EffectHandler>>
  readonly isSkippable: IsSkippable
  /**
   * Makes changes durable and visible in the space, one commit after the other. Rejects with NotOwner when they never
   * will be.
   */
  readonly commit: CommitDeferred
  /** Whether this process owns the shard at this moment. A process that was paused may resume without it. */
  readonly isStillOwner: () => boolean
  /** Called with every durable change before its command is answered. */
  readonly onCommit: (overlay: Pick<Overlay, 'writesOf'>) => void
}
