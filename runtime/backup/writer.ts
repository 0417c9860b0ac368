/** Makes one backup: a consistent copy of the data, its media, the key if requested, and the manifest last. */
import { constants } from 'node:fs'
import { copyFile, mkdir, open, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { backup as limits } from '../../core/limits/index.js'
import { version } from '../config/version.js'
import type { MediaStore, StoredObject } from '../media/contract.js'
import { typeOfName } from '../media/types.js'
import { secretKeyFileName } from '../secrets/rootkey.js'
import type { Engine } from '../shard/contract.js'
import type { FileStore, Key, Reader, Table } from '../store/contract.js'
import { dataFileName, freeBytesAt, syncDirectory } from '../store/directory.js'
import { openReadOnlyCopy } from '../store/readonlycopy.js'
import { type BackupFile, backupFormat, describeFile, type Manifest, manifestName, mediaFolder } from './manifest.js'

/** A table whose records name media objects. */
export interface MediaTable {
  readonly table: Table<Key, unknown>
  nameOf(record: never): string
}

export interface BackupDeps {
  readonly dataDir: string
  readonly store: FileStore
  readonly objects: MediaStore
  readonly mediaTables: readonly MediaTable[]
  readonly engine: Pick<Engine, 'status' | 'inspect'>
  readonly isCluster: boolean
  /** Waits between two polls of the copies. */
  readonly pause: () => Promise<void>
  /** Monotonic milliseconds. */
  readonly elapsed: () => number
}

export interface BackupRequest {
  readonly name: string
  readonly at: string
  readonly withKey: boolean
}

/** Why the backup failed, in a sentence for the operator. */
export class BackupFailed extends Error {
  override readonly name = 'BackupFailed'
}

/** Creates `folder`. Its files count as a backup only once the manifest exists. */
export async function makeBackup(
  deps: BackupDeps,
  folder: string,
  { name, at, withKey }: BackupRequest,
): Promise<Manifest> {
  const { dataDir, store, isCluster } = deps
  const copiedShards = await waitForCopies(deps)
  const { size } = await statOf(join(dataDir, dataFileName))
  if (freeBytesAt(dataDir) < size + limits.spareBytes) {
    throw new BackupFailed(`The disk of the node has no room for a second copy of its ${size} bytes of data.`)
  }
  await mkdir(join(folder, mediaFolder), { recursive: true, mode: 0o700 })
  const data = join(folder, dataFileName)
  await store.copyTo(data)
  const { source, names } = await scanCopy(data, deps.mediaTables)
  const media = await copyMedia(deps.objects, names, join(folder, mediaFolder))
  if (withKey) await copyKey(dataDir, folder)
  const paths = [
    dataFileName,
    ...(withKey ? [secretKeyFileName] : []),
    ...media.map((each) => `${mediaFolder}/${each}`),
  ]
  const files: BackupFile[] = []
  for (const path of paths) files.push(await describeFile(folder, path))
  const manifest: Manifest = {
    ...{ format: backupFormat, name, at, version, installation: source.installation, node: source.node },
    ...{
      cluster: isCluster,
      shards: source.shards,
      held: copiedShards,
      key: withKey,
      mediaMissing: names.length - media.length,
      files,
    },
  }
  await writeSynced(join(folder, manifestName), `${JSON.stringify(manifest, undefined, 2)}\n`)
  for (const each of [join(folder, mediaFolder), folder]) syncDirectory(each)
  return manifest
}

/**
 * Waits until this node's copies have everything that the owners of their shards had acknowledged when the backup
 * began, since a copy may lag behind its owner. Returns the shards that this node has a copy of.
 */
async function waitForCopies({ engine, pause, elapsed }: BackupDeps): Promise<Manifest['held']> {
  const status = await engine.status()
  const localShards = new Set(engine.inspect().shards.flatMap(({ shard, role }) => (role === 'none' ? [] : [shard])))
  const copiedShards = status.filter(({ shard }) => localShards.has(shard)).map(({ shard, last }) => ({ shard, last }))
  const deadline = elapsed() + limits.catchUpMs
  for (;;) {
    const reached = new Map(engine.inspect().shards.map(({ shard, number }) => [shard, number]))
    const behind = copiedShards.filter(({ shard, last }) => (reached.get(shard) ?? 0) < last)
    if (behind.length === 0) return copiedShards
    if (elapsed() > deadline) {
      const shards = behind.map(({ shard }) => shard).join(', ')
      throw new BackupFailed(`The copies of shards ${shards} on this node do not come up with their owners.`)
    }
    await pause()
  }
}

async function statOf(path: string): Promise<{ size: number }> {
  const file = await open(path, 'r')
  return file.stat().finally(() => file.close())
}

/** Opens the copied data file, since a file that does not open is no backup, and lists the media it names. */
async function scanCopy(path: string, mediaTables: readonly MediaTable[]) {
  const copied = await openReadOnlyCopy(path)
  try {
    const names: string[] = []
    for (let shard = 0; shard < copied.manifest.shards; shard++) {
      for (const { table, nameOf } of mediaTables) {
        for await (const record of readInSlices(copied.space(shard), table)) names.push(nameOf(record as never))
      }
    }
    return { source: copied.manifest, names: [...new Set(names)] }
  } finally {
    await copied.close()
  }
}

/** Reads in slices with pauses, because the node continues to serve. */
async function* readInSlices(reader: Reader, table: Table<Key, unknown>): AsyncGenerator<unknown> {
  let after: Key | undefined
  for (;;) {
    const rows = [...reader.range(table, { ...(after && { after }), limit: limits.rowsAtOnce })]
    for (const { value } of rows) yield value
    if (rows.length < limits.rowsAtOnce) return
    after = rows.at(-1)!.key
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Returns the names that were copied; an object that was deleted meanwhile is no longer referenced. */
async function copyMedia(objects: MediaStore, names: readonly string[], folder: string): Promise<string[]> {
  const copied: string[] = []
  for (const name of names) {
    const stored = typeOfName(name) && (await objects.get(name))
    if (stored && (await writeObject(stored, join(folder, name)))) copied.push(name)
  }
  return copied
}

async function writeObject(stored: StoredObject, path: string): Promise<boolean> {
  const file = await open(path, 'wx', 0o600)
  try {
    for await (const part of stored.read(0)) await file.writeFile(part)
    await file.sync()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    await rm(path)
    return false
  } finally {
    await file.close()
  }
}

async function copyKey(dataDir: string, folder: string): Promise<void> {
  const to = join(folder, secretKeyFileName)
  try {
    await copyFile(join(dataDir, secretKeyFileName), to, constants.COPYFILE_EXCL)
  } catch {
    throw new BackupFailed('The key of this node is not a file in its data folder. Keep PARLEY_SECRET_KEY by itself.')
  }
}

async function writeSynced(path: string, text: string): Promise<void> {
  await writeFile(path, text, { flag: 'wx', mode: 0o600, flush: true })
}
