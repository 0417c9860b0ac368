/** The engines of the shards for tests: each opened as a house of the contract's suite, and nodes of a cluster one by one. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Test } from 'tap'
import { openNats } from '../../runtime/nats/bus.js'
import type { Bus } from '../../runtime/nats/contract.js'
import { openLog } from '../../runtime/observe/log.js'
import { openCluster } from '../../runtime/shard/cluster.js'
import type { Engine, Repertoire } from '../../runtime/shard/contract.js'
import { openEmbedded } from '../../runtime/shard/embedded.js'
import type { EngineOptions } from '../../runtime/shard/options.js'
import type { Store } from '../../runtime/store/contract.js'
import { openStore } from '../../runtime/store/lmdb.js'
import { eventually, type House, type HouseOptions, houseShards, type Logged } from '../contract/shards/house.js'
import { settle } from './clock.js'
import { TestNats } from './nats.js'
import { type ProcessClock, runningTime, standingTime, type Time } from './time.js'

/** A process with an engine in it. */
export interface Process {
  readonly engine: Engine
  readonly clock: ProcessClock
  readonly logged: readonly Logged[]
  readonly commits: readonly number[]
  readonly store?: Store
  readonly bus?: Bus
  stop(): Promise<void>
  /** Ends at once: nobody in it is woken any more, its connection is cut and its files are let go of. */
  die(): Promise<void>
}

/** What outlives processes. */
class Place {
  readonly time: Time
  readonly nats?: TestNats
  readonly dir = mkdtempSync(join(tmpdir(), 'parley-house-'))
  readonly running = new Set<Process>()

  private constructor(time: Time, nats?: TestNats) {
    this.time = time
    this.nats = nats
  }

  static async make(t: Test, clustered: boolean): Promise<Place> {
    const place = clustered ? new Place(runningTime(), await TestNats.start()) : new Place(standingTime())
    t.teardown(async () => {
      await Promise.all([...place.running].map((process) => process.die()))
      await place.nats?.stop()
      rmSync(place.dir, { recursive: true, force: true })
    })
    return place
  }

  add<P extends Process>(process: P): P {
    this.running.add(process)
    const gone = (end: () => Promise<void>) => async () => {
      this.running.delete(process)
      await end()
    }
    return { ...process, stop: gone(process.stop), die: gone(process.die) }
  }
}

const places = new WeakMap<House, Place>()

/** The embedded engine: one process, on time that stands still. */
export async function openEmbeddedHouse(t: Test, { repertoire, after }: HouseOptions): Promise<House> {
  const place = (after && places.get(after)) ?? (await Place.make(t, false))
  const store = await openStore({ dir: place.dir, shards: houseShards })
  const { options, ...around } = surroundings(place.time, repertoire, houseShards)
  const engine = openEmbedded({ ...options, store })
  const process = place.add({ ...ending(engine, { store, clock: around.clock }), ...around, engine, store })
  await engine.start()
  const house = await settled(place, process, process)
  const resting: House = { ...house, time: restingTime(house) }
  places.set(resting, place)
  return resting
}

/** Within so many turns of the loop, whatever follows on a commit has asked for its own. */
const followingTurns = 8
/** Where somebody asks on and on there is no rest, and time passes all the same. */
const mostRests = 20

/**
 * Time of a process on a disk of its own, which passes while nothing is on its way there: however slow the disk is, what
 * an hour brought about is on record when the hour is over.
 */
function restingTime({ time, store, commits, isOver }: House): Time {
  async function rest(): Promise<void> {
    for (let times = 0, seen = -1; times < mostRests && seen !== commits.length && !isOver(); times++) {
      seen = commits.length
      // Behind everything that was there before.
      await store.own.commit([]).catch(() => {})
      for (let turn = 0; turn < followingTurns; turn++) await nextTurn()
    }
  }
  return {
    ...time,
    async advance(ms) {
      await rest()
      await time.advance(ms)
      await rest()
    },
  }
}

/** A cluster of one node on one server. */
export async function openNodeHouse(t: Test, { repertoire, after }: HouseOptions): Promise<House> {
  const place = (after && places.get(after)) ?? (await Place.make(t, true))
  const node = await openNodeIn(place, repertoire, place.dir)
  return settled(place, node, node)
}

/** A cluster whose only node serves a process without data: everything asked goes over the wire. */
export async function openApartHouse(t: Test, { repertoire, after }: HouseOptions): Promise<House> {
  const place = (after && places.get(after)) ?? (await Place.make(t, true))
  const node = await openNodeIn(place, repertoire, place.dir)
  const asker = await openNodeIn(place, repertoire, undefined)
  return settled(place, node, asker)
}

async function openNodeIn(place: Place, repertoire: Repertoire, dir: string | undefined): Promise<Process> {
  const { time, nats } = place
  const node = place.add(await openNode({ repertoire, time, servers: [nats!.url], dir }))
  await node.engine.start()
  return node
}

async function settled(place: Place, owner: Process, asker: Process): Promise<House> {
  const { engine, store, clock, logged, commits } = owner
  const everybody = [...new Set([owner, asker])]
  let over = false
  const house: House = {
    shards: asker.engine,
    engine,
    store: store!,
    clock,
    time: place.time,
    logged,
    commits,
    async stop() {
      over = true
      for (const process of everybody) await process.stop()
    },
    async die() {
      over = true
      await Promise.all(everybody.map((process) => process.die()))
    },
    isOver: () => over,
  }
  places.set(house, place)
  await eventually(house, async () => (await engine.status()).every((each) => each.owner !== undefined))
  return house
}

export interface NodeOptions {
  readonly repertoire: Repertoire
  readonly time: Time
  readonly servers: readonly string[]
  /** Where it keeps its data; absent, it keeps none and only asks. */
  readonly dir?: string
  readonly shards?: number
  /** Its name among the nodes; absent, that of its data. */
  readonly id?: string
  readonly rootKeyName?: string
  /** Stands between the engine and its bus; `die` ends the process wherever it is. */
  readonly between?: (bus: Bus, die: () => Promise<void>) => Bus
}

export interface ClusterNode extends Process {
  readonly id: string
  readonly bus: Bus
}

/** A node of a cluster, joined and not yet started. */
export async function openNode(options: NodeOptions): Promise<ClusterNode> {
  const { repertoire, time, servers, dir, shards = houseShards, rootKeyName = 'key', between = (bus) => bus } = options
  const { options: around, life, ...rest } = surroundings(time, repertoire, shards)
  const store = dir === undefined ? undefined : await openStore({ dir, shards, durability: 'async' })
  const id = options.id ?? store?.about.node ?? `asker-${life}`
  const parts: Parts = { clock: rest.clock, store }
  try {
    const bus = await openNats({ servers, syncAlways: false, log: around.log, name: id })
    parts.bus = bus
    const node = { id, life, about: {} }
    const used = between(bus, () => close(parts))
    const engine = await openCluster({ ...around, bus: used, store, node, rootKeyName, randomBytes })
    return { ...ending(engine, parts), ...rest, id, engine, store, bus }
  } catch (error) {
    await close(parts)
    throw error
  }
}

/** What a process has open. */
interface Parts {
  readonly clock: ProcessClock
  readonly store?: Store
  bus?: Bus
}

async function close({ clock, bus, store }: Parts): Promise<void> {
  clock.end()
  await bus?.close()
  // What was on its way to the disk gets there, as it may in a process that is killed; nothing follows on it.
  await store?.own.commit([]).catch(() => {})
  await settle()
  await store?.close()
}

function ending(engine: Engine, parts: Parts): Pick<Process, 'stop' | 'die'> {
  let closing: Promise<void> | undefined
  async function die(): Promise<void> {
    closing ??= close(parts)
    await closing
  }
  return { die, stop: () => engine.stop().then(die) }
}

let lives = 0

function surroundings(time: Time, repertoire: Repertoire, shards: number) {
  const clock = time.process()
  const logged: Logged[] = []
  const commits: number[] = []
  const life = `${process.pid}-${++lives}`
  let ids = 0
  const options: EngineOptions = {
    shards,
    repertoire,
    clock,
    newCommandId: () => `${life}-${++ids}`,
    log: openLog({ to: { write: (line) => logged.push(JSON.parse(line)) }, now: clock.now }).log,
    meters: { committed: (_shard, commands) => void commits.push(commands), settled() {} },
  }
  return { options, life, clock, logged, commits }
}
