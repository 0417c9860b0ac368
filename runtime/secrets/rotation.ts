/**
 * Rotation of the root key of a data directory that no node has open: reseals everything under the new key in a single
 * transaction, so an interrupted rotation leaves data that is complete under one key or the other.
 */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Commit } from '../store/commits.js'
import { clusterTable, type Key, StoreFailed, StoreUnusable, type Table } from '../store/contract.js'
import { checkDataFile } from '../store/datafile.js'
import { dataFileName, refuseHalfRestored } from '../store/directory.js'
import { type Environment, openEnvironment } from '../store/environment.js'
import { keyBytes as tableKeyBytes } from '../store/key.js'
import { lockDirectory } from '../store/lock.js'
import { checkManifest, manifestTable } from '../store/manifest.js'
import { createSpace, encodeWrites, ownSpace, spaceOfShard } from '../store/space.js'
import { activateNextKey, loadOrCreateSecretKey, resolveDataKey, writeNextKey } from './rootkey.js'
import {
  checkRootKey,
  dataKeysIn,
  type KeyVerdict,
  newRootSecrets,
  rootKeyError,
  rootSecretsTable,
  type Spaces,
  sealRootSecrets,
} from './rootsecrets.js'
import { keyBytes, openDataKey, sealDataKey } from './seal.js'
import { dataKeyTable } from './sealer.js'

export interface Rotation {
  readonly dir: string
  readonly shards: number
  /** The current and the new key, where the key is configured and not a file of the directory. */
  readonly configured?: { readonly before: string; readonly after: Buffer }
}

/**
 * Returns the number of org keys that were resealed. Throws StoreUnusable, SecretKeyUnusable or RootKeyMismatch with a
 * sentence.
 */
export async function rotateRootKey({ dir, shards, configured }: Rotation): Promise<number> {
  const path = join(dir, dataFileName)
  if (!existsSync(path)) throw new StoreUnusable(`There is no data in ${dir}, and so no root key to rotate.`)
  refuseHalfRestored(dir)
  const lock = await lockDirectory(dir)
  let environment: Environment | undefined
  try {
    const secret = loadOrCreateSecretKey(dir, configured?.before)
    checkDataFile(path)
    environment = openEnvironment(path)
    const spaces = createReaders(environment)
    checkRotatable(environment, spaces, { dir, shards })
    const before = resolveDataKey(dir, secret, (key) => checkRootKey(spaces, shards, key))
    const after = configured?.after ?? randomBytes(keyBytes)
    const commits = resealAll(spaces, { dir, shards, before, after })
    if (!configured) writeNextKey(dir, after)
    await environment.write(commits)
    if (!configured) activateNextKey(dir)
    return commits.length - 1
  } finally {
    await environment?.close()
    await lock.release()
  }
}

/** The verdict of the data in a directory that no node has open on each key. Changes nothing. */
export async function checkKeysOf(dir: string, shards: number, keys: readonly Buffer[]): Promise<KeyVerdict[]> {
  const path = join(dir, dataFileName)
  checkDataFile(path)
  const environment = openEnvironment(path)
  try {
    return keys.map((key) => checkRootKey(createReaders(environment), shards, key))
  } finally {
    await environment.close()
  }
}

function createReaders(environment: Environment): Spaces {
  const commit = () => ({ done: Promise.reject(new StoreFailed('Only read.')), flush() {} })
  const createReader = (number: number) => createSpace(number, { environment, commit, isClosed: () => false })
  return { own: createReader(ownSpace), space: (shard) => createReader(spaceOfShard(shard)) }
}

function checkRotatable(environment: Environment, { own }: Spaces, about: { dir: string; shards: number }): void {
  const { dir } = about
  checkManifest(environment.get(ownSpace, tableKeyBytes(manifestTable, [])), about)
  if (own.get(clusterTable, [])) {
    throw new StoreUnusable(
      `The data in ${dir} belongs to a node of a cluster, whose nodes share one root key. Rotating that is not possible yet.`,
    )
  }
}

/** The last of the commits is that of the secrets; user ids depend on the one that stays. */
function resealAll(
  spaces: Spaces,
  { dir, shards, before, after }: { dir: string; shards: number; before: Buffer; after: Buffer },
): Commit[] {
  const verdict = checkRootKey(spaces, shards, before)
  if (verdict === 'wrong') throw rootKeyError(dir)
  const fresh = newRootSecrets()
  const identity = verdict === 'absent' ? fresh.identity : verdict.secrets.identity
  const commits = Array.from(dataKeysIn(spaces, shards), ({ shard, orgId, sealed }) => {
    const value = sealDataKey(after, openDataKey(before, sealed, orgId), orgId)
    return {
      space: spaceOfShard(shard),
      changes: encodeWrites([{ table: dataKeyTable as AnyTable, key: [orgId], value }]),
    }
  })
  const value = sealRootSecrets(after, { identity, signing: fresh.signing })
  return [
    ...commits,
    { space: ownSpace, changes: encodeWrites([{ table: rootSecretsTable as AnyTable, key: [], value }]) },
  ]
}

type AnyTable = Table<Key, unknown>
