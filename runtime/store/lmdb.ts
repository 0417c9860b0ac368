/** Opens a data directory as a store: its spaces, their group-committed write path, and its failures. */
import { existsSync, renameSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../observe/log.js'
import { checkAddressSpace } from './addressspace.js'
import { groupCommits } from './commits.js'
import { type FileStore, type Space, StoreFailed, StoreUnusable } from './contract.js'
import { withCheckedReads } from './damage.js'
import { checkDataFile, unsyncedMarkerOf } from './datafile.js'
import { dataFileName, prepareDirectory, refuseHalfRestored, syncDirectory, watchDisk, watchFile } from './directory.js'
import { type Environment, openEnvironment } from './environment.js'
import { keyBytes } from './key.js'
import { store as limits } from './limits.js'
import { lockDirectory } from './lock.js'
import { checkManifest, type Manifest, manifestTable, newManifest } from './manifest.js'
import { createSpace, encodeWrites, ownSpace, spaceOfShard } from './space.js'
import { withWriteBehind } from './writebehind.js'

export interface StoreOptions {
  readonly dir: string
  /** Fixed for the life of the data. */
  readonly shards: number
  /** When a commit resolves: once it would survive a power cut, or once readers see it, with a later write. */
  readonly durability?: 'synced' | 'async'
  /** With 'async', the least time between the beginnings of two transactions. */
  readonly writeBehindMs?: number
  /** Addresses reserved for the data at the start; the data may outgrow them. */
  readonly mapBytes?: number
  readonly log?: Pick<Log, 'warn' | 'error'>
  /** Free bytes on the disk of the data; absent: the file system reports them. */
  readonly freeBytes?: () => number
  /** The source of randomness for the ids of new data. */
  readonly random?: (bytes: number) => Uint8Array
}

/** Opens the data in `dir`, creates it when there is none, and locks the directory until the store is closed. */
export async function openStore(options: StoreOptions): Promise<FileStore> {
  const { dir, durability = 'synced', mapBytes = limits.mapBytes } = options
  checkAddressSpace(mapBytes)
  prepareDirectory(dir)
  refuseHalfRestored(dir)
  const lock = await lockDirectory(dir)
  let environment: Environment | undefined
  try {
    const path = join(dir, dataFileName)
    if (!existsSync(path)) {
      refuseMissing(path)
      await createData(path, options)
    }
    checkDataFile(path)
    await syncFile(path)
    environment = openEnvironment(path, mapBytes)
    const manifest = readManifest(environment, options)
    if (durability === 'async') environment = withWriteBehind(environment, options.writeBehindMs)
    return createStore(withCheckedReads(environment, dir), manifest, options, lock.release)
  } catch (error) {
    await environment?.close()
    await lock.release()
    if (error instanceof StoreUnusable) throw error
    throw new StoreUnusable(`The data in ${dir} cannot be opened: ${(error as Error).message}.`, { cause: error })
  }
}

/**
 * LMDB leaves its lock file beside data that it has opened: an empty installation in the place of lost data would hide
 * the loss.
 */
function refuseMissing(path: string): void {
  const leftovers = [`${path}-lock`, unsyncedMarkerOf(path)].filter((name) => existsSync(name))
  if (leftovers.length === 0) return
  throw new StoreUnusable(
    `The data file ${path} is missing, and there was one: ${leftovers.join(' and ')} is left of it. Put a backup in its ` +
      'place, or empty the directory to start over.',
  )
}

/** Built under another name and renamed when complete, so a data file that exists is complete. */
async function createData(path: string, { dir, shards, mapBytes, random }: StoreOptions): Promise<void> {
  const unfinished = `${path}.new`
  const leftovers = [unfinished, `${unfinished}-lock`]
  for (const name of leftovers) rmSync(name, { force: true })
  try {
    const environment = openEnvironment(unfinished, mapBytes)
    const changes = encodeWrites([{ table: manifestTable, key: [], value: newManifest(shards, random) }])
    await environment.write([{ space: ownSpace, changes }]).finally(environment.close)
    renameSync(unfinished, path)
    syncDirectory(dir)
  } finally {
    for (const name of leftovers) rmSync(name, { force: true })
  }
}

/** A killed process may have left a transaction that is visible and not yet on the disk. */
async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r')
  await file.datasync().finally(() => file.close())
}

/** The first format had no spaces: there the first bytes of the manifest's key are read as the number of a space. */
function readManifest(environment: Environment, options: StoreOptions): Manifest {
  const key = keyBytes(manifestTable, [])
  const bytes = environment.get(ownSpace, key) ?? environment.get(key.readUInt16BE(0), key.subarray(2))
  return checkManifest(bytes, options)
}

function createStore(
  environment: Environment,
  opened: Manifest,
  options: StoreOptions,
  release: () => Promise<void>,
): FileStore {
  const { dir, log, shards } = options
  const diskRefusal = watchDisk(dir, log, options.freeBytes)
  const fileRefusal = watchFile(dir, log)
  const refusal = () => environmentFailure() ?? fileRefusal() ?? diskRefusal()
  const commits = groupCommits({ write: environment.write, refusal, errorFrom: commitError })
  const spaceOptions = { environment, commit: commits.add, isClosed: () => closing !== undefined }
  const own = createSpace(ownSpace, spaceOptions)
  const spaces: Space[] = []
  let manifest = opened
  let closing: Promise<void> | undefined
  let environmentFailed: Error | undefined
  /** Copies in progress; the file stays open until they end. */
  const copies = new Set<Promise<void>>()

  function environmentFailure(): Error | undefined {
    const cause = environment.failure()
    if (cause) environmentFailed ??= cause instanceof StoreFailed ? cause : commitError(cause)
    return environmentFailed
  }

  function commitError(cause: unknown): Error {
    const reason = cause instanceof Error ? cause.message : String(cause)
    log?.error('store.commit.failed', { dir, error: cause })
    return new StoreFailed(
      `Writing the data in ${dir} failed: ${reason}. Nothing more is written until the process is started again.`,
      { cause },
    )
  }

  async function copyTo(path: string): Promise<void> {
    await environment.copyTo(path)
    const copy = await open(path, 'r')
    await copy.sync().finally(() => copy.close())
  }

  return {
    space(shard) {
      if (!Number.isInteger(shard) || shard < 0 || shard >= shards) throw new Error(`there is no shard ${shard}`)
      spaces[shard] ??= createSpace(spaceOfShard(shard), spaceOptions)
      return spaces[shard]
    },
    own,
    get identity() {
      return { installation: manifest.installation, node: manifest.node }
    },
    async adopt(installation) {
      const adopted = { ...manifest, installation }
      await own.commit(own.encode([{ table: manifestTable, key: [], value: adopted }]))
      manifest = adopted
    },
    async copyTo(path) {
      if (closing) throw new StoreFailed('The store is closed.')
      const copying = copyTo(path).finally(() => copies.delete(copying))
      copies.add(copying)
      await copying
    },
    failure: () => commits.failure() ?? refusal(),
    close() {
      closing ??= commits
        .waitUntilIdle()
        .then(() => Promise.allSettled(copies))
        .then(environment.close)
        .then(environmentFailure)
        .then(release)
      return closing
    },
  }
}
