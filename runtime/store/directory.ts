/** The directory that holds the data: what its files are called, whether it can be used, and how full its disk is. */
import { accessSync, closeSync, constants, fsyncSync, mkdirSync, openSync, statfsSync } from 'node:fs'
import { store as limits } from '../../core/limits.js'
import type { Log } from '../observe/log.js'
import { StoreFailed, StoreUnusable } from './contract.js'

export const dataFileName = 'store.mdb'

/** Makes the directory where there is none; only its owner may enter it. */
export function prepareDirectory(dir: string): void {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
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

/** Makes names that were created or moved in the directory survive a power cut. */
export function syncDirectory(dir: string): void {
  const folder = openSync(dir, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/**
 * Asked before each group of commits: why none can be taken just now, if so. Stopping while there is still room keeps
 * the disk's last bytes for the system and for whoever comes to clear it, and lets the node go on when space is back.
 */
export function watchDisk(
  dir: string,
  log?: Pick<Log, 'warn'>,
  freeBytes: () => number = () => freeBytesAt(dir),
): () => Error | undefined {
  let refusal: StoreFailed | undefined
  function refuse(why: string, about: Record<string, unknown>): StoreFailed {
    log?.warn('store.disk.low', { dir, ...about })
    return new StoreFailed(`${why}, so nothing is written. Writing goes on by itself when that is mended.`)
  }
  return () => {
    try {
      const free = freeBytes()
      if (free < limits.freeDiskBytes) {
        refusal ??= refuse(`The disk of ${dir} has less than ${limits.freeDiskBytes} bytes left`, { freeBytes: free })
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

function freeBytesAt(dir: string): number {
  const disk = statfsSync(dir)
  return disk.bavail * disk.bsize
}
