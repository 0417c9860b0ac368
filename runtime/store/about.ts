/** What the data says of itself, and whether this program may work on it. */
import { randomBytes } from 'node:crypto'
import { decodeRecord } from './codec.js'
import { type StoreAbout, StoreUnusable, table } from './contract.js'

/** How spaces, tables, keys and records are laid out in the file: what this program writes, and the oldest it carries over. */
export const dataFormat = 3
const oldestFormat = 2

const installationBytes = 16
const nodeChars = 8

export interface About extends StoreAbout {
  readonly format: number
  readonly shards: number
  /** Some of it is laid out as in the format before still. */
  readonly isHalfCarried?: true
}

/** Kept among what belongs to no shard. */
export const aboutTable = table<[], About>('_store')

export function aboutNew(shards: number, random: (bytes: number) => Uint8Array = randomBytes): About {
  const installation = Buffer.from(random(installationBytes)).toString('hex')
  const drawn = Buffer.from(random(8)).readBigUInt64BE() % 36n ** BigInt(nodeChars)
  return { format: dataFormat, shards, installation, node: `n${drawn.toString(36).padStart(nodeChars, '0')}` }
}

/** Whether it has to be carried over before anybody works on it. */
export function isEarlier({ format, isHalfCarried }: About): boolean {
  return format < dataFormat || isHalfCarried === true
}

/** `bytes` is the record of the data just opened, before anything was changed in it; what it says may be of an older format. */
export function checkAbout(bytes: Uint8Array | undefined, { dir, shards }: { dir: string; shards: number }): About {
  if (!bytes) throw new StoreUnusable(`The data in ${dir} was not written by Parley. Name another data directory.`)
  const about = decodeRecord(aboutTable, bytes) as About
  if (about.format > dataFormat) {
    throw new StoreUnusable(
      `The data in ${dir} was written by a newer Parley (format ${about.format}, this one reads ${dataFormat}). ` +
        'Run that version or a later one.',
    )
  }
  if (about.format < oldestFormat) {
    throw new StoreUnusable(
      `The data in ${dir} was written by a Parley from before its first release (format ${about.format}, this one ` +
        `reads ${dataFormat}) and cannot be carried over. Name another data directory.`,
    )
  }
  if (about.shards !== shards) {
    throw new StoreUnusable(
      `The data in ${dir} is laid out in ${about.shards} shards, but ${shards} are configured. The number is fixed ` +
        `for the life of an installation: set PARLEY_SHARDS to ${about.shards}.`,
    )
  }
  return about
}
