/**
 * The writes of a commit over the state below: reads see through it, and the writes of one command can be taken back
 * without touching those of its neighbours.
 */
import type { Steps } from '../../core/steps.js'
import type { Change, Key, RangeOptions, Reader, Row, Space, Table, Write } from '../store/contract.js'
import { keyBytes } from '../store/key.js'

/**
 * Something that reads see through to. Whoever has worked out the name of a key hands it down, so that readers above each
 * other do that once.
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
  /** Makes what was written since the last `commit` part of the commit. Throws when it cannot be stored. */
  commit(): void
  /** The same in steps, with nothing kept before the last. */
  commitInSteps(): Steps<void>
  /** Takes back what was written since the last `commit`. */
  rollback(): void
  /** Whether a record of that table is part of the commit; with a name, whether that one is. */
  has(table: { readonly name: string }, name?: string): boolean
  /** Size of what is kept. */
  bytes(): number
  /** What is kept of one table, each record once, with its last value. */
  writesOf(table: string): readonly Write[]
  /** What is kept of all tables whose records are read again soon. */
  cachedWrites(): readonly NamedWrite[]
  /** Everything that is kept, in bytes. */
  changes(): readonly Change[]
  /** Reads what is not written here from there instead, which must show all that was shown before. */
  rebase(base: OverlayBase): void
}

/** A record as it was last written. */
interface Entry extends NamedWrite {
  value: unknown
  /** Written since the last `commit`, and what was kept before that. */
  isUncommitted: boolean
  committedValue: unknown
  /** Where its change is among all of them; none before it was kept for the first time. */
  slot: number
  /** Its key in the store's own bytes, once a range was read that it may be part of. */
  order: Buffer | undefined
}

const noSlot = -1
const writesPerStep = 200
const bytesPerStep = 512 * 1024
/** How long a record is, is known once it is encoded. */
const writesAtOnce = 10
const noEntries: readonly Entry[] = []

export function createOverlay(space: OverlayBase & Pick<Space, 'encode'>): Overlay {
  return new SpaceOverlay(space)
}

/** A class for speed alone: one is made for every commit, and where they come one by one that is for every command. */
class SpaceOverlay implements Overlay {
  private base: OverlayBase
  /** By name, which says the table as well. */
  private readonly entries = new Map<string, Entry>()
  private readonly byTable = new Map<string, Entry[]>()
  /** Entries of a table by their key without its last part; built when a range of the table is first read. */
  private readonly byParent = new Map<string, Map<string, Entry[]>>()
  /** Tables whose keys are not all of one length. */
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

  /** Entries that may be in the range. The index keeps them few when many commands of one commit write the table. */
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
    // May throw, and then nothing is kept.
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

  /** Entries that were never kept are the last ones of their lists, and are dropped together. */
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

/** One text for each key of each table: parts say what they are and where they end, so no two keys read alike. */
export function nameOf(table: { readonly name: string }, key: Key): string {
  // A space ends the name of the table: none has one.
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

/** Bytes whose order is that of the store within a table: they are the store's own. */
export function orderBytes(key: Key): Buffer {
  return keyBytes(unnamed, key)
}
