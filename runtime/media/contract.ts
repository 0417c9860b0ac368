/**
 * Contracts of media. `Media` fetches media that messages name by URL before they are sent, checks its content, stores
 * it, and gives it a gateway URL. `MediaStore` stores the bytes; it has several implementations.
 */
import type { Refusal } from '../../core/errors.js'

/** The media that a channel can show. */
export interface MediaRequirements {
  /** Types such as `image/png`, or a family such as `image/*`. */
  readonly types: readonly string[]
  readonly maxBytes: number
  /** Also accepts content of an unknown type, as a file that is saved and never shown. */
  readonly allowsUnknown?: true
}

/** Media that Parley stores and serves at a URL that cannot be guessed and reveals nothing of its source. */
export interface RehostedMedia {
  readonly url: string
  /** The type by content, regardless of the server's content type. */
  readonly type: string
  readonly bytes: number
}

/** Media that Parley stores, by the name of its object. */
export interface StoredMedia {
  readonly name: string
  readonly type: string
  readonly bytes: number
}

/** Where media can be fetched. */
export interface Source {
  readonly url: string
  /** Sent only to the host of the URL, never to the target of a redirect. */
  readonly secretHeaders?: Readonly<Record<string, string>>
  /** Hex key of content that is encrypted with AES-256 in counter mode, with a counter that starts at zero. */
  readonly aesKey?: string
}

/** Resolves a source once a fetch is needed. The signal fires when the last caller stops waiting. */
export type FindSource = (signal: AbortSignal) => Promise<Source | Unreachable | Refusal> | Source

export interface Unreachable {
  readonly reason: 'mediaUnreachable'
  /** The cause: the source, the type of the content, its size, or the space in Parley's store. */
  readonly why: 'source' | 'type' | 'size' | 'full'
  /** One sentence for the sender, without addresses and internals. */
  readonly detail: string
}

/**
 * URLs that differ only in their queries are different media. One URL is fetched once: concurrent callers share the
 * fetch, and later callers get the stored media. It is stored for at least 30 days after the last `rehost` that
 * returned it. Processes that fetch the same URL at the same moment return the same address.
 */
export interface Media {
  /**
   * Resolves once the bytes and their record are durable. A refusal means that Parley's own state was unavailable: it
   * says nothing about the media, and the caller may retry. Rejects with the signal's reason when the signal fires;
   * other callers that wait for the same URL are not affected.
   */
  rehost(
    url: string,
    requirements: MediaRequirements,
    signal?: AbortSignal,
  ): Promise<RehostedMedia | Unreachable | Refusal>
  /**
   * The same for inbound media, under a token that identifies it, with any type and any size up to the storage limit.
   * The source may also be an emulated provider of this node.
   */
  fetchInbound(token: string, find: FindSource): Promise<StoredMedia | Unreachable | Refusal>
  /** Aborts all running fetches. */
  close(): Promise<void>
}

/** The bytes of one object. */
export interface StoredObject {
  /** Absent when the store does not know the length; a reader of such an object may stop at any byte. */
  readonly bytes?: number
  /**
   * Streams the bytes from `from` to the end, once; throws instead of ending early. Opens nothing before the first
   * read.
   */
  read(from: number): AsyncIterable<Uint8Array>
}

/** Objects under names that are used once; an object is complete or absent. */
export interface MediaStore {
  /**
   * Resolves once the whole object is durable. When the source throws, nothing is stored and its error is rethrown.
   * Throws `StorageFull` when there is no space; after any other error of the store the object may or may not exist.
   */
  put(name: string, parts: AsyncIterable<Uint8Array>): Promise<void>
  /** Undefined when the object does not exist. */
  get(name: string): Promise<StoredObject | undefined>
  /** Also removes an incomplete object; no effect when there is none. */
  remove(name: string): Promise<void>
}

/** The store has no space for another object; stored objects stay. */
export class StorageFull extends Error {
  override readonly name = 'StorageFull'
}
