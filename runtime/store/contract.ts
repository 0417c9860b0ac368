/** The store: typed tables in one ordered map, synchronous reads, and one durable write path. */

export type KeyPart = string | number
export type Key = readonly KeyPart[]

/**
 * The declaration of a table. A stored record carries the version under which it was written; when an older one is
 * read, it passes through the upgrades from its version on, each a pure function from one version to the next.
 */
export interface Table<K extends Key, V> {
  readonly name: string
  readonly version: number
  readonly upgrades: Readonly<Record<number, (old: never) => unknown>>
  /**
   * Keys begin with an owner, and the records of one owner in all such tables lie side by side, so that a decision for
   * one owner changes few pages of the file. A range stays within one owner.
   */
  readonly isByOwner?: true
  /** Records are read again shortly after they are written, so a shard caches the newest of them. */
  readonly isCachedOnWrite?: true
  /** The shard also caches records on read: they are read far more often than written. */
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
  /** Leading parts that every key of the range shares. Absent: the whole table, which must not be one by owner. */
  readonly prefix?: Key
  /** Starts strictly after this key, in the direction of travel. */
  readonly after?: Key
  /** Ends strictly before this key; forward ranges only. */
  readonly before?: Key
  readonly reverse?: boolean
  readonly limit?: number
}

export interface Row<K extends Key, V> {
  readonly key: K
  readonly value: V
}

/**
 * Reads are synchronous, see every finished commit, and never wait for a write. A read may see a commit a moment before
 * it resolves; it is as durable then as when it resolves. Rows come in key order: part by part, numbers by size before
 * strings by code point, a shorter key before the keys that begin with it. A range walked within one turn sees one
 * state; walked over several turns it sees commits made meanwhile, and never a row twice. It holds no resource of the
 * database between rows, so a caller may stop anywhere. A key too long, `before` on a reverse range, or a range over
 * all owners throws: a bug of the caller.
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

/** A commit whose place in the order is fixed before all its changes are known. */
export interface DeferredCommit {
  /** Returns all changes; called once, right before they are written. Without changes nothing is written. */
  collect(): readonly Change[]
  /**
   * The changes are as durable as those of a commit, and visible. Called before the next write begins, so it must be
   * quick.
   */
  onCommitted(): void
}

/** The caller's handle of a deferred commit. */
export interface DeferredWrite {
  /** Resolves after `onCommitted`. Rejects when the commit will never be written, collected or not. */
  readonly done: Promise<void>
  /** Writes the commit as soon as possible. An unflushed commit is written with the next flushed one, or waits. */
  flush(): void
}

export type CommitDeferred = (commit: DeferredCommit) => DeferredWrite

/**
 * One shard's part of the store: a keyspace that no other space can see.
 * `commit` makes its changes durable together or not at all, in the order of the calls, and resolves once they would
 * survive a power cut. With `durability: 'async'` it resolves once readers see them, and a later transaction writes
 * them. After a crash or a power cut the data is then all that was committed up to some moment, in every space. Commits
 * called while a write is running share the next one, across spaces.
 */
export interface Space extends Reader {
  /**
   * Encodes the writes as they are now. A key too long, or a record that is not plain data, throws: a bug of the
   * caller.
   */
  encode(writes: readonly Write[]): Change[]
  commit(changes: readonly Change[]): Promise<void>
  /** The same, but the changes are collected when they are written, in the order of the calls. */
  readonly commitDeferred: CommitDeferred
  /** Up to `limit` rows of any table in key order, strictly after `after`; for copies of the space. */
  rows(after: Uint8Array | undefined, limit: number): Change[]
}

/** The installation and the node to which the data belongs. */
export interface StoreIdentity {
  /** Drawn when the data was created; a node that joins a cluster adopts the cluster's. */
  readonly installation: string
  /** The id of this data directory, the same for its whole life; letters and digits. */
  readonly node: string
}

/**
 * After a failed commit the store accepts no more writes: every later one fails with StoreFailed until the process
 * restarts. While the disk is nearly full the store refuses commits with StoreFailed before it writes anything,
 * together with all that wait at that moment, and accepts commits again once there is space. Reads continue in both
 * cases.
 */
export interface Store {
  /** Shards are numbered from 0. The same number always gives the same space. */
  space(shard: number): Space
  /** Data of this node that belongs to no shard. */
  readonly own: Space
  readonly identity: StoreIdentity
  /** Makes this data part of another installation: for a node that has no shard state yet and joins a cluster. */
  adopt(installation: string): Promise<void>
  /** The reason why the store accepts no writes at this moment, if any. */
  failure(): Error | undefined
  close(): Promise<void>
}

/** A store that can write a copy of its file. */
export interface FileStore extends Store {
  /**
   * Writes every commit before the call into a file, and no part of any other commit, while commits go on: one
   * consistent state of every space. Resolves once the file is on the disk.
   */
  copyTo(path: string): Promise<void>
}

/** The directory cannot be opened as requested; `message` is a sentence for the operator. Nothing was changed. */
export class StoreUnusable extends Error {
  override readonly name = 'StoreUnusable'
}

/** A commit did not reach the disk; no part of it may be acknowledged. `message` is a sentence for the operator. */
export class StoreFailed extends Error {
  override readonly name = 'StoreFailed'
}

/**
 * In the node's own space: the data follows the logs of a cluster, and would diverge from them if it were opened alone.
 */
export const clusterTable = table<[], true>('cluster')
