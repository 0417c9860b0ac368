/** Backups on this node's disk: one is made at a time, and each stays in the data folder until it is removed. */
import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Refusal, refuse } from '../../core/errors.js'
import { backup as limits } from '../../core/limits/index.js'
import type { Clock } from '../clock.js'
import type { Log } from '../observe/log.js'
import { sleep } from '../time.js'
import { type BackupFile, BackupUnusable, type Manifest, readManifestIn } from './manifest.js'
import { type BackupDeps, BackupFailed, makeBackup } from './writer.js'

export const backupsFolder = 'backups'

export type Backup =
  | { readonly name: string; readonly state: 'making' }
  | { readonly name: string; readonly state: 'failed'; readonly why: string }
  | { readonly name: string; readonly state: 'ready'; readonly manifest: Manifest }

export interface Backups {
  /** Starts a backup; `find` shows its state. */
  begin(withKey: boolean): Promise<Backup | Refusal>
  list(): Promise<Backup[]>
  find(name: string): Promise<Backup | undefined>
  /** The file of that number in the manifest of a ready backup. */
  read(name: string, number: number): Promise<{ file: BackupFile; bytes: AsyncIterable<Uint8Array> } | undefined>
  /** Returns false if the backup does not exist; refuses one that is being made. */
  remove(name: string): Promise<boolean | Refusal>
}

export interface BackupsOptions extends Omit<BackupDeps, 'pause' | 'elapsed' | 'store'> {
  /** Absent in a process without shards. */
  readonly store: BackupDeps['store'] | undefined
  readonly clock: Clock
  readonly log: Log
}

const nameBytes = 4
const namePattern = /^\d{8}-\d{6}-[0-9a-f]{8}$/

const inProgress = refuse('system.backup_under_way')
const noData = refuse('system.backup_impossible', {
  detail: 'This process keeps no shards. Ask a node that does, with the roles mgmt and shards.',
})

export function createBackups(options: BackupsOptions): Backups {
  const { dataDir, store, clock, log } = options
  const root = join(dataDir, backupsFolder)
  /** The backup that is being made, or the last one that failed. */
  let current: Exclude<Backup, { state: 'ready' }> | undefined

  async function runBackup(name: string, at: number, withKey: boolean, data: BackupDeps['store']): Promise<void> {
    const folder = join(root, name)
    const pause = () => sleep(clock, limits.pollMs)
    try {
      await sweep(name)
      const request = { name, at: new Date(at).toISOString(), withKey }
      const deps = { ...options, store: data, pause, elapsed: clock.monotonic }
      const { files } = await makeBackup(deps, folder, request)
      log.info('system.backup.completed', { backup: name, files: files.length, withKey })
      current = undefined
    } catch (error) {
      await rm(folder, { recursive: true, force: true })
      log.error('system.backup.failed', { backup: name, error })
      const why =
        error instanceof BackupFailed ? error.message : 'It could not be written; the log of the node says why.'
      current = { name, state: 'failed', why }
    }
  }

  /** Removes backups without a manifest, which an earlier process did not finish. */
  async function sweep(except: string): Promise<void> {
    await mkdir(root, { recursive: true, mode: 0o700 })
    for (const name of await names()) {
      if (name !== except && !(await readReady(name))) await rm(join(root, name), { recursive: true, force: true })
    }
  }

  async function names(): Promise<string[]> {
    const entries = await readdir(root).catch(() => [])
    return entries.filter((name) => namePattern.test(name)).sort()
  }

  async function readReady(name: string): Promise<Backup | undefined> {
    try {
      return { name, state: 'ready', manifest: await readManifestIn(join(root, name)) }
    } catch (error) {
      if (error instanceof BackupUnusable) return undefined
      throw error
    }
  }

  async function find(name: string): Promise<Backup | undefined> {
    if (current?.name === name) return current
    return namePattern.test(name) ? readReady(name) : undefined
  }

  return {
    async begin(withKey) {
      if (!store) return noData
      if (current?.state === 'making') return inProgress
      const now = clock.now()
      const name = `${timestampOf(now)}-${randomBytes(nameBytes).toString('hex')}`
      current = { name, state: 'making' }
      void runBackup(name, now, withKey, store)
      return current
    },
    async list() {
      const backup = await Promise.all((await names()).map((name) => find(name)))
      const backups = backup.filter((each) => each !== undefined)
      return current && !backups.includes(current) ? [...backups, current] : backups
    },
    find,
    async read(name, number) {
      const backup = await find(name)
      const file = backup?.state === 'ready' ? backup.manifest.files[number] : undefined
      return file && { file, bytes: createReadStream(join(root, name, file.path)) as AsyncIterable<Buffer> }
    },
    async remove(name) {
      const backup = await find(name)
      if (!backup) return false
      if (backup.state === 'making') return inProgress
      if (current === backup) current = undefined
      await rm(join(root, name), { recursive: true, force: true })
      return true
    },
  }
}

/** The timestamp part of a name, so that names sort by time. */
function timestampOf(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')
}
