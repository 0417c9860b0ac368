/**
 * What the nodes of a cluster share: a log for each shard, buckets of small values, requests between nodes, and large
 * objects. Each keeps its guarantees by itself, and none knows what an entry, a value or a message means.
 */

/**
 * The commit log of one shard. Entries are numbered from 1 without gaps, and an entry that was read at a number stays the
 * same (unless the servers lose their disks, which shows as `last` going back). An entry has at most `entryBytes`.
 */
export interface Log {
  readonly entryBytes: number
  /**
   * Adds the entry with the number `after + 1`, if the log ends at `after` at that moment. `appended`: it is durable.
   * `taken`: the log does not end there, so this call did not add the entry. On a BusUnreachable the entry may be added or
   * not, even later: the caller calls again, which can never add it twice.
   */
  append(entry: Uint8Array, after: number): Promise<'appended' | 'conflict'>
  /** First and last number as the log's leader knows them; `first` is `last + 1` when the log is empty. */
  bounds(): Promise<{ first: number; last: number }>
  /** Undefined when the number was trimmed or is not appended yet. */
  read(number: number): Promise<Uint8Array | undefined>
  /**
   * Calls `onEntry` with every entry after `after`, in order, once each, the next when the last call has resolved. When an
   * entry was trimmed before it was read, the servers are lost, or `onEntry` throws, it calls `onEnd` once and stops; the
   * caller begins again. The returned function stops it without calling `onEnd`; after either, nothing is called.
   */
  follow(
    after: number,
    onEntry: (entry: Uint8Array, number: number) => void | Promise<void>,
    onEnd: (why: unknown) => void,
  ): () => void
  /** Deletes the entries up to and including that number. */
  trim(upTo: number): Promise<void>
}

/** What a bucket holds under a key. `revision` grows with every change of the bucket. A removed key has no `value`. */
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
  /** As the leader knows it: a put that was acknowledged before is seen. Undefined: never put, or removed long ago. */
  get(key: string): Promise<KvEntry | undefined>
  remove(key: string): Promise<void>
  /**
   * Calls the listener with every present value, then with every change, until the returned function is called; resolves
   * when the present values are through. A watch outlives a loss of the servers, and then reports whatever changed.
   */
  watch(listener: (key: string, entry: KvEntry) => void): Promise<() => void>
}

/**
 * Requests between nodes. A request reaches every server of its subject at most once, may be lost, and its first answer
 * wins. It rejects with NoResponders at once when there is no server, and with a BusUnreachable when no answer comes within
 * `withinMs`. Requests and answers have up to `messageBytes` (core/limits); longer ones throw before anything is sent.
 */
export interface Rpc {
  request(subject: string, body: Uint8Array, withinMs: number): Promise<Uint8Array>
  /** Calls `answer` for every request, without waiting for earlier ones. When it rejects, the request has no answer. */
  serve(subject: string, answer: (body: Uint8Array) => Promise<Uint8Array>): () => void
}

/** Large objects, each whole or absent. */
export interface ObjectStore {
  /** Replaces the object of that name once all of it is durable; until then the old one is read. */
  put(name: string, parts: AsyncIterable<Uint8Array>): Promise<void>
  /**
   * Undefined when there is none. The stream throws when what arrives is not what was put, so a reader may use nothing of
   * it before its end.
   */
  get(name: string): Promise<AsyncIterable<Uint8Array> | undefined>
  /** Deletes the object, and the parts of every put of that name that did not become whole. */
  remove(name: string): Promise<void>
}

export interface Bus extends Rpc {
  /** The log of one shard, created when there is none. */
  log(shard: number): Promise<Log>
  /** Which nodes are alive. In the servers' memory: it may be lost as a whole, with every node's claim to be alive. */
  readonly members: Bucket
  /** What the installation has settled. Durable. */
  readonly settings: Bucket
  readonly objects: ObjectStore
  /** Why the bus cannot be used at the moment, in a sentence. */
  failure(): string | undefined
  /** What an operator should know although the bus works, a sentence each: an old server, an unknown sync setting. */
  warnings(): readonly string[]
  close(): Promise<void>
}

/** The servers did not answer. What was asked may or may not have happened. */
export class BusUnreachable extends Error {
  override readonly name = 'BusUnreachable'
}

/** No node serves that subject: what was asked did not happen. */
export class NoResponders extends Error {
  override readonly name = 'NoResponders'
}

/** The bus cannot be used as configured; `message` is a sentence for the operator. */
export class BusUnusable extends Error {
  override readonly name = 'BusUnusable'
}
