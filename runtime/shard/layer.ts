/** A layer of writes over a reader: reads see through it, and it can be kept or thrown away as one. */
import type { Key, KeyPart, RangeOptions, Reader, Row, Table, Write } from '../store/contract.js'

export interface Layer extends Reader {
  put<K extends Key, V>(table: Table<K, V>, key: K, value: V): void
  remove<K extends Key, V>(table: Table<K, V>, key: K): void
  /** What was written, each record once, with its last value. */
  writes(): Write[]
}

type TableWrites = Map<string, Write>

export function layerOver(below: Reader): Layer {
  const tables = new Map<string, TableWrites>()

  function note(table: Table<never, never>, key: Key, value: unknown): void {
    const written = tables.get(table.name) ?? new Map<string, Write>()
    tables.set(table.name, written)
    written.set(JSON.stringify(key), { table: table as Table<Key, unknown>, key, value })
  }

  return {
    get<K extends Key, V>(table: Table<K, V>, key: K): V | undefined {
      const written = tables.get(table.name)?.get(JSON.stringify(key))
      return written ? (written.value as V | undefined) : below.get(table, key)
    },
    range<K extends Key, V>(table: Table<K, V>, options: RangeOptions = {}): Iterable<Row<K, V>> {
      const written = tables.get(table.name)
      if (!written || written.size === 0) return below.range(table, options)
      return merged(below, table, written, options)
    },
    put: (table, key, value) => note(table as never, key, value),
    remove: (table, key) => note(table as never, key, undefined),
    writes: () => [...tables.values()].flatMap((written) => [...written.values()]),
  }
}

/** Walks the rows below and the rows written here side by side; where both have a key, the written one counts. */
function* merged<K extends Key, V>(
  below: Reader,
  table: Table<K, V>,
  written: TableWrites,
  options: RangeOptions,
): Generator<Row<K, V>> {
  const direction = options.reverse ? -1 : 1
  const mine = [...written.values()]
    .filter((write) => isWithin(write.key, options, direction))
    .sort((a, b) => direction * compareKeys(a.key, b.key))
  let left = options.limit ?? Number.POSITIVE_INFINITY
  let next = 0
  function* take(write: Write): Generator<Row<K, V>> {
    if (write.value === undefined || left-- <= 0) return
    yield { key: write.key as K, value: write.value as V }
  }
  for (const row of below.range(table, { ...options, limit: undefined })) {
    if (left <= 0) return
    for (; next < mine.length && direction * compareKeys(mine[next]!.key, row.key) < 0; next++) yield* take(mine[next]!)
    if (left <= 0) return
    if (written.has(JSON.stringify(row.key))) continue
    left--
    yield row
  }
  for (; next < mine.length && left > 0; next++) yield* take(mine[next]!)
}

function isWithin(key: Key, options: RangeOptions, direction: number): boolean {
  const { prefix, after, before } = options
  if (prefix && !prefix.every((part, index) => key[index] === part)) return false
  if (after && direction * compareKeys(key, after) <= 0) return false
  return !(before && compareKeys(key, before) >= 0)
}

/** The order of the store: numbers before strings, strings by their bytes, a key before those it begins. */
export function compareKeys(a: Key, b: Key): number {
  const shared = Math.min(a.length, b.length)
  for (let index = 0; index < shared; index++) {
    const order = compareParts(a[index]!, b[index]!)
    if (order !== 0) return order
  }
  return a.length - b.length
}

function compareParts(a: KeyPart, b: KeyPart): number {
  if (a === b) return 0
  if (typeof a === 'number') return typeof b === 'number' ? a - b : -1
  if (typeof b === 'number') return 1
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
