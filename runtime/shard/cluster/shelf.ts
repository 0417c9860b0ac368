/** The snapshots of one shard: when to make one, where it is put, and which one a copy can be made from. */
import { cluster as limits } from '../../../core/limits.js'
import type { Clock } from '../../clock.js'
import type { Log as CommitLog, ObjectStore } from '../../nats/contract.js'
import type { Log } from '../../observe/log.js'
import type { Space } from '../../store/contract.js'
import type { Copy, Position } from './copy.js'
import type { Settings } from './settings.js'
import { readSnapshot, writeSnapshot } from './snapshot.js'

export interface Shelf {
  /** Makes the copy from the newest snapshot of that line behind which the log goes on; false when there is none. */
  load(copy: Copy, line: string, first: number): Promise<boolean>
  /** Puts up this node's state as the beginning of a new line, where its first entry will lead. */
  found(head: Position): Promise<void>
  /** Makes snapshots of a shard that this node owns, as its log grows. */
  keeper(copy: Copy, line: string): Keeper
}

export interface Keeper {
  /** The log has one more entry of that size. */
  grown(bytes: number): void
  stop(): void
}

export function openShelf(options: {
  number: number
  space: Space
  log: CommitLog
  snapshots: ObjectStore
  settings: Settings
  clock: Clock
  say: Log
}): Shelf {
  const { number: shard, space, log, snapshots, settings, clock, say } = options

  /** Resolves with its size. */
  async function put(head: Position, position: () => Position, wanted: () => boolean): Promise<number> {
    const { line, epoch, number } = head
    const object = `shard-${shard}-${epoch}-${number}-${line}`
    let bytes = 0
    async function pace(): Promise<void> {
      await new Promise<void>((next) => clock.soon(next))
      if (!wanted()) throw new Error('the snapshot is not wanted any more')
    }
    async function* counted(): AsyncGenerator<Buffer> {
      for await (const part of writeSnapshot(space, head, position, pace)) {
        bytes += part.length
        yield part
      }
    }
    // Pointed at before it is there: what is left of one that never becomes whole is found, and goes with the next.
    await settings.point({ shard, line, epoch, number, object })
    await snapshots.put(object, counted())
    return bytes
  }

  /**
   * The snapshot that was made and the one of its line before it stay, with the log behind the older one: whoever is
   * loading that one has until the next is made to catch up. Newer ones, which may never become whole, decide nothing.
   */
  async function tidy({ line, epoch, number }: Position): Promise<void> {
    const all = settings.snapshotsOf(shard)
    const made = all.findIndex((each) => each.line === line && each.epoch === epoch && each.number === number)
    if (made < 0) return
    const older = all.slice(made + 1)
    const before = older.find((pointer) => pointer.line === line)
    for (const pointer of older) {
      if (pointer === before) continue
      await snapshots.remove(pointer.object)
      await settings.unpoint(pointer)
    }
    const upTo = Math.min(before?.number ?? 0, number - limits.entriesKept)
    if (upTo > 0) await log.trim(upTo)
  }

  return {
    async load(copy, line, first) {
      for (const pointer of settings.snapshotsOf(shard)) {
        if (pointer.line !== line || pointer.number + 1 < first) continue
        try {
          const parts = await snapshots.get(pointer.object)
          if (!parts) continue
          await copy.load(readSnapshot(parts))
          return true
        } catch (error) {
          say.warn('shard.snapshot.unreadable', { shard, object: pointer.object, error })
        }
      }
      return false
    },
    async found(head) {
      await put(
        head,
        () => head,
        () => true,
      )
    },
    keeper(copy, line) {
      const newest = settings.snapshotsOf(shard).find((pointer) => pointer.line === line)
      let entries = Math.max(0, copy.position().number - (newest?.number ?? 0))
      let bytes = 0
      /** Size of the last snapshot: the next waits until the log has grown by as much, so it never costs more than the log does. */
      let lastBytes = 0
      let making = false
      let stopped = false

      function isDue(): boolean {
        return (entries >= limits.snapshotEntries || bytes >= limits.snapshotBytes) && bytes >= lastBytes
      }

      async function make(): Promise<void> {
        const head = copy.position()
        entries = 0
        bytes = 0
        lastBytes = await put(head, copy.position, () => !stopped)
        if (stopped) return
        await tidy(head)
        say.info('shard.snapshot.made', { shard, line, number: head.number, bytes: lastBytes })
      }

      return {
        grown(grownBytes) {
          entries++
          bytes += grownBytes
          if (making || stopped || !isDue()) return
          making = true
          make()
            .catch((error) => {
              if (!stopped) say.warn('shard.snapshot.failed', { shard, error })
            })
            .finally(() => {
              making = false
            })
        },
        stop() {
          stopped = true
        },
      }
    },
  }
}
