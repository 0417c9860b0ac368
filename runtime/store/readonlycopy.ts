/** A copy of the data file, as `copyTo` makes it, opened for reading: its manifest and its spaces. */
import { rmSync } from 'node:fs'
import { type Reader, StoreFailed, StoreUnusable } from './contract.js'
import { checkDataFile } from './datafile.js'
import { openEnvironment } from './environment.js'
import { type Manifest, manifestTable } from './manifest.js'
import { createSpace, ownSpace, spaceOfShard } from './space.js'

export interface ReadOnlyCopy {
  readonly manifest: Manifest
  space(shard: number): Reader
  /** Closes the file and removes LMDB's lock file. */
  close(): Promise<void>
}

/** Throws StoreUnusable for a file that is incomplete, or not the data of a node. */
export async function openReadOnlyCopy(path: string): Promise<ReadOnlyCopy> {
  checkDataFile(path)
  const environment = openEnvironment(path)
  let isClosed = false
  const commit = () => ({ done: Promise.reject(new StoreFailed('A copy is only read.')), flush() {} })
  const space = (number: number) => createSpace(number, { environment, commit, isClosed: () => isClosed })

  async function close(): Promise<void> {
    isClosed = true
    await environment.close()
    rmSync(`${path}-lock`, { force: true })
  }

  const manifest = space(ownSpace).get(manifestTable, [])
  if (!manifest) {
    await close()
    throw new StoreUnusable(`The file ${path} does not hold the data of a node.`)
  }
  return { manifest, space: (shard) => space(spaceOfShard(shard)), close }
}
