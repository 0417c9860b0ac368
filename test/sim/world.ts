/** A whole world: nodes on simulated time, disks and network, a receiver, clients, and their history. */
import type { Clock } from '../../runtime/clock.js'
import type { Bus } from '../../runtime/nats/contract.js'
import type { Log } from '../../runtime/observe/log.js'
import type { Handlers } from '../../runtime/shard/contract.js'
import type { EngineLimits } from '../../runtime/shard/limits.js'
import type { EngineOptions } from '../../runtime/shard/options.js'
import { engines } from './engines.js'
import { engineLimits } from './limits.js'
import { commands, queries } from './load/commands.js'
import { simEffectHandlers } from './load/effects.js'
import { type History, openHistory } from './load/history.js'
import { createQuietPeriod, type QuietPeriod } from './load/quietperiod.js'
import { openReceiver, type Receiver } from './load/receiver.js'
import { type ClientTarget, createTarget } from './load/target.js'
import type { Mutation } from './mutants.js'
import { openNode, type SimNode } from './node.js'
import { type EngineKind, type Plan, rngOf } from './plan.js'
import { openSimBus, type SimBus } from './world/bus.js'
import { nodeClock } from './world/clock.js'
import { openDisk } from './world/disk.js'
import { type Incarnation, startIncarnation } from './world/life.js'
import { type Line, openLine } from './world/line.js'
import { openLink } from './world/link.js'
import type { Rng } from './world/rng.js'
import { openTimeline, type Timeline } from './world/timeline.js'
import { openTrace, type Trace } from './world/trace.js'
import { openWriters, type Writers } from './writers.js'

export interface World {
  readonly plan: Plan
  readonly rng: Rng
  /** The limits of every engine. */
  readonly limits: EngineLimits
  readonly timeline: Timeline
  readonly trace: Trace
  readonly history: History
  readonly line: Line
  readonly receiver: Receiver
  readonly bus: SimBus
  readonly writers: Writers
  readonly quiet: QuietPeriod
  /** The options of engine processes. */
  engine: EngineKind
  readonly nodes: readonly SimNode[]
  readonly owners: readonly string[]
  targets(): readonly ClientTarget[]
}

/** Clocks differ by up to this share in speed and by this much in time of day. */
const drift = 0.01
const offsetMs = 200

/** One process of a node, for what runs on it. */
export interface SimProcess {
  readonly incarnation: Incarnation
  readonly clock: Clock
  /** For this process alone. */
  readonly rng: Rng
}

export interface WorldOptions {
  readonly mutation?: Mutation
  /** What runs on the nodes, in place of the commands and effects of the simulated clients. */
  readonly handlers?: (process: SimProcess) => Handlers
  readonly print?: (line: string) => void
  /** Violations to ignore, when others are wanted. */
  readonly ignored?: RegExp
}

export function openWorld(plan: Plan, options: WorldOptions = {}): World {
  const { mutation = {}, print, ignored } = options
  const handlersOf = options.handlers ?? clientHandlers
  const rng = rngOf(plan)
  const limits = engineLimits(plan.limits, mutation.limits)
  const timeline = openTimeline()
  const trace = openTrace(timeline.now, print)
  const { note } = trace
  const history = openHistory(note, ignored)
  const { addViolation } = history
  const outside = rng.fork('receiver')
  const line = openLine(outside)
  const receiver = openReceiver(timeline, outside, line, {
    dropsRepeats: !mutation.receiverAcceptsRepeats,
    addViolation,
  })
  const quiet = createQuietPeriod(timeline.now)
  const writers = openWriters({
    now: timeline.now,
    addViolation,
    changed: quiet.disturb,
    leaseMs: limits.cluster.leaseMs,
  })
  const bus = openSimBus({
    timeline,
    rng: rng.fork('bus'),
    entryBytes: plan.entryBytes,
    appended: (shard, entry) => writers.appended(shard, entry),
    beat: (incarnation, requestedAt) => writers.beat(incarnation, requestedAt),
  })

  function clientHandlers({ incarnation }: SimProcess): Handlers {
    const effects = { incarnation, shards: plan.shards, limits: limits.shard, receiver, addViolation }
    return { commands, queries, effectHandlers: simEffectHandlers({ ...effects, begins: writers.effectBegins }) }
  }

  function node(id: string, keepsShards: boolean): SimNode {
    const mine = rng.fork(id)
    const nodeOptions = {
      rate: 1 + mine.between(-drift, drift),
      offsetMs: mine.between(-offsetMs, offsetMs),
      addViolation,
    }
    const clock = nodeClock(timeline, mine.fork('clock'), nodeOptions)
    const link = openLink(timeline, mine.fork('link'))
    const disk = keepsShards
      ? openDisk({
          node: id,
          timeline,
          rng: mine.fork('disk'),
        })
      : undefined
    const threw = (error: unknown) =>
      addViolation(`${id} let an exception through: ${(error as Error)?.stack ?? error}`)
    return openNode({
      id,
      timeline,
      note,
      disk,
      clock,
      link,
      begin: (name) => startIncarnation({ node: id, name, timeline, rng: mine.fork(name), threw }),
      async open(incarnation) {
        const context = {
          incarnation,
          rng: mine.fork(`${incarnation.name}-mutant`),
          timeline,
          shards: plan.shards,
          disk,
        }
        let ids = 0
        const engineOptions: EngineOptions = {
          shards: plan.shards,
          handlers: handlersOf({
            incarnation,
            clock: clock.of(incarnation),
            rng: mine.fork(`${incarnation.name}-own`),
          }),
          clock: mutation.clock?.(clock.of(incarnation), context) ?? clock.of(incarnation),
          newCommandId: () => mutation.newCommandId?.(ids++, context) ?? `${incarnation.name}-${ids++}`,
          log: logInto((line) => incarnation.alive() && note(`${incarnation.name} ${line}`)),
          limits,
        }
        function connect(): Bus {
          const connected = bus.connect(incarnation, link, clock)
          return mutation.bus?.(connected, context) ?? connected
        }
        const durability = mutation.durability ?? (world.engine === 'embedded' ? 'synced' : 'async')
        const store = disk?.open(incarnation, durability)
        const opened = await engines[world.engine](engineOptions, {
          incarnation,
          store,
          bus: connect,
          randomBytes: (count) => Uint8Array.from({ length: count }, () => mine.below(256)),
        })
        const engine = mutation.engine?.(opened, context) ?? opened
        return {
          ...engine,
          async stop() {
            await engine.stop()
            await store?.close()
          },
        }
      },
      targetFor: (incarnation, engine) => createTarget(incarnation, engine, history),
    })
  }

  const nodes = [
    ...Array.from({ length: plan.nodes }, (_, index) => node(`n${index + 1}`, true)),
    ...Array.from({ length: plan.askers }, (_, index) => node(`a${index + 1}`, false)),
  ]
  const world: World = {
    plan,
    rng,
    limits,
    timeline,
    trace,
    history,
    line,
    receiver,
    bus,
    writers,
    quiet,
    engine: plan.aloneMs > 0 ? 'embedded' : plan.engine,
    nodes,
    owners: Array.from({ length: plan.owners }, (_, index) => `o${index + 1}`),
    targets: () => nodes.flatMap((each) => each.target() ?? []),
  }
  return world
}

function logInto(write: (line: string) => void, bound: object = {}): Log {
  const at =
    (level: string) =>
    (event: string, fields: object = {}) => {
      write(`${level} ${event} ${JSON.stringify({ ...bound, ...fields }, plain)}`)
    }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => logInto(write, { ...bound, ...fields }),
  }
}

/** The place of an error differs from machine to machine; its message does not. */
function plain(_key: string, value: unknown): unknown {
  return value instanceof Error ? `${value.name}: ${value.message}` : value
}
