/** Lists that lie in many shards, newest first: where a record stands among all, and stretches of them put together. */

/** The order of all records of an agent, whatever their shard: the time, then the conversation, then what tells the rest apart. */
export type Position = readonly [at: number, asid: string, rest: number | string]

export interface Row<T> {
  readonly position: Position
  readonly entry: T
}

/** Rows of one shard that are wanted, newest first. `scannedTo` is the last record that was looked at; absent at the end of the list. */
export interface ScanPage<T> {
  readonly rows: readonly Row<T>[]
  readonly scannedTo?: Position
}

/** Negative when the first of them is newer. */
export function newestFirst(a: Position, b: Position): number {
  for (const [part, left] of a.entries()) {
    const right = b[part]!
    if (left !== right) return left > right ? -1 : 1
  }
  return 0
}

/**
 * All stretches as one. Whoever looked least far decides how far the whole is known: a row beyond that may have an
 * unknown one before it, so it is left for the next time.
 */
export function mergePages<T>(pages: readonly ScanPage<T>[]): ScanPage<T> {
  const ends = pages.flatMap(({ scannedTo }) => (scannedTo ? [scannedTo] : []))
  const [scannedTo] = ends.sort(newestFirst)
  const rows = pages
    .flatMap((page) => page.rows)
    .filter(({ position }) => !scannedTo || newestFirst(position, scannedTo) <= 0)
    .sort((a, b) => newestFirst(a.position, b.position))
  return scannedTo ? { rows, scannedTo } : { rows }
}
