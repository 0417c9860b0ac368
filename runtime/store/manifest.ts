/** The manifest of the data: its format, shards and ids, and whether this program may work on it. */
import { randomBytes } from 'node:crypto'
import { decodeRecord } from './codec.js'
import { type StoreIdentity, StoreUnusable, table } from './contract.js'

/**
 * The version of the layout of spaces, tables, keys and records in the file. Data of another format is refused
 * (decision 073).
 */
export const dataFormat = 4

const installationBytes = 16
const nodeChars = 8

export interface Manifest extends StoreIdentity {
  readonly format: number
  readonly shards: number
}

/** In the space that belongs to no shard. */
export const manifestTable = table<[], Manifest>('_store')

export function newManifest(shards: number, random: (bytes: number) => Uint8Array = randomBytes): Manifest {
  const installation = Buffer.from(random(installationBytes)).toString('hex')
  const nodeNumber = Buffer.from(random(8)).readBigUInt64BE() % 36n ** BigInt(nodeChars)
  return { format: dataFormat, shards, installation, node: `n${nodeNumber.toString(36).padStart(nodeChars, '0')}` }
}

/** `bytes` is the record of the data just opened, before anything was changed in it. */
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
  if (manifest.format < dataFormat) {
    throw new StoreUnusable(
      `The data in ${dir} was written by an earlier Parley (format ${manifest.format}, this one ` +
        `reads ${dataFormat}) and cannot be carried over. Name another data directory, or run that version.`,
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
