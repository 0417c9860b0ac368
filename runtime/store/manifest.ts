/** The manifest of the data: its format, shards and ids, and whether this program may work on it. */
import { randomBytes } from 'node:crypto'
import { decodeRecord } from './codec.js'
import { type StoreAbout, StoreUnusable, table } from './contract.js'

/** How spaces, tables, keys and records are laid out in the file: what this program writes, and the oldest it migrates. */
export const dataFormat = 3
const oldestFormat = 2

const installationBytes = 16
const nodeChars = 8

export interface Manifest extends StoreAbout {
  readonly format: number
  readonly shards: number
  /** A migration to this format has begun and not ended. */
  readonly isHalfCarried?: true
}

/** In the space that belongs to no shard. */
export const manifestTable = table<[], Manifest>('_store')

export function newManifest(shards: number, random: (bytes: number) => Uint8Array = randomBytes): Manifest {
  const installation = Buffer.from(random(installationBytes)).toString('hex')
  const drawn = Buffer.from(random(8)).readBigUInt64BE() % 36n ** BigInt(nodeChars)
  return { format: dataFormat, shards, installation, node: `n${drawn.toString(36).padStart(nodeChars, '0')}` }
}

/** Whether the data must be migrated before anything else is done with it. */
export function mustMigrate({ format, isHalfCarried }: Manifest): boolean {
  return format < dataFormat || isHalfCarried === true
}

/** `bytes` is the record of the data just opened, before anything was changed in it; its format may be an older one. */
export function checkManifest(
  bytes: Uint8Array | undefined,
  { dir, shards }: { dir: string; shards: number },
): Manifest {
  if (!bytes) throw new StoreUnusable(`The data in ${dir} was not written by Parley. Name another data directory.`)
  const manifest = decodeRecord(manifestTable, bytes) as Manifest
  if (manifest.format > dataFormat) {
    throw new StoreUnusable(
      `The data in ${dir} was written by a newer Parley (format ${manifest.format}, this one reads ${dataFormat}). ` +
        'Run that version or a later one.',
    )
  }
  if (manifest.format < oldestFormat) {
    throw new StoreUnusable(
      `The data in ${dir} was written by a Parley from before its first release (format ${manifest.format}, this one ` +
        `reads ${dataFormat}) and cannot be carried over. Name another data directory.`,
    )
  }
  if (manifest.shards !== shards) {
    throw new StoreUnusable(
      `The data in ${dir} is laid out in ${manifest.shards} shards, but ${shards} are configured. The number is fixed ` +
        `for the life of an installation: set PARLEY_SHARDS to ${manifest.shards}.`,
    )
  }
  return manifest
}
