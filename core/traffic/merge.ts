/** Merges lists from many shards, newest first: the position of a record among all, and pages put together. */

/** The order of all records of an agent across shards: the time, then the conversation, then a key unique within it. */
export type Position = readonly [at: number, asid: string, rest: number | string]

export interface PositionedRecord<T> {
  readonly position: Position
  readonly entry: T
}

/**
 * Matching rows of one shard, newest first. `scannedTo` is the last record that was scanned; absent at the end of the
 * list.
 */
export interface ScanPage<T> {
  readonly rows: readonly PositionedRecord<T>[]
  readonly scannedTo?: Position
}

/** Negative if the first position is newer. */
export function newestFirst(a: Position, b: Position): number {
  for (const [index, value] of a.entries()) {
    const other = b[index]!
    if (value !== other) return value > other ? -1 : 1
  }
  return 0
}

/**
 * Merges pages into one. The page that was scanned least far bounds the result: a row beyond its end may have an unseen
 * row before it, so it is left for the next call.
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
