/**
 * One shape an adapter: how one provider of one channel is spoken to. `render` and `receive` are pure; `send` is the only
 * one that waits. An adapter keeps nothing between calls that it could not lose at any moment.
 */

import type { Signal } from '../amf/index.js'
import type { Inbound } from '../conversation/hear.js'
import type { Block } from '../render/contract.js'
import type { ChannelName } from './names.js'
import type { Traits } from './traits.js'

/** Raised when a change here asks something of adapters; a node refuses those that speak another version. */
export const contractVersion = 1

/** `Auth` is what the credential form of the provider asks for, `Wire` one request to it as plain data. */
export interface Adapter<Auth = unknown, Wire = unknown> {
  readonly descriptor: Descriptor
  /** What goes to the provider for these blocks, one entry a request, in order. Never sends what the traits do not have. */
  render(blocks: readonly Block[], about: Addressed): readonly Wire[]
  /**
   * Hands over one request. `id` is the same each time this one is tried, so that a provider which knows ids sends it
   * once. Never rejects for what the provider did, and no secret stands in what it answers.
   */
  send(wire: Wire, sending: Sending<Auth>): PromiseLike<SendOutcome>
  /** Checks the signature over the raw bytes, then reads every item by itself: a bad one is a problem, not the end. */
  receive(request: IngressRequest, auth: Auth): Received
  /** What to send for a signal; absent where the channel has none of them. */
  signal?(signal: Signal, about: Addressed): Wire | undefined
}

export interface Descriptor {
  readonly contract: typeof contractVersion
  readonly channel: ChannelName
  readonly provider: string
  readonly traits: Traits
  /** Headers of the provider's calls that `receive` reads, in lower case. */
  readonly headers: readonly string[]
}

export interface Addressed {
  /** The person, as the provider knows them. */
  readonly address: string
  readonly messageId: string
}

export interface Sending<Auth> {
  readonly auth: Auth
  readonly bindingId: string
  readonly address: string
  readonly id: string
  /** Aborted when nothing may go out any more. */
  readonly signal: AbortSignal
}

export type SendOutcome =
  | { readonly kind: 'sent'; readonly providerId: string }
  | {
      readonly kind: 'refused'
      /** A reason of the contract, or one word of the adapter's own. */
      readonly reason: string
      readonly detail?: string
      readonly again: 'later' | 'elsewhere' | 'never'
    }

export interface IngressRequest {
  readonly bindingId: string
  readonly method: 'GET' | 'POST'
  /** As the provider called it: the public address, with its query. */
  readonly url: string
  readonly header: (name: string) => string
  readonly body: Uint8Array
}

export type Received =
  /** It did not come from the provider. Nothing of it is kept. */
  | { readonly kind: 'refused' }
  /** A greeting that wants a certain answer. */
  | { readonly kind: 'answer'; readonly status: number; readonly type: string; readonly body: string }
  | { readonly kind: 'items'; readonly items: readonly Item[] }

/** Something that happened to one person, under an id by which the provider repeats it; or what could not be read. */
export type Item =
  | { readonly id: string; readonly address: string; readonly inbound: Inbound }
  | { readonly problem: string }
