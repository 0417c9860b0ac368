/**
 * Durable settings of the installation, watched by every node: pins of shards, started shards, and pointers to
 * snapshots.
 */
import type { Bucket } from '../../nats/contract.js'
import { decodePlain, encodePlain } from '../../store/codec.js'
import { installationRecord } from './installation.js'

/**
 * The location of a snapshot, which may be incomplete, and its position. Each snapshot has its own object, so no owner
 * overwrites that of another.
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
  /** The node to which an operator moved the shard. */
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

/**
 * `onInstallationLost` is called when the record of the installation was removed: the servers have lost the settings.
 */
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
