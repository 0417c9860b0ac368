/** What the installation has settled, known to every node as it is now: moves by hand, and where snapshots are. */
import type { Bucket } from '../../nats/contract.js'
import { decodePlain, encodePlain } from '../../store/codec.js'
import { installationRecord } from './installation.js'

/**
 * Where a snapshot is, or was to be put, and what it is of. Each has an object of its own, so nobody overwrites another
 * owner's.
 */
export interface SnapshotPointer {
  readonly shard: number
  readonly lineageId: string
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
  hasStarted(shard: number): boolean
  markStarted(shard: number): Promise<void>
  /** Newest first. */
  snapshotsOf(shard: number): readonly SnapshotPointer[]
  putPointer(pointer: SnapshotPointer): Promise<void>
  removePointer(pointer: SnapshotPointer): Promise<void>
  stop(): void
}

/** `onInstallationLost` is called when the record of the installation is there no more: the servers have lost what was settled. */
export function openSettings(bucket: Bucket, onChange: () => void, onInstallationLost: () => void): Settings {
  const pins = new Map<number, string>()
  const startedShards = new Set<number>()
  const pointers = new Map<string, SnapshotPointer>()
  let unwatch: (() => void) | undefined

  function applyRecord(key: string, value: Uint8Array | undefined): void {
    const [kind, shard] = key.split('.')
    if (kind === 'pin') {
      if (value) pins.set(Number(shard), decodePlain(value) as string)
      else pins.delete(Number(shard))
      onChange()
    } else if (key === installationRecord) {
      if (!value) onInstallationLost()
    } else if (kind === 'begun') {
      if (value) startedShards.add(Number(shard))
    } else if (kind === 'snapshot') {
      if (value) pointers.set(key, decodePlain(value) as SnapshotPointer)
      else pointers.delete(key)
    }
  }

  return {
    async start() {
      unwatch ??= await bucket.watch((key, { value }) => applyRecord(key, value))
    },
    pinned: (shard) => pins.get(shard),
    async pin(shard, node) {
      if (node === undefined) await bucket.remove(pinKey(shard))
      else await bucket.put(pinKey(shard), encodePlain(node))
    },
    hasStarted: (shard) => startedShards.has(shard),
    async markStarted(shard) {
      await bucket.put(`begun.${shard}`, encodePlain(true))
    },
    snapshotsOf(shard) {
      const ofShard = [...pointers.values()].filter((pointer) => pointer.shard === shard)
      return ofShard.sort((a, b) => b.epoch - a.epoch || b.number - a.number)
    },
    async putPointer(pointer) {
      await bucket.put(pointerKey(pointer), encodePlain(pointer))
    },
    async removePointer(pointer) {
      await bucket.remove(pointerKey(pointer))
    },
    stop: () => unwatch?.(),
  }
}

function pinKey(shard: number): string {
  return `pin.${shard}`
}

function pointerKey({ shard, epoch, number, lineageId }: SnapshotPointer): string {
  return `snapshot.${shard}.${epoch}.${number}.${lineageId}`
}
