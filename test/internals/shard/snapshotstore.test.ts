/** The shelf of a shard's snapshots: what is left on it, however making one went. */
import t from 'tap'
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
import { cluster } from '../../../runtime/shard/limits.js'
import type { Space } from '../../../runtime/store/contract.js'
import { manualClock, waitUntil } from '../../harness/clock.js'

const limits = { ...cluster, snapshotEntries: 2, entriesKept: 1 }

const lineageId = '0011223344556677'

function memoryBucket(): Bucket {
  const values = new Map<string, Uint8Array>()
  const watchers: ((key: string, stored: KvEntry) => void)[] = []
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

/**
 * Servers that hold whatever came, also of what never became whole, and can fail in the middle of a put or a removal.
 */
function memorySnapshots() {
  const stored = new Set<string>()
  const failing = { put: false, remove: false }
  const snapshots: ObjectStore = {
    async put(name, parts) {
      for await (const _ of parts) stored.add(name)
      if (failing.put) throw new BusUnreachable('the servers went away')
    },
    get: async () => undefined,
    async remove(name) {
      if (failing.remove) throw new BusUnreachable('the servers went away')
      stored.delete(name)
    },
  }
  return { stored, failing, snapshots }
}

async function openSnapshotter() {
  const { stored, failing, snapshots } = memorySnapshots()
  const settings = openSettings(
    memoryBucket(),
    () => {},
    () => {},
  )
  await settings.start()
  let position: Position = { lineageId, epoch: 1, owner: 'ann/1', number: 1 }
  const made: string[] = []
  const trimmed: number[] = []
  const log = { info: (event: string) => made.push(event), warn: (event: string) => made.push(event) }
  const snapshotStore = createSnapshotStore({
    number: 3,
    space: { rows: () => [] } as unknown as Space,
    log: { trim: async (upTo: number) => void trimmed.push(upTo) } as unknown as Log,
    objects: snapshots,
    settings,
    clock: manualClock(),
    limits,
    logger: log as never,
  })
  const snapshotter = snapshotStore.createSnapshotter({ position: () => position } as Copy, lineageId)
  /** Lets the log grow until a snapshot is made, or is not. */
  async function make(): Promise<string> {
    const before = made.length
    for (let entry = 0; entry < limits.snapshotEntries; entry++) {
      position = { ...position, number: position.number + 1 }
      snapshotter.addEntry(1_000)
    }
    await waitUntil(() => made.length > before)
    return made.at(-1)!
  }
  const snapshotObjects = () => settings.snapshotsOf(3).map(({ object }) => object)
  return { stored, failing, make, snapshotObjects, settings, trimmed }
}

t.test('What was left of a snapshot that was never whole goes when the next ones are made', async (t) => {
  const { stored, failing, make, snapshotObjects } = await openSnapshotter()
  t.equal(await make(), 'shard.snapshot.created')
  failing.put = true
  t.equal(await make(), 'shard.snapshot.failed')
  t.equal(stored.size, 2)
  failing.put = false
  for (let round = 0; round < 2; round++) t.equal(await make(), 'shard.snapshot.created')
  t.equal(stored.size, 2, 'the newest and the one before it')
  t.same([...stored].sort(), snapshotObjects().sort())
})

t.test('A snapshot that could not be removed is removed with the next', async (t) => {
  const { stored, failing, make, snapshotObjects } = await openSnapshotter()
  for (let round = 0; round < 2; round++) t.equal(await make(), 'shard.snapshot.created')
  failing.remove = true
  t.equal(await make(), 'shard.snapshot.failed')
  failing.remove = false
  t.equal(await make(), 'shard.snapshot.created')
  t.equal(stored.size, 2)
  t.same([...stored].sort(), snapshotObjects().sort())
})

t.test('What another owner has not made whole takes the place of nothing that is', async (t) => {
  const { stored, make, snapshotObjects, settings, trimmed } = await openSnapshotter()
  for (let round = 0; round < 2; round++) t.equal(await make(), 'shard.snapshot.created')
  const allStored = [...stored]
  for (const number of [90, 91]) {
    await settings.putPointer({ shard: 3, lineageId, epoch: 2, number, object: `of the next owner ${number}` })
  }
  t.equal(await make(), 'shard.snapshot.created')
  t.equal(stored.size, 2)
  t.ok(stored.has(allStored[1]!), 'the one before it')
  t.equal(snapshotObjects().length, 4)
  t.same(trimmed, [2, 4], 'up to the older one that is whole')
})
