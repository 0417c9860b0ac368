/**
 * The bus: what the nodes of a cluster share. A log for each shard, buckets of small values, requests between nodes,
 * and large objects. Each keeps its guarantees independently, and none interprets an entry, a value or a message.
 */

/**
 * The commit log of one shard. Entries are numbered from 1 without gaps, and an entry that was read at a number stays
 * the same (unless the servers lose their disks, which shows as `last` going back). An entry has at most `entryBytes`.
 */
export interface Log {
  readonly entryBytes: number
  /**
   * Adds the entry with the number `after + 1`, if the log ends at `after` at that moment. `appended`: it is durable.
   * `conflict`: the log does not end there, so this call did not add the entry. After a BusUnreachable the entry may be
   * in the log or not, or be added later: the caller calls again, which never adds it twice.
   */
  append(entry: Uint8Array, after: number): Promise<'appended' | 'conflict'>
  /** First and last number as the log's leader knows them; `first` is `last + 1` when the log is empty. */
  bounds(): Promise<{ first: number; last: number }>
  /** Undefined when the entry was trimmed or is not appended yet. */
  read(number: number): Promise<Uint8Array | undefined>
  /**
   * Calls `onEntry` with every entry after `after`, in order, once each, the next after the returned promise has
   * resolved. When an entry was trimmed before it was read, the servers are lost, or `onEntry` throws, it calls `onEnd`
   * once and stops; the caller begins again. The returned function stops it without a call of `onEnd`. After either, no
   * callback is called.
   */
  follow(
    after: number,
    onEntry: (entry: Uint8Array, number: number) => void | Promise<void>,
    onEnd: (reason: unknown) => void,
  ): () => void
  /** Deletes the entries up to and including that number. */
  trim(upTo: number): Promise<void>
}

/** The entry of a key in a bucket. `revision` grows with every change of the bucket. A removed key has no `value`. */
export interface KvEntry {
  readonly revision: number
  readonly value?: Uint8Array
}

/** Small values under keys of letters, digits, dashes and dots. Every watcher sees the changes of one key in order. */
export interface Bucket {
  /** Resolves with the new revision once a majority of the servers has it. */
  put(key: string, value: Uint8Array): Promise<number>
  /** Puts only when the key has no value; resolves with whether it did. */
  create(key: string, value: Uint8Array): Promise<boolean>
  /** As the leader knows it: sees every acknowledged put. Undefined: never put, or removed long ago. */
  get(key: string): Promise<KvEntry | undefined>
  remove(key: string): Promise<void>
  /**
   * Calls the listener with every present value, then with every change, until the returned function is called;
   * resolves after the present values. A watch outlives a loss of the servers, and then reports the keys that changed
   * meanwhile.
   */
  watch(listener: (key: string, entry: KvEntry) => void): Promise<() => void>
}

/**
 * Requests between nodes. A request reaches every server of its subject at most once, may be lost, and its first answer
 * wins. It rejects with NoResponders at once when the subject has no server, and with a BusUnreachable when no answer
 * comes within `withinMs`. Requests and answers have up to `messageBytes` (core/limits); a longer one throws before it
 * is sent.
 */
export interface Rpc {
  request(subject: string, body: Uint8Array, withinMs: number): Promise<Uint8Array>
  /** Calls `answer` for every request, without waiting for earlier ones. When it rejects, the request has no answer. */
  serve(subject: string, answer: (body: Uint8Array) => Promise<Uint8Array>): () => void
}

/** Large objects, each whole or absent. */
export interface ObjectStore {
  /** Replaces the object of that name once all of it is durable; until then readers get the old one. */
  put(name: string, parts: AsyncIterable<Uint8Array>): Promise<void>
  /**
   * Undefined when the object does not exist. The stream throws when the content differs from the stored one, so a
   * reader must not use any part of it before its end.
   */
  get(name: string): Promise<AsyncIterable<Uint8Array> | undefined>
  /** Deletes the object, and the chunks of every incomplete put of that name. */
  remove(name: string): Promise<void>
}

export interface Bus extends Rpc {
  /** The log of one shard, created when there is none. */
  log(shard: number): Promise<Log>
  /** The live nodes. In the servers' memory: all entries may be lost at once, with the leases they carry. */
  readonly members: Bucket
  /** Durable settings of the installation. */
  readonly settings: Bucket
  readonly objects: ObjectStore
  /** The reason why the bus cannot be used at this moment, in a sentence. */
  failure(): string | undefined
  /** Warnings for the operator while the bus works, a sentence each: an old server, an unknown sync setting. */
  warnings(): readonly string[]
  close(): Promise<void>
}

/** The servers did not answer. The call may have taken effect or not. */
export class BusUnreachable extends Error {
  override readonly name = 'BusUnreachable'
}

/** No node serves that subject: the request had no effect. */
export class NoResponders extends Error {
  override readonly name = 'NoResponders'
}

/** The bus cannot be used as configured; `message` is a sentence for the operator. */
export class BusUnusable extends Error {
  override readonly name = 'BusUnusable'
}
