/** A file that `copyTo` made, opened only to be read: what the data says of itself, and its spaces. */
import { rmSync } from 'node:fs'
import { type About, aboutTable } from './about.js'
import { type Reader, StoreFailed, StoreUnusable } from './contract.js'
import { checkDataFile } from './datafile.js'
import { openEnvironment } from './environment.js'
import { ownSpace, spaceOfShard, spaceOver } from './space.js'

export interface Copied {
  readonly about: About
  space(shard: number): Reader
  /** Leaves nothing beside the file. */
  close(): Promise<void>
}

/** Throws StoreUnusable for a file that is not whole, or not the data of a node. */
export async function openCopied(path: string): Promise<Copied> {
  checkDataFile(path)
  const environment = openEnvironment(path, { sync: false })
  let isClosed = false
  const commit = () => ({ done: Promise.reject(new StoreFailed('A copy is only read.')), press() {} })
  const space = (number: number) => spaceOver(number, { environment, commit, isClosed: () => isClosed })

  async function close(): Promise<void> {
    isClosed = true
    await environment.close()
    rmSync(`${path}-lock`, { force: true })
  }

  const about = space(ownSpace).get(aboutTable, [])
  if (!about) {
    await close()
    throw new StoreUnusable(`The file ${path} does not hold the data of a node.`)
  }
  return { about, space: (shard) => space(spaceOfShard(shard)), close }
}
