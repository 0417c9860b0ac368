/** Restores a backup into an empty data folder: verifies everything first, and moves the data file into place last. */
import { constants } from 'node:fs'
import { copyFile, mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { StoreUnusable } from '../store/contract.js'
import { checkDataFile } from '../store/datafile.js'
import { dataFileName, freeBytesAt, prepareDirectory, restoringFolder, syncDirectory } from '../store/directory.js'
import { store as limits } from '../store/limits.js'
import { lockDirectory, lockName } from '../store/lock.js'
import {
  type BackupFile,
  BackupUnusable,
  describeFile,
  type Manifest,
  mediaFolder,
  readManifestIn,
} from './manifest.js'

/**
 * Throws BackupUnusable or StoreUnusable with a sentence. An unusable backup is detected before any write; a later
 * error empties the data folder again. A restore that a power cut or a kill interrupts leaves a folder on which no node
 * starts; restoring again repairs it.
 */
export async function restoreBackup(folder: string, dataDir: string): Promise<Manifest> {
  const manifest = await verifyBackup(folder)
  prepareDirectory(dataDir)
  const lock = await lockDirectory(dataDir)
  try {
    await ensureEmpty(dataDir, manifest.files)
    const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0)
    if (freeBytesAt(dataDir) < bytes + limits.freeDiskBytes) {
      throw new BackupUnusable(`The disk of ${dataDir} has no room for the ${bytes} bytes of the backup.`)
    }
    await copyFiles(dataDir, manifest.files, folder).catch(async (error) => {
      await removeFiles(dataDir, manifest.files)
      throw error
    })
  } finally {
    await lock.release()
  }
  return manifest
}

/** Reads every file of a backup to its end and checks its hash. */
export async function verifyBackup(folder: string): Promise<Manifest> {
  const manifest = await readManifestIn(folder)
  for (const file of manifest.files) await verifyFile(folder, file)
  checkDataFile(join(folder, dataFileName))
  return manifest
}

async function verifyFile(folder: string, { path, bytes, sha256 }: BackupFile): Promise<void> {
  const actual = await describeFile(folder, path).catch(({ code }: NodeJS.ErrnoException) => {
    throw new BackupUnusable(`The backup in ${folder} is not whole: ${path} cannot be read (${code}).`)
  })
  if (actual.bytes !== bytes) {
    throw new BackupUnusable(
      `The backup in ${folder} is not whole: ${path} has ${actual.bytes} bytes instead of ${bytes}.`,
    )
  }
  const isSame = actual.sha256 === sha256
  if (!isSame) throw new BackupUnusable(`The backup in ${folder} is damaged: ${path} is not what was backed up.`)
}

/** The target folder is not empty. */
export class FolderNotEmpty extends StoreUnusable {}

/** Removes the rest of an interrupted restore; refuses any other content. */
async function ensureEmpty(dataDir: string, files: readonly BackupFile[]): Promise<void> {
  if ((await namesIn(dataDir)).includes(restoringFolder)) await removeFiles(dataDir, files)
  if ((await namesIn(dataDir)).length === 0) return
  throw new FolderNotEmpty(`The data folder ${dataDir} is not empty, and nothing is ever written over. Name another.`)
}

/** The marker folder of an unfinished restore goes last. */
async function removeFiles(dataDir: string, files: readonly BackupFile[]): Promise<void> {
  for (const name of [...files.map(({ path }) => path), mediaFolder, restoringFolder]) {
    await rm(join(dataDir, name), { recursive: true, force: true })
  }
}

async function namesIn(dataDir: string): Promise<string[]> {
  return (await readdir(dataDir)).filter((name) => !lockName.test(name))
}

async function copyFiles(dataDir: string, files: readonly BackupFile[], folder: string): Promise<void> {
  const staging = join(dataDir, restoringFolder)
  await mkdir(join(staging, mediaFolder), { recursive: true, mode: 0o700 })
  syncDirectory(dataDir)
  for (const file of files) await copyChecked(file, folder, staging)
  for (const each of [join(staging, mediaFolder), staging]) syncDirectory(each)
  for (const name of await readdir(staging)) await rename(join(staging, name), join(dataDir, name))
  syncDirectory(dataDir)
  await rmdir(staging)
  syncDirectory(dataDir)
}

/** Copies a file, syncs it, and verifies the hash of the copy. */
async function copyChecked(file: BackupFile, folder: string, into: string): Promise<void> {
  const to = join(into, file.path)
  await copyFile(join(folder, file.path), to, constants.COPYFILE_EXCL)
  const target = await open(to, 'r+')
  try {
    await target.chmod(0o600)
    await target.sync()
  } finally {
    await target.close()
  }
  await verifyFile(into, file)
}
