/**
 * One page of a list that is held whole. A page begins behind what was shown, so that whatever else comes and goes
 * meanwhile, an item that stays is shown; where that cannot be known, a page rather shows an item again.
 */

/** How many items stood before those that are marked, and marks of the last ones before the next page. */
export type PageCursor = readonly [before: number, ...marks: number[]]

export interface PageRequest {
  readonly limit: number
  readonly after?: PageCursor
}

export interface Page<T> {
  readonly data: T[]
  /** Absent of the last page. */
  readonly last?: PageCursor
}

/** A page finds its place while one of so many items is still there. */
const cursorHashes = 32

export function pageOf<T extends object>(
  all: readonly T[],
  { limit, after }: PageRequest,
  idOf: (item: T) => string,
): Page<T> {
  const from = after ? startAfter(all, after, idOf) : 0
  const data = all.slice(from, from + limit)
  const next = from + data.length
  if (next >= all.length) return { data }
  const before = Math.max(0, next - cursorHashes)
  return { data, last: [before, ...all.slice(before, next).map((item) => hashOf(idOf(item)))] }
}

/**
 * Behind the items that are marked, from the first of them on: one that went and came back stands behind others, which
 * must not be passed over with it. Where none is left, the list begins anew.
 */
function startAfter<T>(all: readonly T[], [before, ...idHashes]: PageCursor, idOf: (item: T) => string): number {
  const hashes = new Set(idHashes)
  const isSeen = (item: T) => hashes.has(hashOf(idOf(item)))
  let from = before === 0 ? 0 : Math.max(0, all.findIndex(isSeen))
  while (from < all.length && isSeen(all[from]!)) from++
  return from
}

/** Ids may be long and tokens stand in URLs. (FNV-1a) */
function hashOf(id: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193)
  return hash >>> 0
}
