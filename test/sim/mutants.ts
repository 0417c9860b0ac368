/** Parts of the world broken on purpose, one at a time, to prove that the checker finds each. */
import type { Clock } from '../../runtime/clock.js'
import type { Bus, Log } from '../../runtime/nats/contract.js'
import type { Engine, ExecuteOptions } from '../../runtime/shard/contract.js'
import type { ShardLimits } from '../../runtime/shard/limits.js'
import { shardOf } from '../../runtime/shard/placement.js'
import type { EngineKind } from './plan.js'
import type { Disk, Durability } from './world/disk.js'
import type { Incarnation } from './world/life.js'
import type { Rng } from './world/rng.js'
import { readerOver } from './world/space.js'
import type { Timeline } from './world/timeline.js'

/** The parts that a mutant may use besides the one that it replaces. */
export interface MutationContext {
  readonly incarnation: Incarnation
  readonly rng: Rng
  readonly timeline: Timeline
  readonly shards: number
  readonly disk?: Disk
}

export interface Mutation {
  readonly durability?: Durability
  readonly bus?: (bus: Bus, context: MutationContext) => Bus
  readonly clock?: (clock: Clock, context: MutationContext) => Clock
  readonly engine?: (engine: Engine, context: MutationContext) => Engine
  readonly newCommandId?: (made: number, context: MutationContext) => string
  readonly limits?: Partial<ShardLimits>
  readonly receiverAcceptsRepeats?: true
}

export interface Mutant {
  readonly name: string
  readonly engine: EngineKind
  readonly mutation: Mutation
}

function withLog(mutate: (log: Log, context: MutationContext) => Partial<Log>): NonNullable<Mutation['bus']> {
  return (bus, context) => ({
    ...bus,
    async log(shard) {
      const log = await bus.log(shard)
      return { ...log, ...mutate(log, context) }
    },
  })
}

export const mutants: readonly Mutant[] = [
  {
    name: 'A store that acknowledges before the disk has it',
    engine: 'embedded',
    mutation: { durability: 'async' },
  },
  {
    name: 'A log that appends wherever it ends',
    engine: 'cluster',
    mutation: {
      bus: withLog((log) => ({ append: async (entry) => log.append(entry, (await log.bounds()).last) })),
    },
  },
  {
    name: 'A log that says appended of what it refused',
    engine: 'cluster',
    mutation: {
      bus: withLog((log) => ({ append: (entry, after) => log.append(entry, after).then(() => 'appended' as const) })),
    },
  },
  {
    name: 'A log whose followers miss an entry now and then',
    engine: 'cluster',
    mutation: {
      bus: withLog((log, { rng }) => ({
        follow: (after, onEntry, ended) =>
          log.follow(after, (entry, number) => (rng.chance(0.05) ? undefined : onEntry(entry, number)), ended),
      })),
    },
  },
  {
    name: 'A snapshot that lacks its last rows',
    engine: 'cluster',
    mutation: {
      bus: (bus) => ({
        ...bus,
        objects: { ...bus.objects, put: (name, parts) => bus.objects.put(name, withoutLastRows(parts)) },
      }),
    },
  },
  {
    name: 'A receiver that keeps repeats',
    engine: 'embedded',
    mutation: { receiverAcceptsRepeats: true },
  },
  {
    name: 'A process that uses the ids of the one before it',
    engine: 'embedded',
    mutation: { newCommandId: (made, { incarnation }) => `${incarnation.node}-${made}` },
  },
  {
    name: 'A clock that stands still while its process is paused',
    engine: 'cluster',
    mutation: {
      clock(clock) {
        let [reported, last] = [0, clock.monotonic()]
        return {
          ...clock,
          monotonic() {
            reported += Math.min(longestRunMs, clock.monotonic() - last)
            last = clock.monotonic()
            return reported
          },
        }
      },
    },
  },
  {
    name: 'A clock that forgets to wake now and then',
    engine: 'embedded',
    mutation: {
      clock: (clock, { rng }) => ({
        ...clock,
        setTimer: (at, call) => clock.setTimer(at, rng.chance(0.1) ? () => {} : call),
      }),
    },
  },
  {
    name: 'A read that asks the nearest copy',
    engine: 'cluster',
    mutation: {
      engine: (engine, { disk, shards }) => ({
        ...engine,
        query: async (owner, query, input) =>
          disk
            ? query.read(
                readerOver(() => disk.rows(shardOf(owner, shards))),
                input,
              )
            : engine.query(owner, query, input),
      }),
    },
  },
  {
    name: 'An engine that forgets the ids of its callers',
    engine: 'embedded',
    mutation: {
      engine: (engine) => ({
        ...engine,
        execute: (owner, command, input, options?: ExecuteOptions) =>
          engine.execute(owner, command, input, { by: options?.by }),
      }),
    },
  },
  {
    name: 'A mailbox without an end',
    engine: 'embedded',
    mutation: { limits: { mailboxCommands: Number.POSITIVE_INFINITY } },
  },
  {
    name: 'A shard that does not notice that its clock was set back',
    engine: 'embedded',
    mutation: { limits: { clockStepMs: Number.POSITIVE_INFINITY } },
  },
  {
    name: 'An engine that keeps no order',
    engine: 'embedded',
    mutation: {
      engine: (engine, { rng, timeline }) => ({
        ...engine,
        async execute(owner, command, input, options) {
          await timeline.sleep(rng.between(0, 20))
          return engine.execute(owner, command, input, options)
        },
      }),
    },
  },
  {
    name: 'An engine that tells watchers only sometimes',
    engine: 'embedded',
    mutation: {
      engine: (engine, { rng }) => ({
        ...engine,
        watch: (table, seen) => engine.watch(table, (key, value) => rng.chance(0.5) && seen(key, value)),
      }),
    },
  },
]

/** Leaves out the part before the last one; the last part marks the end. */
async function* withoutLastRows(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const all: Uint8Array[] = []
  for await (const part of parts) all.push(part)
  yield* all.filter((_, index) => all.length < 3 || index !== all.length - 2)
}

/** The longest that a process is assumed to run without reading its clock. */
const longestRunMs = 700
