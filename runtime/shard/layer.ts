/**
 * The writes of a commit over the state below: reads see through it, and the writes of one command can be taken back
 * without touching those of its neighbours.
 */
import type { Change, Key, RangeOptions, Reader, Row, Space, Table, Write } from '../store/contract.js'
import { keyBytes } from '../store/key.js'

/**
 * Something that reads see through to. Whoever has worked out the name of a key hands it down, so that readers above each
 * other do that once.
 */
export interface Below extends Reader {
  get<K extends Key, V>(table: Table<K, V>, key: K, name?: string): V | undefined
}

/** A write, and the name of its key in its table. */
export interface NamedWrite extends Write {
  readonly name: string
}

export interface Layer extends Below {
  put<K extends Key, V>(table: Table<K, V>, key: K, value: V): void
  remove<K extends Key, V>(table: Table<K, V>, key: K): void
  /** Makes what was written since the last `keep` part of the commit. Throws when it cannot be stored. */
  keep(): void
  /** Takes back what was written since the last `keep`. */
  undo(): void
  /** Whether a record of that table is part of the commit; with a name, whether that one is. */
  touches(table: { readonly name: string }, name?: string): boolean
  /** Size of what is kept. */
  bytes(): number
  /** What is kept of one table, each record once, with its last value. */
  written(table: string): readonly Write[]
  /** What is kept of all tables whose records are read again soon. */
  writtenSoonRead(): readonly NamedWrite[]
  /** Everything that is kept, in bytes. */
  changes(): readonly Change[]
  /** Reads what is not written here from there instead, which must show all that was shown before. */
  restOn(below: Below): void
}

interface Entry {
  readonly write: NamedWrite
  /** Where its change is among all of them, or will take the place of an earlier one; none before anything is kept. */
  slot: number
  /** Its key in the store's own bytes, once a range was read that it may be part of. */
  order: Buffer | undefined
}
type TableEntries = Map<string, Entry>

/** Written since the last `keep`. */
interface Fresh {
  readonly entries: TableEntries
  readonly entry: Entry
  readonly before: Entry | undefined
}

const noSlot = -1
const nothing: readonly Write[] = []

export function layerOver(space: Below & Pick<Space, 'encode'>): Layer {
  let below: Below = space
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
    const name = nameOf(table, key)
    const before = entries.get(name)
    const write = { table: table as Table<Key, unknown>, key, name, value }
    const entry = { write, slot: before?.slot ?? noSlot, order: before?.order }
    fresh.push({ entries, entry, before })
    entries.set(name, entry)
  }

  return {
    get<K extends Key, V>(table: Table<K, V>, key: K, known?: string): V | undefined {
      const entries = tables.get(table.name)
      if (!entries) return below.get(table, key, known)
      const name = known ?? nameOf(table, key)
      const written = entries.get(name)
      return written ? (written.write.value as V | undefined) : below.get(table, key, name)
    },
    range<K extends Key, V>(table: Table<K, V>, options: RangeOptions = {}): Iterable<Row<K, V>> {
      const written = tables.get(table.name)
      if (!written || written.size === 0) return below.range(table, options)
      return merged(below, table, written, options)
    },
    put: (table, key, value) => note(table as never, key, value),
    remove: (table, key) => note(table as never, key, undefined),
    keep() {
      const last: Entry[] = []
      const writes: Write[] = []
      for (const { entries, entry } of fresh) {
        if (entries.get(entry.write.name) !== entry) continue
        last.push(entry)
        writes.push(entry.write)
      }
      // May throw, and then nothing is kept.
      const encoded = space.encode(writes)
      for (let place = 0; place < last.length; place++) {
        const entry = last[place]!
        const change = encoded[place]!
        if (entry.slot === noSlot) entry.slot = changes.length
        changes[entry.slot] = change
        bytes += change.key.length + (change.value?.length ?? 0)
      }
      fresh = []
    },
    undo() {
      for (const { entries, entry, before } of fresh.reverse()) {
        if (before) entries.set(entry.write.name, before)
        else entries.delete(entry.write.name)
      }
      fresh = []
    },
    touches(table, name) {
      const entries = tables.get(table.name)
      return entries !== undefined && (name === undefined ? entries.size > 0 : entries.has(name))
    },
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

function writesIn(entries: TableEntries): NamedWrite[] {
  const writes: NamedWrite[] = []
  for (const { write } of entries.values()) writes.push(write)
  return writes
}

function soonReadIn(tables: ReadonlyMap<string, TableEntries>): NamedWrite[] {
  const writes: NamedWrite[] = []
  for (const entries of tables.values()) {
    for (const { write } of entries.values()) {
      if (!write.table.isReadSoon) break
      writes.push(write)
    }
  }
  return writes
}

/** One text for each key of a table: parts say what they are and where they end, so no two keys read alike. */
export function nameOf(table: { readonly name: string }, key: Key): string {
  let name = table.name
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
    .filter(isWithin(options))
    .sort((a, b) => direction * Buffer.compare(orderOf(a), orderOf(b)))
  let left = options.limit ?? Number.POSITIVE_INFINITY
  let next = 0
  for (const row of below.range(table, { ...options, limit: undefined })) {
    const order = next < mine.length ? orderBytes(row.key) : undefined
    for (; order && next < mine.length && direction * Buffer.compare(orderOf(mine[next]!), order) < 0; next++) {
      if (left-- <= 0) return
      yield rowOf(mine[next]!.write)
    }
    if (written.has(nameOf(table, row.key))) continue
    if (left-- <= 0) return
    yield row
  }
  for (; next < mine.length; next++) {
    if (left-- <= 0) return
    yield rowOf(mine[next]!.write)
  }
}

function rowOf<K extends Key, V>({ key, value }: Write): Row<K, V> {
  return { key: key as K, value: value as V }
}

function isWithin({ prefix, after, before, reverse }: RangeOptions): (entry: Entry) => boolean {
  const direction = reverse ? -1 : 1
  const from = after && orderBytes(after)
  const to = before && orderBytes(before)
  return (entry) => {
    const { key, value } = entry.write
    if (value === undefined) return false
    if (prefix && !prefix.every((part, index) => key[index] === part)) return false
    if (from && direction * Buffer.compare(orderOf(entry), from) <= 0) return false
    return !(to && Buffer.compare(orderOf(entry), to) >= 0)
  }
}

function orderOf(entry: Entry): Buffer {
  entry.order ??= orderBytes(entry.write.key)
  return entry.order
}

const unnamed = { name: '' }

/** Bytes whose order is that of the store within a table: they are the store's own. */
export function orderBytes(key: Key): Buffer {
  return keyBytes(unnamed, key)
}
