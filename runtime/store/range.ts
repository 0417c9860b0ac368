/** A range as bounds over the bytes of keys. */
import type { Key, RangeOptions } from './contract.js'
import { afterAllTables, afterPrefix, type KeyedTable, keyBytes } from './key.js'

/**
 * From `start` on, or strictly after it when `isStartExclusive`, up to `end`, which is included only when
 * `isEndInclusive`.
 */
export interface Bounds {
  readonly start: Uint8Array
  readonly isStartExclusive: boolean
  readonly end: Uint8Array
  readonly isEndInclusive: boolean
  readonly reverse: boolean
  readonly limit: number
}

export function boundsOf(table: KeyedTable, options: RangeOptions): Bounds {
  const { prefix = [], after, before, reverse = false, limit = Number.POSITIVE_INFINITY } = options
  if (reverse && before) throw new Error('a range that runs backwards cannot be given `before`')
  if (table.isByOwner && prefix.length === 0) throw new Error(`a range of ${table.name} is within one owner`)
  if (!(limit >= 0)) throw new Error(`a range cannot be limited to ${limit} rows`)
  const first = keyBytes(table, prefix)
  const past = afterPrefix(first)
  const startKey = after && keyBytes(table, after)
  if (reverse) {
    const inside = startKey !== undefined && Buffer.compare(startKey, past) < 0
    return {
      start: inside ? startKey : past,
      isStartExclusive: inside,
      end: first,
      isEndInclusive: true,
      reverse,
      limit,
    }
  }
  const inside = startKey !== undefined && Buffer.compare(startKey, first) >= 0
  const end = before ? lowerKey(keyBytes(table, before as Key), past) : past
  return { start: inside ? startKey : first, isStartExclusive: inside, end, isEndInclusive: false, reverse, limit }
}

/** Every row of a space, or all strictly after a key. */
export function boundsAfter(after: Uint8Array | undefined): Omit<Bounds, 'limit'> {
  const start = after ?? new Uint8Array()
  return { start, isStartExclusive: after !== undefined, end: afterAllTables, isEndInclusive: false, reverse: false }
}

export function isWithin(
  key: Uint8Array,
  { start, isStartExclusive, end, isEndInclusive, reverse }: Omit<Bounds, 'limit'>,
): boolean {
  const direction = reverse ? -1 : 1
  const fromStart = direction * Buffer.compare(key, start)
  const toEnd = direction * Buffer.compare(end, key)
  return (isStartExclusive ? fromStart > 0 : fromStart >= 0) && (isEndInclusive ? toEnd >= 0 : toEnd > 0)
}

/** Whether no key can lie within. */
export function isEmpty({ start, end, reverse }: Bounds): boolean {
  return reverse ? Buffer.compare(start, end) < 0 : Buffer.compare(start, end) >= 0
}

/** The rest of the bounds after `last`. A damaged file might lead backwards, and a walk over it would never end. */
export function continueFrom(bounds: Bounds, last: Buffer): Bounds {
  const step = Buffer.compare(last, bounds.start)
  if (bounds.reverse ? step > 0 : step < 0) throw new Error('the data file is damaged: its keys are out of order')
  return { ...bounds, start: last, isStartExclusive: true }
}

function lowerKey(a: Buffer, b: Buffer): Buffer {
  return Buffer.compare(a, b) < 0 ? a : b
}
