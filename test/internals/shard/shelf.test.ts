/** The shelf of a shard's snapshots: what is left on it, however making one went. */
import t from 'tap'
import { cluster } from '../../../core/limits/index.js'
import {
  type Bucket,
  BusUnreachable,
  type KvEntry,
  type Log,
  type ObjectStore,
} from '../../../runtime/nats/contract.js'
import type { Copy, Position } from '../../../runtime/shard/cluster/copy.js'
import { openSettings } from '../../../runtime/shard/cluster/settings.js'
import { createSnapshotStore } from '../../../runtime/shard/cluster/snapshotstore.js'
import type { Space } from '../../../runtime/store/contract.js'
import { manualClock, waitUntil } from '../../harness/clock.js'

Object.assign(cluster, { snapshotEntries: 2, entriesKept: 1 })

const line = '0011223344556677'

function memoryBucket(): Bucket {
  const values = new Map<string, Uint8Array>()
  const watchers: ((key: string, held: KvEntry) => void)[] = []
  let revision = 0
  async function set(key: string, value?: Uint8Array): Promise<number> {
    if (value) values.set(key, value)
    else values.delete(key)
    revision++
    for (const seen of watchers) seen(key, { revision, ...(value && { value }) })
    return revision
  }
  return {
    put: set,
    create: async (key, value) => !values.has(key) && (await set(key, value)) > 0,
    get: async (key) => (values.has(key) ? { revision, value: values.get(key)! } : undefined),
    async remove(key) {
      await set(key)
    },
    async watch(seen) {
      watchers.push(seen)
      return () => {}
    },
  }
}

/** Servers that hold whatever came, also of what never became whole, and can fail in the middle of a put or a removal. */
function heldSnapshots() {
  const held = new Set<string>()
  const failing = { put: false, remove: false }
  const snapshots: ObjectStore = {
    async put(name, parts) {
      for await (const _ of parts) held.add(name)
      if (failing.put) throw new BusUnreachable('the servers went away')
    },
    get: async () => undefined,
    async remove(name) {
      if (failing.remove) throw new BusUnreachable('the servers went away')
      held.delete(name)
    },
  }
  return { held, failing, snapshots }
}

async function openMaking() {
  const { held, failing, snapshots } = heldSnapshots()
  const settings = openSettings(
    memoryBucket(),
    () => {},
    () => {},
  )
  await settings.start()
  let position: Position = { lineageId: line, epoch: 1, owner: 'ann/1', number: 1 }
  const made: string[] = []
  const trimmed: number[] = []
  const say = { info: (event: string) => made.push(event), warn: (event: string) => made.push(event) }
  const shelf = createSnapshotStore({
    number: 3,
    space: { rows: () => [] } as unknown as Space,
    log: { trim: async (upTo: number) => void trimmed.push(upTo) } as unknown as Log,
    objects: snapshots,
    settings,
    clock: manualClock(),
    logger: say as never,
  })
  const keeper = shelf.createSnapshotter({ position: () => position } as Copy, line)
  /** Lets the log grow until a snapshot is made, or is not. */
  async function make(): Promise<string> {
    const before = made.length
    for (let entry = 0; entry < cluster.snapshotEntries; entry++) {
      position = { ...position, number: position.number + 1 }
      keeper.addEntry(1_000)
    }
    await waitUntil(() => made.length > before)
    return made.at(-1)!
  }
  const pointed = () => settings.snapshotsOf(3).map(({ object }) => object)
  return { held, failing, make, pointed, settings, trimmed }
}

t.test('What was left of a snapshot that was never whole goes when the next ones are made', async (t) => {
  const { held, failing, make, pointed } = await openMaking()
  t.equal(await make(), 'shard.snapshot.created')
  failing.put = true
  t.equal(await make(), 'shard.snapshot.failed')
  t.equal(held.size, 2)
  failing.put = false
  for (let round = 0; round < 2; round++) t.equal(await make(), 'shard.snapshot.created')
  t.equal(held.size, 2, 'the newest and the one before it')
  t.same([...held].sort(), pointed().sort())
})

t.test('A snapshot that could not be removed is removed with the next', async (t) => {
  const { held, failing, make, pointed } = await openMaking()
  for (let round = 0; round < 2; round++) t.equal(await make(), 'shard.snapshot.created')
  failing.remove = true
  t.equal(await make(), 'shard.snapshot.failed')
  failing.remove = false
  t.equal(await make(), 'shard.snapshot.created')
  t.equal(held.size, 2)
  t.same([...held].sort(), pointed().sort())
})

t.test('What another owner has not made whole takes the place of nothing that is', async (t) => {
  const { held, make, pointed, settings, trimmed } = await openMaking()
  for (let round = 0; round < 2; round++) t.equal(await make(), 'shard.snapshot.created')
  const whole = [...held]
  for (const number of [90, 91]) {
    await settings.putPointer({ shard: 3, lineageId: line, epoch: 2, number, object: `of the next owner ${number}` })
  }
  t.equal(await make(), 'shard.snapshot.created')
  t.equal(held.size, 2)
  t.ok(held.has(whole[1]!), 'the one before it')
  t.equal(pointed().length, 4)
  t.same(trimmed, [2, 4], 'up to the older one that is whole')
})
