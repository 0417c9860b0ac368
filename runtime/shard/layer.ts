/**
 * The writes of a commit over the state below: reads see through it, and the writes of one command can be taken back
 * without touching those of its neighbours.
 */
import type { Change, Key, RangeOptions, Reader, Row, Space, Table, Write } from '../store/contract.js'
import { keyBytes } from '../store/key.js'

export interface Layer extends Reader {
  put<K extends Key, V>(table: Table<K, V>, key: K, value: V): void
  remove<K extends Key, V>(table: Table<K, V>, key: K): void
  /** Makes what was written since the last `keep` part of the commit. Throws when it cannot be stored. */
  keep(): void
  /** Takes back what was written since the last `keep`. */
  undo(): void
  /** Whether a record of that table is part of the commit. */
  touches(table: { readonly name: string }): boolean
  /** Size of what is kept. */
  bytes(): number
  /** What is kept of one table, each record once, with its last value. */
  written(table: string): Iterable<Write>
  /** What is kept of all tables whose records are read again soon. */
  writtenSoonRead(): Iterable<Write>
  /** Everything that is kept, in bytes. */
  changes(): readonly Change[]
  /** Reads what is not written here from there instead, which must show all that was shown before. */
  restOn(below: Reader): void
}

interface Entry {
  readonly write: Write
  /** Where its change is among all of them, or will take the place of an earlier one; none before anything is kept. */
  slot: number
}
type TableEntries = Map<string, Entry>

/** Written since the last `keep`. */
interface Fresh {
  readonly entries: TableEntries
  readonly name: string
  readonly entry: Entry
  readonly before: Entry | undefined
}

const noSlot = -1
const nothing: readonly Write[] = []

export function layerOver(space: Reader & Pick<Space, 'encode'>): Layer {
  let below: Reader = space
  const tables = new Map<string, TableEntries>()
  const changes: Change[] = []
  let fresh: Fresh[] = []
  let bytes = 0

  function note(table: Table<never, never>, key: Key, value: unknown): void {
    let entries = tables.get(table.name)
    if (!entries) {
      entries = new Map()
      tables.set(table.name, entries)
    }
    const name = nameOf(key)
    const before = entries.get(name)
    const entry = { write: { table: table as Table<Key, unknown>, key, value }, slot: before?.slot ?? noSlot }
    fresh.push({ entries, name, entry, before })
    entries.set(name, entry)
  }

  return {
    get<K extends Key, V>(table: Table<K, V>, key: K): V | undefined {
      const written = tables.get(table.name)?.get(nameOf(key))
      return written ? (written.write.value as V | undefined) : below.get(table, key)
    },
    range<K extends Key, V>(table: Table<K, V>, options: RangeOptions = {}): Iterable<Row<K, V>> {
      const written = tables.get(table.name)
      if (!written || written.size === 0) return below.range(table, options)
      return merged(below, table, written, options)
    },
    put: (table, key, value) => note(table as never, key, value),
    remove: (table, key) => note(table as never, key, undefined),
    keep() {
      const last = fresh.filter(({ entries, name, entry }) => entries.get(name) === entry)
      // May throw, and then nothing is kept.
      const encoded = space.encode(last.map(({ entry }) => entry.write))
      for (const [place, { entry }] of last.entries()) {
        const change = encoded[place]!
        if (entry.slot === noSlot) entry.slot = changes.length
        changes[entry.slot] = change
        bytes += change.key.length + (change.value?.length ?? 0)
      }
      fresh = []
    },
    undo() {
      for (const { entries, name, before } of fresh.reverse()) {
        if (before) entries.set(name, before)
        else entries.delete(name)
      }
      fresh = []
    },
    touches: (table) => (tables.get(table.name)?.size ?? 0) > 0,
    bytes: () => bytes,
    written(table) {
      const entries = tables.get(table)
      return entries ? writesIn(entries) : nothing
    },
    writtenSoonRead: () => soonReadIn(tables),
    changes: () => changes,
    restOn(reader) {
      below = reader
    },
  }
}

// Generators stand outside of layers: one that is made anew for each would keep its layer until old space is collected.

function* writesIn(entries: TableEntries): Generator<Write> {
  for (const { write } of entries.values()) yield write
}

function* soonReadIn(tables: ReadonlyMap<string, TableEntries>): Generator<Write> {
  for (const entries of tables.values()) {
    for (const { write } of entries.values()) {
      if (!write.table.isReadSoon) break
      yield write
    }
  }
}

/** One text for each key: parts say what they are and where they end, so no two keys read alike. */
export function nameOf(key: Key): string {
  let name = ''
  for (const part of key) name += typeof part === 'number' ? `#${part};` : `${part.length}:${part}`
  return name
}

/** Walks the rows below and the rows written here side by side; where both have a key, the written one counts. */
function* merged<K extends Key, V>(
  below: Reader,
  table: Table<K, V>,
  written: TableEntries,
  options: RangeOptions,
): Generator<Row<K, V>> {
  const direction = options.reverse ? -1 : 1
  const mine = [...written.values()]
    .map(({ write }) => write)
    .filter(({ key, value }) => value !== undefined && isWithin(key, options, direction))
    .sort((a, b) => direction * compareKeys(a.key, b.key))
  let left = options.limit ?? Number.POSITIVE_INFINITY
  let next = 0
  for (const row of below.range(table, { ...options, limit: undefined })) {
    for (; next < mine.length && direction * compareKeys(mine[next]!.key, row.key) < 0; next++) {
      if (left-- <= 0) return
      yield rowOf(mine[next]!)
    }
    if (written.has(nameOf(row.key))) continue
    if (left-- <= 0) return
    yield row
  }
  for (; next < mine.length; next++) {
    if (left-- <= 0) return
    yield rowOf(mine[next]!)
  }
}

function rowOf<K extends Key, V>({ key, value }: Write): Row<K, V> {
  return { key: key as K, value: value as V }
}

function isWithin(key: Key, options: RangeOptions, direction: number): boolean {
  const { prefix, after, before } = options
  if (prefix && !prefix.every((part, index) => key[index] === part)) return false
  if (after && direction * compareKeys(key, after) <= 0) return false
  return !(before && compareKeys(key, before) >= 0)
}

const unnamed = { name: '' }

/** The order of the store within a table, by the store's own bytes. */
export function compareKeys(a: Key, b: Key): number {
  return Buffer.compare(keyBytes(unnamed, a), keyBytes(unnamed, b))
}
