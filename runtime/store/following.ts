/** Lets the disk follow: commits are there once written, and a checkpoint makes them durable a moment later. */
import { open } from 'node:fs/promises'
import { store as limits } from '../../core/limits.js'
import { openCheckpointFile } from './checkpoint.js'
import type { Environment } from './environment.js'
import { newestHead } from './head.js'

export interface Following {
  readonly path: string
  readonly boot: string
  readonly afterMs?: number
}

/**
 * `environment` does not sync by itself. A checkpoint is the head as it stands between two transactions, then a sync of
 * the data, then the head put on record; until the next one is on record, a reader that stays at it keeps LMDB from
 * using its pages again. So whatever a power cut leaves of later transactions, the last checkpoint is whole.
 *
 * When the disk fails, the system may have forgotten what it could not write; the checkpoint is then marked as the only
 * state to trust, whoever opens the data next.
 */
export async function followedBySync(environment: Environment, following: Following): Promise<Environment> {
  const { path, boot, afterMs = limits.syncAfterMs } = following
  const data = await open(path, 'r')
  const file = await openCheckpointFile(path)
  let onRecord: Uint8Array | undefined
  let unpin = () => {}
  let failure: Error | undefined
  /** A transaction is under way. */
  let writing = false
  /** Transactions have ended since the last checkpoint was begun. */
  let ahead = false
  let timer: NodeJS.Timeout | undefined
  /** The time for a checkpoint came while a transaction was under way. */
  let overdue = false
  let syncing: Promise<void> | undefined

  async function checkpoint(): Promise<void> {
    ahead = false
    overdue = false
    const unpinThis = environment.pin()
    const { bytes } = newestHead(data.fd)
    await data.datasync()
    await file.write(boot, bytes)
    onRecord = bytes
    unpin()
    unpin = unpinThis
  }

  async function distrust(error: Error): Promise<void> {
    failure = error
    if (onRecord) await file.write('', onRecord).catch(() => undefined)
  }

  function sync(): void {
    syncing = checkpoint()
      .catch(distrust)
      .finally(() => {
        syncing = undefined
        planSync()
      })
  }

  function planSync(): void {
    if (!ahead || timer || syncing || failure) return
    timer = setTimeout(() => {
      timer = undefined
      if (writing) overdue = true
      else sync()
    }, afterMs)
  }

  async function close(): Promise<void> {
    clearTimeout(timer)
    await syncing
    if (ahead && !failure) await checkpoint().catch(distrust)
    unpin()
    await environment.close()
    await data.close()
    await (failure ? file.close() : file.remove())
  }

  try {
    await checkpoint()
  } catch (error) {
    await Promise.allSettled([data.close(), file.close()])
    throw error
  }
  return {
    ...environment,
    async write(commits) {
      writing = true
      try {
        await environment.write(commits)
      } finally {
        writing = false
      }
      ahead = true
      if (overdue) sync()
      else planSync()
    },
    failure: () => failure,
    close,
  }
}
