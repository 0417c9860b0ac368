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
  /**
   * Its keys begin with an owner, and its records lie beside those that other such tables have of the same owner, so that
   * what is decided for one changes few pages of the file. Its ranges are within one owner.
   */
  readonly isByOwner?: true
  /** Its records are read again soon after they are written, so a shard keeps the newest of them at hand. */
  readonly isCachedOnWrite?: true
  /** Also those that were only read are kept at hand: they are read far more often than written. */
  readonly isCachedOnRead?: true
  /** Never set: they carry the types of key and record. */
  readonly keyType?: K
  readonly recordType?: V
}

export function table<K extends Key, V>(
  name: string,
  version = 1,
  upgrades: Readonly<Record<number, (old: never) => unknown>> = {},
): Table<K, V> {
  if (name.includes(' ')) throw new Error(`table ${name} has a space in its name, which ends there`)
  for (let from = 1; from < version; from++) {
    if (!upgrades[from]) throw new Error(`table ${name} has no upgrade from version ${from}`)
  }
  return { name, version, upgrades }
}

export function byOwner<K extends readonly [string, ...Key], V>(table: Table<K, V>): Table<K, V> {
  return { ...table, isByOwner: true }
}

export function cacheWrites<K extends Key, V>(table: Table<K, V>): Table<K, V> {
  return { ...table, isCachedOnWrite: true }
}

export function cacheReads<K extends Key, V>(table: Table<K, V>): Table<K, V> {
  return { ...table, isCachedOnWrite: true, isCachedOnRead: true }
}

export interface RangeOptions {
  /** Leading parts that every key shares. Absent: the whole table, which must not be one by owner. */
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

/**
 * Reads are synchronous, see every finished commit, and never wait for a write. What they see is as durable as a commit
 * is when it resolves; it may be seen a moment before. Rows come in key order: part by part, numbers by size before strings by
 * code point, a shorter key before those it begins. A range walked within one turn sees one state; walked over several
 * it sees commits made meanwhile, never a row twice. It holds nothing of the database between rows, so it may be left
 * anywhere. Asked wrongly (a key too long, `before` on a reverse range, all owners) both throw: that is a bug of the caller.
 */
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

/** One change in bytes, its key as it is within its space; no value removes the key. */
export interface Change {
  readonly key: Buffer
  readonly value: Buffer | undefined
}

/** A commit whose changes are not all known when its place in the order of commits is. */
export interface DeferredCommit {
  /** All changes; called once, right before they are written. Nothing is written when there are none. */
  collect(): readonly Change[]
  /** The changes are as durable as those of a commit, and visible. Called before anything else is written: must be quick. */
  onCommitted(): void
}

/** The caller's handle of a deferred commit. */
export interface DeferredWrite {
  /** Resolves after `onCommitted`. Rejects when the commit will never be written, collected or not. */
  readonly done: Promise<void>
  /** Writes it as soon as possible. Without that it is written together with the next commit that is, or waits. */
  flush(): void
}

export type CommitDeferred = (commit: DeferredCommit) => DeferredWrite

/**
 * One shard's part of the store: a keyspace of its own that no other space can see.
 *
 * `commit` makes its changes durable together or not at all, in the order of the calls, and resolves once they would
 * survive a power cut. With `durability: 'async'` it resolves once readers see them, and a later transaction writes them.
 * What is found after a crash or a power cut is then all that was committed up to some moment, of every space.
 * Commits called while one is on its way share the next, those of other spaces included.
 */
export interface Space extends Reader {
  /** The writes as bytes, as they are now. A key too long or a record that is not plain data is a bug and throws. */
  encode(writes: readonly Write[]): Change[]
  commit(changes: readonly Change[]): Promise<void>
  /** The same, except that the changes are collected when they are written, in the order of the calls. */
  readonly commitDeferred: CommitDeferred
  /** Up to `limit` rows of any table in the order of their keys, strictly beyond `after`: what a copy is made from. */
  rows(after: Uint8Array | undefined, limit: number): Change[]
}

/** Who the data belongs to. */
export interface StoreIdentity {
  /** Drawn when the data was made; a node that joins a cluster takes on the cluster's. */
  readonly installation: string
  /** Of this data directory alone, the same for its whole life; letters and digits. */
  readonly node: string
}

/**
 * After a failed commit the store takes no more writes: every later one fails with StoreFailed until the process is
 * started again. While the disk is nearly full commits are refused with StoreFailed before anything is tried, together
 * with all that wait at that moment, and are taken again by themselves when space is back. Reads go on in both cases.
 */
export interface Store {
  /** Shards are numbered from 0. The same number always gives the same space. */
  space(shard: number): Space
  /** What this node keeps for itself, belonging to no shard. */
  readonly own: Space
  readonly identity: StoreIdentity
  /** Makes this data part of another installation: for a node that holds no shard's state yet and joins a cluster. */
  adopt(installation: string): Promise<void>
  /** Why the store takes no writes just now, if so. */
  failure(): Error | undefined
  close(): Promise<void>
}

/** A store of which a second file can be made. */
export interface FileStore extends Store {
  /**
   * Makes a file of everything that was committed before the call, and of no part of any commit, while commits go on:
   * one state of every space. Resolves once the file is on the disk.
   */
  copyTo(path: string): Promise<void>
}

/** The directory cannot be opened as asked; `message` is a sentence for the operator. Nothing was changed. */
export class StoreUnusable extends Error {
  override readonly name = 'StoreUnusable'
}

/** A commit did not reach the disk; nothing of it may be acknowledged. `message` is a sentence for the operator. */
export class StoreFailed extends Error {
  override readonly name = 'StoreFailed'
}

/** Of what a node keeps for itself: whether the data follows logs that are kept elsewhere. Alone it would go on without them. */
export const clusterTable = table<[], true>('cluster')
