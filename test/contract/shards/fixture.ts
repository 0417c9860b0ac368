/** What the suite of the shards is run on: an engine with everything around it, opened, ended and opened again. */
import type { Test } from 'tap'
import type { Engine, Handlers, Shards } from '../../../runtime/shard/contract.js'
import type { LimitOverrides } from '../../../runtime/shard/limits.js'
import { shardOf } from '../../../runtime/shard/placement.js'
import type { Reader, Store } from '../../../runtime/store/contract.js'
import type { ProcessClock, Time } from '../../harness/time.js'

export interface Logged {
  readonly event: string
  readonly [field: string]: unknown
}

/**
 * One or several processes on data of their own. What is asked is asked in one of them, perhaps not in the one that
 * owns the shards.
 */
export interface EngineFixture {
  readonly shards: Shards
  /** The engine of the process that owns the shards, its store and its clock. */
  readonly engine: Engine
  readonly store: Store
  readonly clock: ProcessClock
  readonly time: Time
  readonly logged: readonly Logged[]
  /** How many commands each commit held. */
  readonly commits: readonly number[]
  /** Ends as it should. */
  stop(): Promise<void>
  /** Every process ends at once and finishes nothing. */
  crash(): Promise<void>
  /** Whether it was ended, in whichever way. */
  isEnded(): boolean
}

export interface EngineFixtureOptions {
  readonly handlers: Handlers
  readonly limits?: LimitOverrides
  /** An engine that has ended: this one continues with its data. */
  readonly after?: EngineFixture
}

/** Opens an engine that serves all its shards; its resources are removed when the test ends. */
export type OpenEngineFixture = (t: Test, options: EngineFixtureOptions) => Promise<EngineFixture>

/** Few, so that owners share them. */
export const fixtureShards = 4

/** What the store of the owning process holds of an owner's shard. */
export function readerFor(fixture: EngineFixture, owner: string): Reader {
  return fixture.store.space(shardOf(owner, fixtureShards))
}

/** Waits until it holds, however long that takes, letting so much time pass at each look. */
export async function eventually(
  { time }: Pick<EngineFixture, 'time'>,
  condition: () => boolean | Promise<boolean>,
  passMs = 0,
): Promise<void> {
  while (!(await condition())) await time.advance(passMs)
}

/**
 * Lets no commit begin until everything asked in `send` has reached its shard: what goes to one shard shares a commit.
 * Calls `meanwhile` before the first of them begins.
 */
export async function inOneCommit<R>(
  fixture: EngineFixture,
  send: () => R,
  arrived: () => Promise<unknown>,
  meanwhile: (result: R) => void | Promise<void> = () => {},
): Promise<R> {
  const release = fixture.clock.holdTicks()
  const result = send()
  // What comes from one process arrives in its order, so a read that is answered says that all before it is there.
  await arrived()
  await meanwhile(result)
  release()
  return result
}
