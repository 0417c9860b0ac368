/**
 * What the nodes of a cluster share, in four parts that each keep their promise alone: a log for every shard, buckets of
 * small values, a wire between nodes, and snapshots. Nothing here knows what is in an entry or a message.
 */

/**
 * The commit log of one shard. Entries are numbered from 1 without gaps, and an entry once read at a number is there for
 * good (unless the servers lose their disks, which shows as `last` going back). An entry has at most `entryBytes`.
 */
export interface Log {
  readonly entryBytes: number
  /**
   * Makes the entry number `after + 1`, if the log ends at `after` at that moment. `appended`: it is durable. `taken`: the
   * log does not end there, so this entry was not added by this call. A BusUnreachable means it may or may not have been
   * added, even later: the caller finds out by calling again, which can never add it twice.
   */
  append(entry: Uint8Array, after: number): Promise<'appended' | 'taken'>
  /** First and last number held now, as the log's leader knows them; `first` is `last + 1` when it is empty. */
  bounds(): Promise<{ first: number; last: number }>
  /** Undefined when the number was trimmed away or not yet appended. */
  read(number: number): Promise<Uint8Array | undefined>
  /**
   * Tells every entry after `after`, in order, each once, the next when `take` has resolved. When it cannot go on (an
   * entry it should tell was trimmed, the servers are away, `take` threw) it says so once in `ended` and stays silent; the
   * caller begins again. The returned function ends it; nothing is told after that.
   */
  follow(
    after: number,
    take: (entry: Uint8Array, number: number) => void | Promise<void>,
    ended: (why: unknown) => void,
  ): () => void
  /** Forgets entries up to and including that number. */
  trim(upTo: number): Promise<void>
}

/** What a bucket holds under a key. `revision` grows with every change of the bucket. `value` is absent once removed. */
export interface Held {
  readonly revision: number
  readonly value?: Uint8Array
}

/** Small values under keys of letters, digits, dashes and dots. Changes of one key are seen in order by everybody. */
export interface Bucket {
  /** Resolves with the new revision once a majority of the servers has it. */
  put(key: string, value: Uint8Array): Promise<number>
  /** Puts only when nothing is there (or it was removed); answers whether it did. */
  create(key: string, value: Uint8Array): Promise<boolean>
  /** As the leader knows it now: a put that was acknowledged before is seen. Undefined: never put, or long removed. */
  get(key: string): Promise<Held | undefined>
  remove(key: string): Promise<void>
  /**
   * Tells what is there, then every change, until the returned function is called; resolves when what was there has been
   * told. It outlives losing and regaining the servers, and after that tells again whatever changed meanwhile.
   */
  watch(seen: (key: string, held: Held) => void): Promise<() => void>
}

/**
 * Messages between nodes. A request reaches every server of its subject at most once each, may be lost, and the first
 * answer wins. Nobody listening is told at once as NobodyListens; silence as BusUnreachable after `withinMs`. Both sides
 * may have up to `wireBytes` (core/limits): larger ones throw before anything is sent.
 */
export interface Wire {
  request(subject: string, body: Uint8Array, withinMs: number): Promise<Uint8Array>
  /** `answer` is called for every request, without waiting for earlier ones; one that rejects is not answered. */
  serve(subject: string, answer: (body: Uint8Array) => Promise<Uint8Array>): () => void
}

/** Large objects, each whole or not there. */
export interface Snapshots {
  /** Replaces the object under that name once all of it is durable; until then the old one is read. */
  put(name: string, parts: AsyncIterable<Uint8Array>): Promise<void>
  /** Undefined when there is none. The stream throws when what arrives is not what was put; use nothing of it before its end. */
  get(name: string): Promise<AsyncIterable<Uint8Array> | undefined>
  /** With all that was put under that name and never became whole. */
  remove(name: string): Promise<void>
}

export interface Bus extends Wire {
  /** The log of one shard, made when there is none. */
  log(shard: number): Promise<Log>
  /** Who is there. Held in the servers' memory: it may be lost as a whole, together with everybody's claim to be alive. */
  readonly members: Bucket
  /** What the installation has settled. Durable. */
  readonly settings: Bucket
  readonly snapshots: Snapshots
  /** Why the bus cannot be used just now, in a sentence. */
  failure(): string | undefined
  /** What an operator should know of it although it works, a sentence each: an old server, a sync setting not known. */
  remarks(): readonly string[]
  close(): Promise<void>
}

/** The servers did not answer. What was asked may or may not have happened. */
export class BusUnreachable extends Error {
  override readonly name = 'BusUnreachable'
}

/** Nobody serves that subject: what was asked did not happen. */
export class NobodyListens extends Error {
  override readonly name = 'NobodyListens'
}

/** The bus cannot be used as configured; `message` is a sentence for the operator. */
export class BusUnusable extends Error {
  override readonly name = 'BusUnusable'
}
