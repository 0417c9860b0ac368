/**
 * Media that messages name by URL: fetched before anything is sent, judged by its content, kept, and handed on under an
 * address of our own. And where its bytes are kept, behind an interface that several backings serve alike.
 */
import type { Refusal } from '../../core/errors.js'

/** What a channel can show. */
export interface MediaRequirements {
  /** Types as `image/png`, or a whole family as `image/*`. */
  readonly types: readonly string[]
  readonly maxBytes: number
  /** Content that nobody here knows is wanted too, as a file that is saved and never shown. */
  readonly allowsUnknown?: true
}

/** Kept by us and served to whoever has the address, which cannot be guessed and says nothing of where it came from. */
export interface RehostedMedia {
  readonly url: string
  /** What its content is, whatever its server called it. */
  readonly type: string
  readonly bytes: number
}

/** Kept by us, under the name of its object. */
export interface StoredMedia {
  readonly name: string
  readonly type: string
  readonly bytes: number
}

/** Where something is. */
export interface Source {
  readonly url: string
  /** For the host of the URL and for nobody whom it sends us on to. */
  readonly secretHeaders?: Readonly<Record<string, string>>
  /** What is there is encrypted with AES-256 in counter mode from zero, under this key in hex. */
  readonly aesKey?: string
}

/** Finds out where something is, once it is known that it has to be fetched. The signal fires when nobody waits any more. */
export type FindSource = (signal: AbortSignal) => Promise<Source | Unreachable | Refusal> | Source

export interface Unreachable {
  readonly reason: 'mediaUnreachable'
  /** Whether the trouble is with where it comes from, with what it is, with its size, or with room on our side. */
  readonly why: 'source' | 'type' | 'size' | 'full'
  /** One sentence for the sender; it names no address and nothing of our side. */
  readonly detail: string
}

/**
 * Two URLs are two media, even if only their queries differ, and one URL is fetched once: asked for by many at a time it
 * is fetched for all of them, and asked for later it is not fetched again while it is kept. It is kept for 30 days at least
 * from the last time `rehost` answered with it. Processes that fetch the same URL at the same moment answer with one and
 * the same address.
 */
export interface Media {
  /**
   * Answers once the bytes and the record of them are durable. A refusal means that our own state could not be reached:
   * nothing is known of the media, and the caller may try again. Rejects with the signal's reason when the signal fires;
   * others who wait for the same URL are not disturbed.
   */
  rehost(
    url: string,
    requirements: MediaRequirements,
    signal?: AbortSignal,
  ): Promise<RehostedMedia | Unreachable | Refusal>
  /**
   * The same for what people sent us, under a word that stands for it and for nothing else, whatever its type and as far as
   * we keep any size. It may come from the providers that this node runs itself, too.
   */
  fetchInbound(token: string, find: FindSource): Promise<StoredMedia | Unreachable | Refusal>
  /** Cuts the fetches under way. */
  close(): Promise<void>
}

/** The bytes of one object. */
export interface StoredObject {
  /** Absent where the backing cannot tell; whoever reads there may stop anywhere without a word. */
  readonly bytes?: number
  /** From that byte on to the end, once; it throws rather than end early. Nothing is held before it is read. */
  read(from: number): AsyncIterable<Uint8Array>
}

/** Objects under names that are given once and never again, each whole or not there. */
export interface MediaStore {
  /**
   * Resolves once all of it is durable. A source that throws leaves nothing, and its error is thrown on. `StorageFull` when
   * there is none for it; any other error is of the backing, and then what was put may be there or not.
   */
  put(name: string, parts: AsyncIterable<Uint8Array>): Promise<void>
  /** Undefined when there is none. */
  get(name: string): Promise<StoredObject | undefined>
  /** Of something that is not there, or was only put in part, too: afterwards nothing is left. */
  remove(name: string): Promise<void>
}

/** Nothing more can be kept just now; what is kept stays. */
export class StorageFull extends Error {
  override readonly name = 'StorageFull'
}
