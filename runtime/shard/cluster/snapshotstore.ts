/** Snapshots of one shard: when to make one, where it is stored, and from which one a copy is loaded. */

import type { Clock } from '../../clock.js'
import type { Log as CommitLog, ObjectStore } from '../../nats/contract.js'
import type { Log } from '../../observe/log.js'
import type { Space } from '../../store/contract.js'
import type { ClusterLimits } from '../limits.js'
import type { Copy, Position } from './copy.js'
import type { Settings } from './settings.js'
import { readSnapshot, writeSnapshot } from './snapshotcodec.js'

export interface SnapshotStore {
  /** Loads the copy from the newest snapshot of that lineage from which the log continues; false when there is none. */
  load(copy: Copy, lineageId: string, first: number): Promise<boolean>
  /** Stores this node's state as the beginning of a new lineage, at the position of its first entry. */
  putSeed(head: Position): Promise<void>
  /** Makes snapshots of a shard that this node owns, as its log grows. */
  createSnapshotter(copy: Copy, lineageId: string): Snapshotter
}

export interface Snapshotter {
  /** The log has one more entry of that size. */
  addEntry(bytes: number): void
  stop(): void
}

export function createSnapshotStore(options: {
  number: number
  space: Space
  log: CommitLog
  objects: ObjectStore
  settings: Settings
  clock: Clock
  limits: ClusterLimits
  logger: Log
}): SnapshotStore {
  const { number: shard, space, log, objects, settings, clock, limits, logger } = options

  /** Resolves with the size of the snapshot. */
  async function putSnapshot(head: Position, position: () => Position, isNeeded: () => boolean): Promise<number> {
    const { lineageId, epoch, number } = head
    const object = `shard-${shard}-${epoch}-${number}-${lineageId}`
    let bytes = 0
    async function pace(): Promise<void> {
      await new Promise<void>((next) => clock.nextTick(next))
      if (!isNeeded()) throw new Error('the snapshot is not wanted any more')
    }
    async function* counted(): AsyncGenerator<Buffer> {
      for await (const part of writeSnapshot({ space, head, position, pace, limits })) {
        bytes += part.length
        yield part
      }
    }
    // The pointer is stored before the object: the rest of an incomplete snapshot is then found, and removed with the
    // next one.
    await settings.putPointer({ shard, lineageId, epoch, number, object })
    await objects.put(object, counted())
    return bytes
  }

  /**
   * Keeps the new snapshot and the previous one of its lineage, with the log behind the older one: a node that is
   * loading the older one can catch up until the next is made. Newer snapshots, which may stay incomplete, do not
   * count.
   */
  async function removeOldSnapshots({ lineageId, epoch, number }: Position): Promise<void> {
    const all = settings.snapshotsOf(shard)
    const index = all.findIndex(
      (each) => each.lineageId === lineageId && each.epoch === epoch && each.number === number,
    )
    if (index < 0) return
    const older = all.slice(index + 1)
    const predecessor = older.find((pointer) => pointer.lineageId === lineageId)
    for (const pointer of older) {
      if (pointer === predecessor) continue
      await objects.remove(pointer.object)
      await settings.removePointer(pointer)
    }
    const upTo = Math.min(predecessor?.number ?? 0, number - limits.entriesKept)
    if (upTo > 0) await log.trim(upTo)
  }

  return {
    async load(copy, lineageId, first) {
      for (const pointer of settings.snapshotsOf(shard)) {
        if (pointer.lineageId !== lineageId || pointer.number + 1 < first) continue
        try {
          const parts = await objects.get(pointer.object)
          if (!parts) continue
          await copy.load(readSnapshot(parts))
          return true
        } catch (error) {
          logger.warn('shard.snapshot.unreadable', { shard, object: pointer.object, error })
        }
      }
      return false
    },
    async putSeed(head) {
      await putSnapshot(
        head,
        () => head,
        () => true,
      )
    },
    createSnapshotter(copy, lineageId) {
      const newest = settings.snapshotsOf(shard).find((pointer) => pointer.lineageId === lineageId)
      let entries = Math.max(0, copy.position().number - (newest?.number ?? 0))
      let bytes = 0
      /**
       * Size of the last snapshot: the next waits until the log has grown by as much, so snapshots never write more
       * bytes than the log.
       */
      let lastBytes = 0
      let isMaking = false
      let stopped = false

      function isDue(): boolean {
        return (entries >= limits.snapshotEntries || bytes >= limits.snapshotBytes) && bytes >= lastBytes
      }

      async function makeSnapshot(): Promise<void> {
        const head = copy.position()
        entries = 0
        bytes = 0
        lastBytes = await putSnapshot(head, copy.position, () => !stopped)
        if (stopped) return
        await removeOldSnapshots(head)
        logger.info('shard.snapshot.created', { shard, line: lineageId, number: head.number, bytes: lastBytes })
      }

      return {
        addEntry(entryBytes) {
          entries++
          bytes += entryBytes
          if (isMaking || stopped || !isDue()) return
          isMaking = true
          makeSnapshot()
            .catch((error) => {
              if (!stopped) logger.warn('shard.snapshot.failed', { shard, error })
            })
            .finally(() => {
              isMaking = false
            })
        },
        stop() {
          stopped = true
        },
      }
    },
  }
}
