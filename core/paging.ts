/**
 * One page of a list that is held in memory. A page begins after the items that were shown: an item that stays in the
 * list is always shown, whatever other items come and go. If the position is uncertain, a page shows an item twice
 * rather than never.
 */

/** The number of items before the marked ones, and hashes of the last items before the next page. */
export type PageCursor = readonly [before: number, ...marks: number[]]

export interface PageRequest {
  readonly limit: number
  readonly after?: PageCursor
}

export interface Page<T> {
  readonly data: T[]
  /** Absent on the last page. */
  readonly last?: PageCursor
}

/** The next page finds its place while one of this many items is still in the list. */
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
 * The index after the marked items, counted from the first of them on: an item that was removed and added again stands
 * behind other items, which must not be skipped with it. If no marked item is left, the list begins from the start.
 */
function startAfter<T>(all: readonly T[], [before, ...idHashes]: PageCursor, idOf: (item: T) => string): number {
  const hashes = new Set(idHashes)
  const isSeen = (item: T) => hashes.has(hashOf(idOf(item)))
  let from = before === 0 ? 0 : Math.max(0, all.findIndex(isSeen))
  while (from < all.length && isSeen(all[from]!)) from++
  return from
}

/** Hashes keep tokens short, since ids may be long and tokens stand in URLs. (FNV-1a) */
function hashOf(id: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193)
  return hash >>> 0
}
