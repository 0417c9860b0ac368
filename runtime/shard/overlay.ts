/**
 * The overlay: writes of a batch that are decided and not yet durable. Reads see through it to the state below, and the
 * writes of one command can be rolled back without touching the others.
 */
import type { Steps } from '../../core/steps.js'
import type { Change, Key, RangeOptions, Reader, Row, Space, Table, Write } from '../store/contract.js'
import { keyBytes } from '../store/key.js'

/**
 * A reader below an overlay. `name` is the name of the key if the caller has computed it, so that stacked readers
 * compute it once.
 */
export interface OverlayBase extends Reader {
  get<K extends Key, V>(table: Table<K, V>, key: K, name?: string): V | undefined
}

/** A write, and the name of its key in its table. */
export interface NamedWrite extends Write {
  readonly name: string
}

export interface Overlay extends OverlayBase {
  put<K extends Key, V>(table: Table<K, V>, key: K, value: V): void
  remove<K extends Key, V>(table: Table<K, V>, key: K): void
  /** Makes the writes since the last `commit` part of the batch. Throws when one cannot be stored. */
  commit(): void
  /** The same in steps; takes effect in the last one. */
  commitInSteps(): Steps<void>
  /** Undoes the writes since the last `commit`. */
  rollback(): void
  /** Whether a record of that table is part of the overlay; with a name, whether that record is. */
  has(table: { readonly name: string }, name?: string): boolean
  /** Size of the committed writes. */
  bytes(): number
  /** The writes of one table, each record once, with its last value. */
  writesOf(table: string): readonly Write[]
  /** The writes of all tables with `isCachedOnWrite`. */
  cachedWrites(): readonly NamedWrite[]
  /** The committed writes in bytes. */
  changes(): readonly Change[]
  /** Replaces the reader below, which must show all that the previous one showed. */
  rebase(base: OverlayBase): void
}

/** A record as it was last written. */
interface Entry extends NamedWrite {
  value: unknown
  /** Written since the last `commit`, and the value before that. */
  isUncommitted: boolean
  committedValue: unknown
  /** The index of its change in `allChanges`; `noSlot` before its first commit. */
  slot: number
  /** Its key in the store's bytes, once a range was read that may contain it. */
  order: Buffer | undefined
}

const noSlot = -1
const writesPerStep = 200
const bytesPerStep = 512 * 1024
/** The size of a record is known only once it is encoded. */
const writesAtOnce = 10
const noEntries: readonly Entry[] = []

export function createOverlay(space: OverlayBase & Pick<Space, 'encode'>): Overlay {
  return new SpaceOverlay(space)
}

/** A class, because each batch makes one, and a batch may hold a single command. */
class SpaceOverlay implements Overlay {
  private base: OverlayBase
  /** By name, which includes the table. */
  private readonly entries = new Map<string, Entry>()
  private readonly byTable = new Map<string, Entry[]>()
  /** Entries of a table by their key without its last part; built when a range of the table is first read. */
  private readonly byParent = new Map<string, Map<string, Entry[]>>()
  /** Tables whose keys differ in length. */
  private readonly unevenTables = new Set<string>()
  private readonly allChanges: Change[] = []
  private uncommitted: Entry[] = []
  private committedBytes = 0

  constructor(private readonly space: OverlayBase & Pick<Space, 'encode'>) {
    this.base = space
  }

  get<K extends Key, V>(table: Table<K, V>, key: K, givenName?: string): V | undefined {
    if (!this.byTable.has(table.name)) return this.base.get(table, key, givenName)
    const name = givenName ?? nameOf(table, key)
    const entry = this.entries.get(name)
    return entry ? (entry.value as V | undefined) : this.base.get(table, key, name)
  }

  range<K extends Key, V>(table: Table<K, V>, options: RangeOptions = {}): Iterable<Row<K, V>> {
    const writes = this.candidates(table, options).filter(isWithin(options))
    if (writes.length === 0) return this.base.range(table, options)
    return merge(this.base, table, writes, (name) => this.entries.has(name), options)
  }

  /** Entries that may be in the range. The index keeps them few when many commands of one batch write the table. */
  private candidates(table: { readonly name: string }, { prefix = [] }: RangeOptions): readonly Entry[] {
    const entries = this.byTable.get(table.name)
    if (!entries || this.unevenTables.has(table.name) || prefix.length !== entries[0]!.key.length - 1)
      return entries ?? noEntries
    let parents = this.byParent.get(table.name)
    if (!parents) {
      parents = new Map()
      for (const entry of entries) addTo(parents, entry)
      this.byParent.set(table.name, parents)
    }
    return parents.get(nameOf(table, prefix)) ?? noEntries
  }

  put<K extends Key, V>(table: Table<K, V>, key: K, value: V): void {
    this.record(table as never, key, value)
  }

  remove<K extends Key, V>(table: Table<K, V>, key: K): void {
    this.record(table as never, key, undefined)
  }

  private record(table: Table<Key, unknown>, key: Key, value: unknown): void {
    const name = nameOf(table, key)
    const existing = this.entries.get(name)
    if (!existing) {
      const entry = {
        table,
        key,
        name,
        value,
        isUncommitted: true,
        committedValue: undefined,
        slot: noSlot,
        order: undefined,
      }
      const others = this.byTable.get(table.name)
      if (!others) this.byTable.set(table.name, [entry])
      else {
        if (others[0]!.key.length !== key.length) this.unevenTables.add(table.name)
        others.push(entry)
      }
      const parents = this.byParent.get(table.name)
      if (parents) addTo(parents, entry)
      this.entries.set(name, entry)
      this.uncommitted.push(entry)
      return
    }
    if (!existing.isUncommitted) {
      existing.isUncommitted = true
      existing.committedValue = existing.value
      this.uncommitted.push(existing)
    }
    existing.value = value
  }

  commit(): void {
    // May throw, and then commits nothing.
    this.applyEncoded(this.space.encode(this.uncommitted))
  }

  *commitInSteps(): Steps<void> {
    const encoded: Change[] = []
    while (encoded.length < this.uncommitted.length) {
      let [writes, bytes] = [0, 0]
      while (encoded.length < this.uncommitted.length && writes < writesPerStep && bytes < bytesPerStep) {
        const some = this.space.encode(this.uncommitted.slice(encoded.length, encoded.length + writesAtOnce))
        writes += some.length
        for (const change of some) {
          bytes += change.value?.length ?? 0
          encoded.push(change)
        }
      }
      yield
    }
    this.applyEncoded(encoded)
  }

  private applyEncoded(encoded: readonly Change[]): void {
    const { uncommitted, allChanges } = this
    for (let index = 0; index < uncommitted.length; index++) {
      const entry = uncommitted[index]!
      const change = encoded[index]!
      entry.isUncommitted = false
      if (entry.slot === noSlot) entry.slot = allChanges.length
      allChanges[entry.slot] = change
      this.committedBytes += change.key.length + (change.value?.length ?? 0)
    }
    this.uncommitted = []
  }

  rollback(): void {
    for (const entry of this.uncommitted) {
      entry.isUncommitted = false
      if (entry.slot === noSlot) this.drop(entry)
      else entry.value = entry.committedValue
    }
    this.uncommitted = []
  }

  /** Entries that were never committed are the last of their lists. */
  private drop({ name, table, key }: Entry): void {
    this.entries.delete(name)
    this.byParent.get(table.name)?.get(parentOf(table, key))?.pop()
    const others = this.byTable.get(table.name)!
    if (others.length === 1) this.byTable.delete(table.name)
    else others.pop()
  }

  has(table: { readonly name: string }, name?: string): boolean {
    return name === undefined ? this.byTable.has(table.name) : this.entries.has(name)
  }

  bytes(): number {
    return this.committedBytes
  }

  writesOf(table: string): readonly Write[] {
    return this.byTable.get(table) ?? noEntries
  }

  cachedWrites(): readonly NamedWrite[] {
    const writes: NamedWrite[] = []
    for (const entries of this.byTable.values()) {
      if (entries[0]!.table.isCachedOnWrite) for (const entry of entries) writes.push(entry)
    }
    return writes
  }

  changes(): readonly Change[] {
    return this.allChanges
  }

  rebase(base: OverlayBase): void {
    this.base = base
  }
}

/**
 * A unique text for each key of each table: each part states its type and where it ends, so no two keys have the same.
 */
export function nameOf(table: { readonly name: string }, key: Key): string {
  // A space ends the name of the table: no name contains one.
  let name = `${table.name} `
  for (const part of key) name += typeof part === 'number' ? `#${part};` : `${part.length}:${part}`
  return name
}

function parentOf(table: { readonly name: string }, key: Key): string {
  return nameOf(table, key.slice(0, -1))
}

function addTo(parents: Map<string, Entry[]>, entry: Entry): void {
  const parent = parentOf(entry.table, entry.key)
  const others = parents.get(parent)
  if (others) others.push(entry)
  else parents.set(parent, [entry])
}

/** Merges the rows below with the entries of the range in key order; an entry replaces the row of the same key. */
function* merge<K extends Key, V>(
  base: Reader,
  table: Table<K, V>,
  writes: readonly Entry[],
  isWritten: (name: string) => boolean,
  options: RangeOptions,
): Generator<Row<K, V>> {
  const direction = options.reverse ? -1 : 1
  const ownRows = writes
    .filter(({ value }) => value !== undefined)
    .map((entry) => ({ order: orderOf(entry), row: rowOf<K, V>(entry) }))
    .sort((a, b) => direction * Buffer.compare(a.order, b.order))
  let left = options.limit ?? Number.POSITIVE_INFINITY
  let next = 0
  for (const row of base.range(table, { ...options, limit: undefined })) {
    const order = next < ownRows.length ? orderBytes(row.key) : undefined
    for (; order && next < ownRows.length && direction * Buffer.compare(ownRows[next]!.order, order) < 0; next++) {
      if (left-- <= 0) return
      yield ownRows[next]!.row
    }
    if (isWritten(nameOf(table, row.key))) continue
    if (left-- <= 0) return
    yield row
  }
  for (; next < ownRows.length; next++) {
    if (left-- <= 0) return
    yield ownRows[next]!.row
  }
}

function rowOf<K extends Key, V>({ key, value }: Write): Row<K, V> {
  return { key: key as K, value: value as V }
}

function isWithin({ prefix = [], after, before, reverse }: RangeOptions): (entry: Entry) => boolean {
  const direction = reverse ? -1 : 1
  const from = after && orderBytes(after)
  const to = before && orderBytes(before)
  return (entry) => {
    if (!prefix.every((part, index) => entry.key[index] === part)) return false
    if (from && direction * Buffer.compare(orderOf(entry), from) <= 0) return false
    return !(to && Buffer.compare(orderOf(entry), to) >= 0)
  }
}

function orderOf(entry: Entry): Buffer {
  entry.order ??= orderBytes(entry.key)
  return entry.order
}

const unnamed = { name: '' }

/** Bytes in the order of the store within a table: they are the store's own. */
export function orderBytes(key: Key): Buffer {
  return keyBytes(unnamed, key)
}
