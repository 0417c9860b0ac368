/** The manifest of a backup: whose data it is, its shards with their positions, and every file with its hash. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import Type, { type Static } from 'typebox'
import { parseJson } from '../../core/json.js'
import { backup as limits } from '../../core/limits/index.js'
import { compileCheck } from '../http/validator.js'
import { secretKeyFileName } from '../secrets/rootkey.js'
import { dataFileName } from '../store/directory.js'

/** Version of the folder layout. A program reads its own format only. */
export const backupFormat = 1
export const manifestName = 'manifest.json'
/** The media folder, in a backup as in the data folder of a single node. */
export const mediaFolder = 'media'

const closed = { additionalProperties: false } as const

export const BackupFile = Type.Object(
  {
    path: Type.String({ maxLength: limits.pathChars, description: 'Below the folder of the backup.' }),
    bytes: Type.Integer({ minimum: 0 }),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  },
  { ...closed, title: 'BackupFile' },
)
export type BackupFile = Static<typeof BackupFile>

export const Manifest = Type.Object(
  {
    format: Type.Integer(),
    name: Type.String({ maxLength: limits.pathChars }),
    at: Type.String({
      format: 'date-time',
      description: 'When it was begun: all that was acknowledged before is in it.',
    }),
    version: Type.String({ description: 'Of the Parley that made it.' }),
    installation: Type.String(),
    node: Type.String({ description: 'The node whose data it is.' }),
    cluster: Type.Boolean({ description: 'Whether the data goes on only with NATS servers.' }),
    shards: Type.Integer({ minimum: 1, description: 'How many the installation is laid out in.' }),
    held: Type.Array(Type.Object({ shard: Type.Integer(), last: Type.Integer() }, closed), {
      description: 'The shards in it, each with the last commit that is.',
    }),
    key: Type.Boolean({ description: 'Whether the root key is in it. Without that key nothing sealed can be opened.' }),
    mediaMissing: Type.Integer({ minimum: 0, description: 'Media that was taken away while the backup was made.' }),
    files: Type.Array(BackupFile),
  },
  { ...closed, title: 'BackupManifest' },
)
export type Manifest = Static<typeof Manifest>

const check = compileCheck(Manifest, 'the manifest')

/** An unusable or incomplete backup folder; `message` is a sentence for the operator. */
export class BackupUnusable extends Error {
  override readonly name = 'BackupUnusable'
}

/** Throws BackupUnusable unless the text is a manifest of this format whose file paths are all allowed in a backup. */
export function readManifest(text: string, from: string): Manifest {
  const read = parseJson(text)
  const { format } = (read ?? {}) as { format?: unknown }
  if (typeof format === 'number' && format !== backupFormat) {
    throw new BackupUnusable(`${from} is a backup of format ${format}, and this Parley reads ${backupFormat}.`)
  }
  const [problem] = check(read) ?? []
  if (problem) throw new BackupUnusable(`${from} is not the manifest of a backup: ${problem.field} ${problem.message}.`)
  const manifest = read as Manifest
  const paths = manifest.files.map(({ path }) => path)
  const stray = paths.find((path) => !isBackupPath(path))
  if (stray !== undefined) throw new BackupUnusable(`${from} names ${JSON.stringify(stray)}, which no backup holds.`)
  if (new Set(paths).size < paths.length) throw new BackupUnusable(`${from} names a file twice.`)
  if (!paths.includes(dataFileName)) throw new BackupUnusable(`${from} does not name ${dataFileName}.`)
  return manifest
}

export async function readManifestIn(folder: string): Promise<Manifest> {
  const path = join(folder, manifestName)
  const text = await readFile(path, 'utf8').catch(({ code }: NodeJS.ErrnoException) => {
    throw new BackupUnusable(`${folder} is not a whole backup: ${manifestName} cannot be read (${code}).`)
  })
  return readManifest(text, path)
}

/** Restricts paths to those of backup files, so that a manifest cannot write anywhere else. */
function isBackupPath(path: string): boolean {
  return path === dataFileName || path === secretKeyFileName || /^media\/[A-Za-z0-9_-]+\.[a-z0-9]+$/.test(path)
}

export async function describeFile(folder: string, path: string): Promise<BackupFile> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const piece of createReadStream(join(folder, path)) as AsyncIterable<Buffer>) {
    hash.update(piece)
    bytes += piece.length
  }
  return { path, bytes, sha256: hash.digest('hex') }
}
