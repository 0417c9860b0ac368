/** The shard engines for tests: each as a fixture of the contract suite, and single nodes of a cluster. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Test } from 'tap'
import { openNats } from '../../runtime/nats/bus.js'
import type { Bus } from '../../runtime/nats/contract.js'
import { createLog } from '../../runtime/observe/log.js'
import { openCluster } from '../../runtime/shard/cluster.js'
import type { Engine, Handlers } from '../../runtime/shard/contract.js'
import { openEmbedded } from '../../runtime/shard/embedded.js'
import type { LimitOverrides } from '../../runtime/shard/limits.js'
import type { EngineOptions } from '../../runtime/shard/options.js'
import type { Store } from '../../runtime/store/contract.js'
import { openStore } from '../../runtime/store/lmdb.js'
import {
  type EngineFixture,
  type EngineFixtureOptions,
  eventually,
  fixtureShards,
  type Logged,
} from '../contract/shards/fixture.js'
import { flushPending } from './clock.js'
import { TestNats } from './nats.js'
import { createManualTime, createRealTime, type ProcessClock, type Time } from './time.js'

/** A process with an engine. */
export interface Process {
  readonly engine: Engine
  readonly clock: ProcessClock
  readonly logged: readonly Logged[]
  readonly commits: readonly number[]
  readonly store?: Store
  readonly bus?: Bus
  stop(): Promise<void>
  /** Ends the process at once: its alarms no longer fire, its connection is cut, its files are released. */
  crash(): Promise<void>
}

/** The parts that outlive processes. */
class EngineEnvironment {
  readonly time: Time
  readonly nats?: TestNats
  readonly dir = mkdtempSync(join(tmpdir(), 'parley-engine-'))
  readonly running = new Set<Process>()

  private constructor(time: Time, nats?: TestNats) {
    this.time = time
    this.nats = nats
  }

  static async make(t: Test, clustered: boolean): Promise<EngineEnvironment> {
    const environment = clustered
      ? new EngineEnvironment(createRealTime(), await TestNats.start())
      : new EngineEnvironment(createManualTime())
    t.teardown(async () => {
      await Promise.all([...environment.running].map((process) => process.crash()))
      await environment.nats?.stop()
      rmSync(environment.dir, { recursive: true, force: true })
    })
    return environment
  }

  add<P extends Process>(process: P): P {
    this.running.add(process)
    const untracked = (end: () => Promise<void>) => async () => {
      this.running.delete(process)
      await end()
    }
    return { ...process, stop: untracked(process.stop), crash: untracked(process.crash) }
  }
}

const environments = new WeakMap<EngineFixture, EngineEnvironment>()

/** The embedded engine: one process, on time that moves only with the test. */
export async function openEmbeddedFixture(t: Test, fixtureOptions: EngineFixtureOptions): Promise<EngineFixture> {
  const { handlers, limits, after } = fixtureOptions
  const environment = (after && environments.get(after)) ?? (await EngineEnvironment.make(t, false))
  const store = await openStore({ dir: environment.dir, shards: fixtureShards })
  const { options, ...context } = engineOptions(environment.time, handlers, fixtureShards)
  const engine = openEmbedded({ ...options, limits, store })
  const process = environment.add({
    ...stopAndCrash(engine, { store, clock: context.clock }),
    ...context,
    engine,
    store,
  })
  await engine.start()
  const fixture = await createFixture(environment, process, process)
  const resting: EngineFixture = { ...fixture, time: createPausingTime(fixture) }
  environments.set(resting, environment)
  return resting
}

/** Within this many turns of the loop, the work after a commit has requested its own commit. */
const followingTurns = 8
/** A loop of commands never rests; after this many pauses time moves on anyway. */
const maxPauses = 20

/**
 * Time of a process with its own disk; it moves while no commit is pending, so the effects of an hour are durable when
 * the hour is over, however slow the disk is.
 */
function createPausingTime({ time, store, commits, isEnded }: EngineFixture): Time {
  async function waitUntilIdle(): Promise<void> {
    for (let times = 0, seen = -1; times < maxPauses && seen !== commits.length && !isEnded(); times++) {
      seen = commits.length
      // Commits after everything that was queued before.
      await store.own.commit([]).catch(() => {})
      for (let turn = 0; turn < followingTurns; turn++) await nextTurn()
    }
  }
  return {
    ...time,
    async advance(ms) {
      await waitUntilIdle()
      await time.advance(ms)
      await waitUntilIdle()
    },
  }
}

/** A cluster of one node on one server. */
export async function openNodeFixture(t: Test, { after, ...options }: EngineFixtureOptions): Promise<EngineFixture> {
  const environment = (after && environments.get(after)) ?? (await EngineEnvironment.make(t, true))
  const node = await openNodeIn(environment, options, environment.dir)
  return createFixture(environment, node, node)
}

/** A cluster whose only node serves a process without data: every command and query crosses the network. */
export async function openRemoteFixture(t: Test, { after, ...options }: EngineFixtureOptions): Promise<EngineFixture> {
  const environment = (after && environments.get(after)) ?? (await EngineEnvironment.make(t, true))
  const node = await openNodeIn(environment, options, environment.dir)
  const client = await openNodeIn(environment, options, undefined)
  return createFixture(environment, node, client)
}

async function openNodeIn(
  environment: EngineEnvironment,
  options: Pick<NodeOptions, 'handlers' | 'limits'>,
  dir: string | undefined,
): Promise<Process> {
  const { time, nats } = environment
  const node = environment.add(await openNode({ ...options, time, servers: [nats!.url], dir }))
  await node.engine.start()
  return node
}

async function createFixture(environment: EngineEnvironment, owner: Process, client: Process): Promise<EngineFixture> {
  const { engine, store, clock, logged, commits } = owner
  const everybody = [...new Set([owner, client])]
  let over = false
  const fixture: EngineFixture = {
    shards: client.engine,
    engine,
    store: store!,
    clock,
    time: environment.time,
    logged,
    commits,
    async stop() {
      over = true
      for (const process of everybody) await process.stop()
    },
    async crash() {
      over = true
      await Promise.all(everybody.map((process) => process.crash()))
    },
    isEnded: () => over,
  }
  environments.set(fixture, environment)
  await eventually(fixture, async () => (await engine.status()).every((each) => each.owner !== undefined))
  return fixture
}

export interface NodeOptions {
  readonly handlers: Handlers
  readonly time: Time
  readonly servers: readonly string[]
  /** The node's data folder; a node without it stores nothing and only sends commands. */
  readonly dir?: string
  readonly shards?: number
  /** The node's name; the name of its data when absent. */
  readonly id?: string
  readonly rootKeyName?: string
  readonly limits?: LimitOverrides
  /** Wraps the bus of the engine; `crash` ends the process at any point. */
  readonly wrapBus?: (bus: Bus, crash: () => Promise<void>) => Bus
}

export interface ClusterNode extends Process {
  readonly id: string
  readonly bus: Bus
}

/** A node of a cluster, joined and not yet started. */
export async function openNode(options: NodeOptions): Promise<ClusterNode> {
  const { handlers, time, servers, dir, shards = fixtureShards, rootKeyName = 'key', limits } = options
  const { wrapBus = (bus) => bus } = options
  const { options: context, incarnation, ...waitUntilIdle } = engineOptions(time, handlers, shards)
  const store = dir === undefined ? undefined : await openStore({ dir, shards, durability: 'async' })
  const id = options.id ?? store?.identity.node ?? `asker-${incarnation}`
  const parts: Parts = { clock: waitUntilIdle.clock, store }
  try {
    const bus = await openNats({ servers, syncAlways: false, log: context.log, name: id })
    parts.bus = bus
    const node = { id, incarnation, info: {} }
    const used = wrapBus(bus, () => close(parts))
    const engine = await openCluster({ ...context, limits, bus: used, store, node, rootKeyName, randomBytes })
    return { ...stopAndCrash(engine, parts), ...waitUntilIdle, id, engine, store, bus }
  } catch (error) {
    await close(parts)
    throw error
  }
}

/** The open resources of a process. */
interface Parts {
  readonly clock: ProcessClock
  readonly store?: Store
  bus?: Bus
}

async function close({ clock, bus, store }: Parts): Promise<void> {
  clock.end()
  await bus?.close()
  // Pending writes reach the disk, as they may in a killed process; no further work follows them.
  await store?.own.commit([]).catch(() => {})
  await flushPending()
  await store?.close()
}

function stopAndCrash(engine: Engine, parts: Parts): Pick<Process, 'stop' | 'crash'> {
  let closing: Promise<void> | undefined
  async function crash(): Promise<void> {
    closing ??= close(parts)
    await closing
  }
  return { crash, stop: () => engine.stop().then(crash) }
}

let incarnations = 0

function engineOptions(time: Time, handlers: Handlers, shards: number) {
  const clock = time.process()
  const logged: Logged[] = []
  const commits: number[] = []
  const incarnation = `${process.pid}-${++incarnations}`
  let ids = 0
  const options: EngineOptions = {
    shards,
    handlers,
    clock,
    newCommandId: () => `${incarnation}-${++ids}`,
    log: createLog({ destination: { write: (line) => logged.push(JSON.parse(line)) }, now: clock.now }).log,
    commitMetrics: { recordCommit: (commands) => void commits.push(commands), recordCompletion() {} },
  }
  return { options, incarnation, clock, logged, commits }
}
