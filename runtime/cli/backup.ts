/**
 * `parley backup`, `verify` and `restore`: copies a running node's data into a local folder, and a folder into a data
 * folder.
 */
import { createHash } from 'node:crypto'
import { mkdir, open, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { commandLine as limits } from '../../core/limits/index.js'
import { type BackupFile, BackupUnusable, type Manifest, manifestName, readManifest } from '../backup/manifest.js'
import { FolderNotEmpty, restoreBackup, verifyBackup } from '../backup/restore.js'
import type { BackupRow } from '../backup/routes.js'
import { secretKeyFileName } from '../secrets/rootkey.js'
import { StoreUnusable } from '../store/contract.js'
import { exitCodes, Failure, usageError } from './failure.js'
import { formatBytes, formatCount, printResult } from './output.js'
import { encodeId } from './paths.js'
import type { CliContext, Session } from './program.js'

const path = '/system/backups'

interface BackupOptions {
  readonly withKey?: true
  readonly keep?: true
}

export function backup(program: Command, getSession: () => Session, context: () => CliContext): void {
  program
    .command('backup')
    .description('copy the data of a running node into a folder here; the node serves on')
    .argument('<folder>', 'where to: a folder that is empty or not there yet')
    .option('--with-key', 'with the root key of the node: the folder can then be opened without anything else')
    .option('--keep', 'leave the copy on the disk of the node, too')
    .addHelpText('after', backupHelp)
    .action((folder: string, options: BackupOptions) => createBackup(getSession(), folder, options))
  program
    .command('restore')
    .description('put a backup into a data folder that is empty or not there yet; no node is asked')
    .argument('<folder>', 'folder of the backup')
    .requiredOption('--data <dir>', 'data folder to make: what PARLEY_DATA_DIR of the node will name')
    .addHelpText(
      'after',
      '\nEverything is checked before anything is written. Example: parley restore ./today --data ./data',
    )
    .action((folder: string, { data }: { data: string }) => restore(context(), folder, data))
  program
    .command('verify')
    .description('read a backup to its last byte and compare it with its manifest')
    .argument('<folder>', 'folder of the backup')
    .action((folder: string) => verify(context(), folder))
}

const backupHelp = `
All that the node had acknowledged before is in it. The root key is not, unless --with-key says so: keep secret.key
or PARLEY_SECRET_KEY in another safe place, for without it nothing that is sealed can be opened.
In a cluster a node holds copies of at most all shards, and says which; more than three nodes are backed up one by one.

Example: parley backup ./backups/2026-05-01`

async function createBackup(session: Session, folder: string, { withKey, keep }: BackupOptions): Promise<void> {
  const { api, terminal } = session
  await checkEmpty(folder)
  const started = await api.post<BackupRow>(path, { withKey: withKey === true })
  const backupPath = `${path}/${encodeId(started.name)}`
  const manifest = await waitForManifest(session, backupPath)
  try {
    for (const [number, file] of manifest.files.entries())
      await fetchFile(session, `${backupPath}/files/${number}`, folder, file)
    await writeFile(join(folder, manifestName), `${JSON.stringify(manifest, undefined, 2)}\n`, {
      mode: 0o600,
      flush: true,
    })
  } catch (error) {
    // The folder was empty before. Without its manifest it is no backup, so the fetched files are removed.
    const fetched = new Set(manifest.files.map((file) => file.path.split('/')[0]!))
    for (const name of fetched) await rm(join(folder, name), { recursive: true, force: true })
    throw error
  } finally {
    if (!keep)
      await api
        .remove(backupPath)
        .catch(() => terminal.printNotice(`${started.name} is still on the disk of the node.`))
  }
  printResult(session, manifest, () => backupLines(manifest, folder))
  for (const sentence of warningsOf(manifest)) terminal.printNotice(sentence)
}

async function checkEmpty(folder: string): Promise<void> {
  const names = await readdir(folder).catch(({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'ENOENT') return []
    throw usageError(`The folder ${folder} cannot be used: ${message}.`)
  })
  if (names.length > 0) throw usageError(`The folder ${folder} is not empty, and nothing is ever written over.`)
}

/** Polls without a limit until the node has copied its data. */
async function waitForManifest({ api }: Session, at: string): Promise<Manifest> {
  for (;;) {
    const row = await api.get<BackupRow>(at)
    if (row.state === 'failed') throw new Failure(`The node at ${api.url} could not make the backup. ${row.why}`)
    // The node may run another version, so its manifest is validated as strictly as one in a folder.
    if (row.state === 'ready') return readManifest(JSON.stringify(row.manifest), `The backup at ${api.url}`)
    await sleep(limits.backupPollMs)
  }
}

async function fetchFile({ api }: Session, at: string, folder: string, file: BackupFile): Promise<void> {
  const answer = await api.raw(at, { accept: '*/*' })
  const to = join(folder, file.path)
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  const target = await open(to, 'wx', 0o600)
  const hash = createHash('sha256')
  let bytes = 0
  try {
    for await (const piece of answer.body as unknown as AsyncIterable<Uint8Array>) {
      hash.update(piece)
      bytes += piece.length
      await target.writeFile(piece)
    }
    await target.sync()
  } catch (error) {
    throw new Failure(`${file.path} did not arrive whole: ${(error as Error).message}. Make the backup again.`)
  } finally {
    await target.close()
  }
  const isSame = bytes === file.bytes && hash.digest('hex') === file.sha256
  if (!isSame) throw new Failure(`${file.path} did not arrive as it was sent. Make the backup again.`)
}

function backupLines({ name, at, files, held, shards }: Manifest, folder: string): string[] {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  return [
    `${name} is in ${folder}: ${files.length === 1 ? '1 file' : `${formatCount(files.length)} files`}, ${formatBytes(bytes)}, ${held.length} of ${shards} ` +
      `shards, with all that was acknowledged before ${at}.`,
  ]
}

/** Warnings about what the backup does not contain. */
function warningsOf({ key, held, shards }: Manifest): string[] {
  const missing = Array.from({ length: shards }, (_, shard) => shard).filter(
    (shard) => !held.some((each) => each.shard === shard),
  )
  return [
    ...(key
      ? []
      : [
          `THE ROOT KEY IS NOT IN IT. Keep ${secretKeyFileName} or PARLEY_SECRET_KEY elsewhere: without it, sealed secrets cannot be opened.`,
        ]),
    ...(missing.length === 0
      ? []
      : [
          `SHARDS ${missing.join(', ')} ARE NOT IN IT: this node has no copies of them. Back up the other nodes as well.`,
        ]),
  ]
}

async function restore(context: CliContext, folder: string, data: string): Promise<void> {
  const dir = resolve(data)
  const manifest = await withFailures(restoreBackup(folder, dir))
  printResult(context, manifest, () => [`${dir} holds the data of ${manifest.at}.`])
  for (const sentence of nextSteps(manifest, dir)) context.terminal.printNotice(sentence)
}

function nextSteps({ key, cluster, shards }: Manifest, dir: string): string[] {
  const settings = [`PARLEY_DATA_DIR=${dir}`, `PARLEY_SHARDS=${shards}`, ...(cluster ? ['PARLEY_NATS_URL'] : [])]
  return [
    ...(key
      ? []
      : [
          `The backup has no root key. Put ${secretKeyFileName} into the folder or set PARLEY_SECRET_KEY: a node does not start without it.`,
        ]),
    `Start a node with ${settings.join(' and ')}. Nobody else may still run with the data it was copied from.`,
    ...(cluster
      ? ['NATS servers that have lost their logs get them from this node; start the others on empty folders after it.']
      : []),
  ]
}

async function verify(context: CliContext, folder: string): Promise<void> {
  const manifest = await withFailures(verifyBackup(folder))
  printResult(context, manifest, () => backupLines(manifest, folder))
}

async function withFailures<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof FolderNotEmpty) throw usageError(error.message)
    const isSentence = error instanceof BackupUnusable || error instanceof StoreUnusable
    throw isSentence ? new Failure(error.message, exitCodes.failed) : error
  }
}
