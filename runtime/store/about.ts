/** What the data says of itself, and whether this program may work on it. */
import { decodeRecord } from './codec.js'
import { StoreUnusable, table } from './contract.js'

/** How tables, keys and records are laid out in the file. A program reads its own format and refuses newer ones. */
const dataFormat = 1

interface About {
  readonly format: number
  readonly shards: number
}

export const aboutTable = table<[], About>('_store')

export function aboutNew(shards: number): About {
  return { format: dataFormat, shards }
}

/** `bytes` is the record of the data just opened, before anything was changed in it. */
export function checkAbout(bytes: Uint8Array | undefined, { dir, shards }: { dir: string; shards: number }): void {
  if (!bytes) throw new StoreUnusable(`The data in ${dir} was not written by Parley. Name another data directory.`)
  const about = decodeRecord(aboutTable, bytes) as About
  if (about.format > dataFormat) {
    throw new StoreUnusable(
      `The data in ${dir} was written by a newer Parley (format ${about.format}, this one reads up to ${dataFormat}). ` +
        'Run that version or a later one.',
    )
  }
  if (about.shards !== shards) {
    throw new StoreUnusable(
      `The data in ${dir} is laid out in ${about.shards} shards, but ${shards} are configured. The number is fixed ` +
        `for the life of an installation: set PARLEY_SHARDS to ${about.shards}.`,
    )
  }
}
