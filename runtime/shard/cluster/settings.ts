/** What the installation has settled, known to every node as it is now: moves by hand, and where snapshots are. */
import type { Bucket } from '../../nats/contract.js'
import { decodePlain, encodePlain } from '../../store/codec.js'
import { installationRecord } from './join.js'

/**
 * Where a snapshot is, or was to be put, and what it is of. Each has an object of its own, so nobody overwrites another
 * owner's.
 */
export interface SnapshotPointer {
  readonly shard: number
  readonly line: string
  readonly epoch: number
  readonly number: number
  readonly object: string
}

export interface Settings {
  start(): Promise<void>
  /** The node that a shard was moved to by hand. */
  pinned(shard: number): string | undefined
  pin(shard: number, node: string | undefined): Promise<void>
  /** Whether the shard ever had a log. */
  hasBegun(shard: number): boolean
  begin(shard: number): Promise<void>
  /** Newest first. */
  snapshotsOf(shard: number): readonly SnapshotPointer[]
  point(pointer: SnapshotPointer): Promise<void>
  unpoint(pointer: SnapshotPointer): Promise<void>
  stop(): void
}

/** `lost` is called when the record of the installation is there no more: the servers have lost what was settled. */
export function openSettings(bucket: Bucket, changed: () => void, lost: () => void): Settings {
  const pins = new Map<number, string>()
  const begun = new Set<number>()
  const pointers = new Map<string, SnapshotPointer>()
  let unwatch: (() => void) | undefined

  function note(key: string, value: Uint8Array | undefined): void {
    const [what, shard] = key.split('.')
    if (what === 'pin') {
      if (value) pins.set(Number(shard), decodePlain(value) as string)
      else pins.delete(Number(shard))
      changed()
    } else if (key === installationRecord) {
      if (!value) lost()
    } else if (what === 'begun') {
      if (value) begun.add(Number(shard))
    } else if (what === 'snapshot') {
      if (value) pointers.set(key, decodePlain(value) as SnapshotPointer)
      else pointers.delete(key)
    }
  }

  return {
    async start() {
      unwatch ??= await bucket.watch((key, { value }) => note(key, value))
    },
    pinned: (shard) => pins.get(shard),
    async pin(shard, node) {
      if (node === undefined) await bucket.remove(pinKey(shard))
      else await bucket.put(pinKey(shard), encodePlain(node))
    },
    hasBegun: (shard) => begun.has(shard),
    async begin(shard) {
      await bucket.put(`begun.${shard}`, encodePlain(true))
    },
    snapshotsOf(shard) {
      const found = [...pointers.values()].filter((pointer) => pointer.shard === shard)
      return found.sort((a, b) => b.epoch - a.epoch || b.number - a.number)
    },
    async point(pointer) {
      await bucket.put(pointerKey(pointer), encodePlain(pointer))
    },
    async unpoint(pointer) {
      await bucket.remove(pointerKey(pointer))
    },
    stop: () => unwatch?.(),
  }
}

function pinKey(shard: number): string {
  return `pin.${shard}`
}

function pointerKey({ shard, epoch, number, line }: SnapshotPointer): string {
  return `snapshot.${shard}.${epoch}.${number}.${line}`
}
