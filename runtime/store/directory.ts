/** The data directory: the names of its files, whether it can be used, and how full its disk is. */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Log } from '../observe/log.js'
import { StoreFailed, StoreUnusable } from './contract.js'
import { store as limits } from './limits.js'

export const dataFileName = 'store.mdb'
/**
 * A restore collects the files of a backup here; while the folder exists, the other files of the directory do not
 * count.
 */
export const restoringFolder = 'restoring'

/**
 * Creates the folder and its missing parents, for their owner alone. Node's recursive `mkdir` never ends where the
 * system reports ENOENT for a folder inside an existing one, as /proc does.
 */
function makeFolders(dir: string): void {
  try {
    makeFolder(dir)
  } catch (error) {
    const above = dirname(dir)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === dir) throw error
    makeFolders(above)
    makeFolder(dir)
  }
}

function makeFolder(dir: string): void {
  try {
    mkdirSync(dir, { mode: 0o700 })
  } catch (error) {
    const isDirectory = statSync(dir, { throwIfNoEntry: false })?.isDirectory()
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !isDirectory) throw error
  }
}

/** Creates the directory where none exists; only its owner may enter it. */
export function prepareDirectory(dir: string): void {
  try {
    makeFolders(dir)
    accessSync(dir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' || code === 'ENOTDIR') {
      throw new StoreUnusable(`The data directory ${dir} is a file, or lies below one. Name a directory.`)
    }
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
      throw new StoreUnusable(`The data directory ${dir} cannot be written to (${code}). Give this user the right to.`)
    }
    throw new StoreUnusable(`The data directory ${dir} cannot be used: ${message}.`)
  }
}

/** An interrupted restore is no data, and an empty installation in its place would look like a loss. */
export function refuseHalfRestored(dir: string): void {
  if (!existsSync(join(dir, restoringFolder))) return
  throw new StoreUnusable(
    `A restore into the data directory ${dir} was cut short. Restore again, or empty the directory.`,
  )
}

/** Makes names that were created or renamed in the directory survive a power cut. */
export function syncDirectory(dir: string): void {
  const folder = openSync(dir, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

const mebibyte = 1024 * 1024

/**
 * Called before each group of commits: the reason why the disk has no room for one, if any. The node stops while some
 * space is left for the system and for the operator who frees space, and continues when space is back.
 */
export function watchDisk(
  dir: string,
  log?: Pick<Log, 'warn'>,
  freeBytes: () => number = () => freeBytesAt(dir),
): () => Error | undefined {
  let refusal: StoreFailed | undefined
  function refuse(reason: string, fields: Record<string, unknown>): StoreFailed {
    log?.warn('store.disk.low', { dir, ...fields })
    return new StoreFailed(`${reason}, so nothing is written. Writing goes on by itself when that is mended.`)
  }
  return () => {
    try {
      const free = freeBytes()
      if (free < limits.freeDiskBytes) {
        refusal ??= refuse(`The disk of ${dir} has less than ${limits.freeDiskBytes / mebibyte} MiB left`, {
          freeBytes: free,
        })
      } else if (refusal) {
        log?.warn('store.disk.recovered', { dir, freeBytes: free })
        refusal = undefined
      }
    } catch (error) {
      refusal ??= refuse(`The disk of ${dir} does not say how much room it has`, { error })
    }
    return refusal
  }
}

/**
 * Called before each group of commits: whether the data file that was opened still has its name. Writes to a removed
 * file are lost when the process ends.
 */
export function watchFile(dir: string, log?: Pick<Log, 'error'>): () => Error | undefined {
  const path = join(dir, dataFileName)
  const inode = statSync(path).ino
  let refusal: StoreFailed | undefined
  return () => {
    if (statSync(path, { throwIfNoEntry: false })?.ino === inode) {
      refusal = undefined
    } else if (!refusal) {
      log?.error('store.file_missing', { dir })
      refusal = new StoreFailed(
        `The data file ${path} was removed or replaced while in use, so nothing is written. Put it back, or stop the node and restore a backup.`,
      )
    }
    return refusal
  }
}

export function freeBytesAt(dir: string): number {
  const disk = statfsSync(dir)
  return disk.bavail * disk.bsize
}
