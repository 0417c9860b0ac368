/** Opens the data of a directory as a store: its spaces, their one group-committed write path, and what ends it. */
import { existsSync, renameSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { store as limits } from '../../core/limits.js'
import type { Log } from '../observe/log.js'
import { type About, aboutNew, aboutTable, checkAbout, isEarlier } from './about.js'
import { checkAddressSpace } from './addressspace.js'
import { writtenBehind } from './behind.js'
import { withCheckedReads } from './checkedreads.js'
import { checkpointPath, recoverData, thisBoot } from './checkpoint.js'
import { groupCommits } from './commits.js'
import { type FileStore, type Space, StoreFailed, StoreUnusable } from './contract.js'
import { checkDataFile } from './datafile.js'
import { dataFileName, prepareDirectory, refuseHalfRestored, syncDirectory, watchDisk, watchFile } from './directory.js'
import { type Environment, openEnvironment } from './environment.js'
import { followedBySync } from './following.js'
import { keyBytes } from './key.js'
import { claimDirectory } from './owner.js'
import { carryOver } from './relaid.js'
import { encodeWrites, ownSpace, spaceOfShard, spaceOver } from './space.js'

export interface StoreOptions {
  readonly dir: string
  /** Fixed for the life of the data. */
  readonly shards: number
  /** When a commit resolves: once it would survive a power cut, or already when readers see it, and the disk follows. */
  readonly durability?: 'synced' | 'followed'
  /** With 'followed', how long after a commit the disk is asked to have it. */
  readonly syncAfterMs?: number
  /** Addresses reserved for the data at the start; it may outgrow them. */
  readonly mapBytes?: number
  readonly log?: Pick<Log, 'warn' | 'error'>
  /** Free bytes where the data lies; the file system is asked when absent. */
  readonly freeBytes?: () => number
  /** Where the ids of new data are drawn from. */
  readonly random?: (bytes: number) => Uint8Array
  /** Names this run of the machine; the system is asked when absent. */
  readonly boot?: string
}

/** Opens the data in `dir`, made new when there is none, and holds the directory until the store is closed. */
export async function openStore(options: StoreOptions): Promise<FileStore> {
  const { dir, durability = 'synced', boot = thisBoot(), mapBytes = limits.mapBytes } = options
  checkAddressSpace(mapBytes)
  prepareDirectory(dir)
  refuseHalfRestored(dir)
  const claim = await claimDirectory(dir)
  let environment: Environment | undefined
  try {
    const path = join(dir, dataFileName)
    if (!existsSync(path)) {
      refuseMissing(path)
      await createData(path, options)
    }
    recoverData(path, boot)
    checkDataFile(path)
    const opening = (sync: boolean) => openEnvironment(path, { mapBytes, sync })
    environment = opening(true)
    let about = readAbout(environment, options)
    if (isEarlier(about)) {
      options.log?.warn('store.format.raised', { dir, from: about.format })
      about = await carryOver(environment, about)
    }
    if (durability === 'followed') {
      await environment.close()
      environment = undefined
      environment = opening(false)
    }
    if (durability === 'followed')
      environment = writtenBehind(await followedBySync(environment, { path, boot, afterMs: options.syncAfterMs }))
    return storeOver(withCheckedReads(environment, dir), about, options, claim.release)
  } catch (error) {
    await environment?.close()
    await claim.release()
    if (error instanceof StoreUnusable) throw error
    throw new StoreUnusable(`The data in ${dir} cannot be opened: ${(error as Error).message}.`, { cause: error })
  }
}

/** LMDB leaves its lock beside data it has opened: an empty installation in the place of lost data would hide the loss. */
function refuseMissing(path: string): void {
  const left = [`${path}-lock`, checkpointPath(path)].filter((name) => existsSync(name))
  if (left.length === 0) return
  throw new StoreUnusable(
    `The data file ${path} is missing, and there was one: ${left.join(' and ')} is left of it. Put a backup in its ` +
      'place, or empty the directory to begin anew.',
  )
}

/** Built under another name and moved into place whole, so a data file that exists was finished once. */
async function createData(path: string, { dir, shards, mapBytes, random }: StoreOptions): Promise<void> {
  const unfinished = `${path}.new`
  const leftovers = [unfinished, `${unfinished}-lock`, checkpointPath(path)]
  for (const name of leftovers) rmSync(name, { force: true })
  try {
    const environment = openEnvironment(unfinished, { mapBytes, sync: true })
    const about = encodeWrites([{ table: aboutTable, key: [], value: aboutNew(shards, random) }])
    await environment.write([{ space: ownSpace, changes: about }]).finally(environment.close)
    renameSync(unfinished, path)
    syncDirectory(dir)
  } finally {
    for (const name of leftovers) rmSync(name, { force: true })
  }
}

/** The first format had no spaces, so there the record is found where its key's first bytes are read as one. */
function readAbout(environment: Environment, options: StoreOptions): About {
  const key = keyBytes(aboutTable, [])
  const bytes = environment.get(ownSpace, key) ?? environment.get(key.readUInt16BE(0), key.subarray(2))
  return checkAbout(bytes, options)
}

function storeOver(
  environment: Environment,
  aboutAtFirst: About,
  options: StoreOptions,
  release: () => Promise<void>,
): FileStore {
  const { dir, log, shards } = options
  const diskRefusal = watchDisk(dir, log, options.freeBytes)
  const missing = watchFile(dir, log)
  const refusal = () => syncFailure() ?? missing() ?? diskRefusal()
  const commits = groupCommits({ write: environment.write, refusal, failed })
  const over = { environment, commit: commits.add, isClosed: () => closing !== undefined }
  const own = spaceOver(ownSpace, over)
  const spaces: Space[] = []
  let about = aboutAtFirst
  let closing: Promise<void> | undefined
  let syncFailed: Error | undefined
  /** Under way: the file must not be closed beneath them. */
  const copies = new Set<Promise<void>>()

  function syncFailure(): Error | undefined {
    const cause = environment.failure()
    if (cause) syncFailed ??= cause instanceof StoreFailed ? cause : failed(cause)
    return syncFailed
  }

  function failed(cause: unknown): Error {
    const why = cause instanceof Error ? cause.message : String(cause)
    log?.error('store.commit.failed', { dir, error: cause })
    return new StoreFailed(
      `Writing the data in ${dir} failed: ${why}. Nothing more is written until the process is started again.`,
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
      spaces[shard] ??= spaceOver(spaceOfShard(shard), over)
      return spaces[shard]
    },
    own,
    get about() {
      return { installation: about.installation, node: about.node }
    },
    async adopt(installation) {
      const adopted = { ...about, installation }
      await own.commit(own.encode([{ table: aboutTable, key: [], value: adopted }]))
      about = adopted
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
        .settled()
        .then(() => Promise.allSettled(copies))
        .then(environment.close)
        .then(syncFailure)
        .then(release)
      return closing
    },
  }
}
