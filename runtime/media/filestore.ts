/** Media store in files of one folder: written under a temporary name, synced, then renamed. */
import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, opendir, rename, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { media as limits } from '../../core/limits/index.js'
import { type MediaStore, StorageFull } from './contract.js'
import { typeOfName } from './types.js'

export interface FileStoreOptions {
  /** A folder of this process alone; created when missing. */
  readonly dir: string
  readonly freeBytes?: () => Promise<number>
}

/** No object name has this suffix. */
const unfinished = '.part'

/** Removes incomplete files of an earlier process first. */
export async function createFileStore({
  dir,
  freeBytes = () => freeBytesAt(dir),
}: FileStoreOptions): Promise<MediaStore> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  for await (const { name } of await opendir(dir)) if (name.endsWith(unfinished)) await removeFile(join(dir, name))

  async function checkFreeSpace(): Promise<void> {
    if ((await freeBytes()) < limits.freeDiskBytes) throw new StorageFull('The disk is nearly full.')
  }

  async function write(file: FileHandle, parts: AsyncIterable<Uint8Array>): Promise<void> {
    let sinceCheck = 0
    for await (const part of parts) {
      for (let at = 0; at < part.length; ) at += (await file.write(part, at)).bytesWritten
      sinceCheck += part.length
      if (sinceCheck < limits.diskCheckBytes) continue
      sinceCheck = 0
      await checkFreeSpace()
    }
    await file.sync()
  }

  return {
    async put(name, parts) {
      await checkFreeSpace()
      const part = join(dir, name + unfinished)
      const file = await open(part, 'wx', 0o600)
      try {
        await write(file, parts).finally(() => file.close())
        await rename(part, join(dir, name))
      } catch (error) {
        await removeFile(part)
        throw (error as NodeJS.ErrnoException).code === 'ENOSPC' ? new StorageFull('The disk is full.') : error
      }
      await syncFolder(dir)
    },

    async get(name) {
      const path = join(dir, name)
      const stats = await stat(path).catch(ignoreMissing)
      if (!stats) return undefined
      return {
        bytes: stats.size,
        async *read(from) {
          yield* createReadStream(path, { start: from }) as AsyncIterable<Buffer>
        },
      }
    },

    async remove(name) {
      await removeFile(join(dir, name))
      await removeFile(join(dir, name + unfinished))
    },
  }
}

/**
 * Moves all objects from files to another store, for a single node that joins a cluster: addresses of sent media stay
 * valid. An interrupted move can be repeated. Returns the number of moved objects.
 */
export async function migrateFiles(dir: string, target: MediaStore): Promise<number> {
  const from = await createFileStore({ dir })
  let migrated = 0
  for await (const { name } of await opendir(dir)) {
    const object = typeOfName(name) && (await from.get(name))
    if (!object) continue
    if (!(await target.get(name))) await target.put(name, object.read(0))
    await from.remove(name)
    migrated++
  }
  return migrated
}

async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true })
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

/** Makes a rename in the folder survive a power cut. */
async function syncFolder(dir: string): Promise<void> {
  const folder = await open(dir, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function freeBytesAt(dir: string): Promise<number> {
  const disk = await statfs(dir)
  return disk.bavail * disk.bsize
}
