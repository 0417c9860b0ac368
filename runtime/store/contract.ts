/** What the store promises: typed tables in one ordered map, reads that never wait, and one durable way to write. */

export type KeyPart = string | number
export type Key = readonly KeyPart[]

/**
 * A table's declaration. A stored record carries the version it was written under; one older than `version` passes
 * through the upgrades from its own number on, each a pure function from one version to the next, when it is read.
 */
export interface Table<K extends Key, V> {
  readonly name: string
  readonly version: number
  readonly upgrades: Readonly<Record<number, (old: never) => unknown>>
  /** Never set: they carry the types of key and record. */
  readonly keyType?: K
  readonly recordType?: V
}

export function table<K extends Key, V>(
  name: string,
  version = 1,
  upgrades: Readonly<Record<number, (old: never) => unknown>> = {},
): Table<K, V> {
  for (let from = 1; from < version; from++) {
    if (!upgrades[from]) throw new Error(`table ${name} has no upgrade from version ${from}`)
  }
  return { name, version, upgrades }
}

export interface RangeOptions {
  /** Leading parts that every key shares. Absent: the whole table. */
  readonly prefix?: Key
  /** Start strictly after this key, in the direction of travel. */
  readonly after?: Key
  /** End strictly before this key; forward ranges only. */
  readonly before?: Key
  readonly reverse?: boolean
  readonly limit?: number
}

export interface Row<K extends Key, V> {
  readonly key: K
  readonly value: V
}

/** Reads are synchronous, see every finished commit, and never wait for a write. Rows come in key order. */
export interface Reader {
  get<K extends Key, V>(table: Table<K, V>, key: K): V | undefined
  range<K extends Key, V>(table: Table<K, V>, options?: RangeOptions): Iterable<Row<K, V>>
}

/** One change of one record; `value` absent removes it. */
export interface Write {
  readonly table: Table<Key, unknown>
  readonly key: Key
  readonly value?: unknown
}

/**
 * `commit` makes its writes durable together or not at all, in the order of the calls, and resolves once they would
 * survive a power cut. Commits called while one is on its way share the next. After a failed commit the store takes no
 * more writes: every later one fails with StoreFailed until the process is started again.
 */
export interface Store extends Reader {
  commit(writes: readonly Write[]): Promise<void>
  /** Why the store no longer takes writes, if so. */
  failure(): Error | undefined
  close(): Promise<void>
}

/** The directory cannot be opened as asked; `message` is a sentence for the operator. Nothing was changed. */
export class StoreUnusable extends Error {
  override readonly name = 'StoreUnusable'
}

/** A commit did not reach the disk; nothing of it may be acknowledged. */
export class StoreFailed extends Error {
  override readonly name = 'StoreFailed'
}
