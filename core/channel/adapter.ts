/**
 * One shape an adapter: how one provider of one channel is spoken to. `render`, `signal`, `receive`, `validateAuth` and
 * `traitsForDevice` are pure; whatever waits gets its way out handed to it. An adapter keeps nothing between calls that it could not lose at any
 * moment, except in a line, which ends with the process.
 */

import type { Signal } from '../amf/index.js'
import type { ChannelName } from '../channelnames.js'
import type { Block } from './blocks.js'
import type { ProviderForm } from './form.js'
import type { InboundReference, MediaAccess, ReportedInbound } from './providermedia.js'
import type { SocketCodec } from './socketcodec.js'
import type { Traits } from './traits.js'

/** Raised when a change here asks something of adapters; a node refuses those that speak another version. */
export const contractVersion = 1

/**
 * `Auth` is what the credential form of the provider asks for, `Payload` one request to it as plain data, `Connection` a line to
 * providers that are not called but connected to.
 */
export interface Adapter<
  Auth = unknown,
  Payload = unknown,
  Connection extends ProviderConnection = ProviderConnection,
> {
  readonly descriptor: Descriptor
  /** What goes to the provider for these blocks, one entry a request, in order. Never sends what the traits do not have. */
  render(blocks: readonly Block[], context: RenderContext): readonly Payload[]
  /**
   * Hands over one request. `id` is the same each time this one is tried, so that a provider which knows ids sends it
   * once. Never rejects for what the provider did, and no secret stands in what it answers.
   */
  send(payload: Payload, context: SendContext<Auth, Connection>): PromiseLike<SendOutcome>
  /** Checks the signature over the raw bytes, then reads every item by itself: a bad one is a problem, not the end. */
  receive(request: IngressRequest, auth: Auth): IngressResult
  /**
   * The traits for a device that can do this and no more of what the provider tells of devices; pure. Never more than
   * `descriptor.traits`, for any list: a word that is not known adds nothing. For those whose items or refusals carry
   * `deviceCapabilities`.
   */
  traitsForDevice?(deviceCapabilities: readonly string[]): Traits
  /** What to send for a signal; absent where the channel has none of them. */
  signal?(signal: Signal, context: RenderContext): Payload | undefined
  /** What is wrong with credentials although they fit the form. No secret stands in it. */
  validateAuth?(auth: Auth): AuthProblem | undefined
  /** Whom the channel reaches. Who is left out of the answer is unknown, which is not unreachable. */
  probe?(addresses: readonly string[], context: ProviderContext<Auth>): PromiseLike<ProbeResult>
  /**
   * Whether the provider has this request, where an earlier send of it had an unknown outcome: for providers that do not
   * know `id` again and can be asked for their messages.
   */
  find?(payload: Payload, context: FindContext<Auth, Connection>): PromiseLike<FindOutcome>
  /** Takes back what was sent and has not arrived. What arrives all the same has arrived. */
  revoke?(providerId: string, context: SendContext<Auth, Connection>): PromiseLike<'revoked' | 'tooLate' | 'unknown'>
  /**
   * By which request something opens that `receive` told as held: for those whose media opens with the credentials of the
   * binding only. What is held may be asked for long after it was told, and again and again.
   */
  openMedia?(mediaRef: string, context: ProviderContext<Auth>): PromiseLike<MediaAccess>
  /** What a person did, by the reference that `receive` told. For those whose items refer to it. */
  follow?(reference: string, context: ProviderContext<Auth>): PromiseLike<FollowOutcome>
  /** For providers that are connected to: opens the line by itself, again and again, until it is closed. */
  connect?(context: ConnectContext<Auth>): Connection
  /** For the channel whose people the gateway itself talks to: the frames of their sockets. What is on record there is sent. */
  readonly socket?: SocketCodec
}

export interface Descriptor {
  readonly contract: typeof contractVersion
  readonly channel: ChannelName
  readonly provider: string
  readonly traits: Traits
  /** How operators bind it, as the channels catalog shows it. */
  readonly form: ProviderForm
  /** Headers of the provider's calls that `receive` reads, in lower case. */
  readonly headers: readonly string[]
  /**
   * Messages in bulk that the provider lets through a second, for one binding. Absent: as many as any provider is taken to
   * bear. `unlimited` is for those alone that nothing is lost or turned away at, however much comes.
   */
  readonly bulkPerSecond?: number | 'unlimited'
}

export interface AuthProblem {
  /** As the caller spelt it, such as `serviceAccount.private_key`. */
  readonly field: string
  readonly message: string
}

export interface RenderContext {
  /** The person, as the provider knows them. */
  readonly address: string
  readonly messageId: string
  /** What the provider called the last thing that the person did. */
  readonly lastInboundId?: string
  /** All that their device can do, where that is known; the blocks are made for its traits. */
  readonly deviceCapabilities?: readonly string[]
}

/** What there is to work with on the way to a provider. */
export interface ProviderContext<Auth> {
  readonly auth: Auth
  readonly bindingId: string
  /** Where the provider calls in for this binding. */
  readonly ingressUrl: string
  readonly call: CallProvider
  readonly cache: ProviderCache
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Aborted when nothing may go out any more. */
  readonly signal: AbortSignal
}

export interface SendContext<Auth, Connection extends ProviderConnection = ProviderConnection>
  extends ProviderContext<Auth> {
  readonly address: string
  readonly id: string
  /** What `connect` opened for this binding. */
  readonly connection?: Connection
  /**
   * It must not go any more, as when the person has opted out meanwhile. `call` sees to it by itself; a line on which
   * messages wait for their turn asks right before each.
   */
  readonly isCancelled: () => boolean
}

export interface FindContext<Auth, Connection extends ProviderConnection = ProviderConnection>
  extends SendContext<Auth, Connection> {
  /** When it was handed over first, in milliseconds since 1970, as far as that is known. */
  readonly since: number
  /** What the provider calls other messages to the same person that are known: none of these is it. */
  readonly isKnown: (providerId: string) => boolean
}

export type FindOutcome =
  | { readonly kind: 'found'; readonly providerId: string }
  | { readonly kind: 'absent' }
  /** It cannot be told just now. */
  | { readonly kind: 'unknown'; readonly detail: string }

/** One HTTP exchange, within the time and size that a node allows. Never rejects, and follows no redirect. */
export type CallProvider = (request: ProviderRequest) => PromiseLike<ProviderResponse | NoResponse>

export interface ProviderRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

export interface ProviderResponse {
  readonly kind: 'answer'
  readonly status: number
  /** Empty where the answer has no such header. */
  readonly header: (name: string) => string
  /** All headers as data, with names in lower case, where the answer came over HTTP. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
  /** The body as it came. */
  readonly bytes?: Uint8Array
}

export interface NoResponse {
  readonly kind: 'none'
  /** Plain words that name nothing of our side. */
  readonly detail: string
  /** It cannot have reached the provider. Otherwise it may have. */
  readonly unsent: boolean
}

/** What is worth keeping for this binding a while, such as an access token. It may be gone at any moment. */
export interface ProviderCache {
  /** Made once, however many ask for it. Undefined when it could not be made, which the next who asks will try again. */
  get<T>(
    name: string,
    load: () => PromiseLike<{ readonly value: T; readonly until: number } | undefined>,
  ): PromiseLike<T | undefined>
  /** The next who asks makes it anew. */
  invalidate(name: string): void
}

export type SendOutcome =
  | { readonly kind: 'sent'; readonly providerId: string }
  | {
      readonly kind: 'refused'
      /** A reason of the contract, or one word of the adapter's own. */
      readonly reason: string
      readonly detail?: string
      readonly retry: 'later' | 'otherChannel' | 'never'
      /** With `later`: how long the provider asks to wait, in milliseconds. */
      readonly retryAfterMs?: number
      /**
       * The provider may have taken it, and would take the same again for another message: only for providers that do not
       * know `id` again. Such a message is handed over once more at most, or as often as `find` says that it is not there.
       */
      readonly isUnknown?: true
      /**
       * The account, its credentials or its sender: nothing will go out over this binding before an operator has seen to
       * it. Never for what concerns one person. It is believed once a second call with fresh credentials says the same.
       */
      readonly needsOperator?: true
      /**
       * All that the person's device can do, in words of the provider, where that may be why it was turned away. It is then
       * written for that device and handed over once more, under another `id`, if what is out already is the same in both.
       */
      readonly deviceCapabilities?: readonly string[]
    }

export interface ProbeResult {
  readonly reachable: readonly string[]
  readonly unreachable: readonly string[]
}

/** A line that stays open. What comes in over it is told as items; what was told is on record once `report` resolves. */
export interface ProviderConnection {
  /** Undefined while it is up; otherwise why it is not, in words without a secret. */
  problem(): string | undefined
  /** Ends it in good order. Sends that wait for an answer get one. */
  close(): PromiseLike<void>
}

export interface ConnectContext<Auth> extends ProviderContext<Auth> {
  /** An address of that host that may be connected to; undefined when there is none. Connect to it and to nothing else. */
  readonly addressOf: (host: string, port: number) => PromiseLike<string | undefined>
  /** Rejects when it is not on record: then the provider must not be told that it was taken. */
  readonly report: (items: readonly Item[]) => PromiseLike<void>
}

export interface IngressRequest {
  readonly bindingId: string
  readonly method: 'GET' | 'POST'
  /** As the provider called it: the public address, with its query. */
  readonly url: string
  readonly header: (name: string) => string
  readonly body: Uint8Array
  /** When it came, in milliseconds since 1970. */
  readonly at: number
}

export type IngressResult =
  /** It did not come from the provider. Nothing of it is kept. */
  | { readonly kind: 'refused' }
  /** A greeting that wants a certain answer. */
  | { readonly kind: 'answer'; readonly status: number; readonly type: string; readonly body: string }
  /** It came from the provider and nothing of it can be read: the provider keeps it, and calls again. */
  | { readonly kind: 'unreadable'; readonly problem: string }
  | { readonly kind: 'items'; readonly items: readonly Item[]; readonly otherAccounts?: readonly OtherAccountItems[] }

/**
 * A part of a call that is about another account than the binding's own: of providers that have one address for several
 * accounts. It goes to the binding of the org that has the account, if its own credentials prove the call as well.
 */
export interface OtherAccountItems {
  readonly account: string
  /** What it comes to for this binding where no other one has the account; absent: the provider keeps it. */
  readonly items?: readonly Item[]
}

/**
 * Something that happened to one person, under an id by which the provider repeats it; or what could not be read. The call
 * is refused for that, once all else in it is on record, so that the provider keeps it. What a person did and no message
 * can say is told as a message that says so; what is of no person and no news, such as an echo, is left out.
 */
export type Item =
  | {
      readonly id: string
      readonly address: string
      /** Another address of the same person, by which alone the provider may name them another time. */
      readonly alias?: string
      readonly inbound: ReportedInbound
      /** All that the person's device can do, in words of the provider; absent where it did not say. */
      readonly deviceCapabilities?: readonly string[]
    }
  | { readonly problem: string }

export type FollowOutcome =
  | { readonly kind: 'inbound'; readonly inbound: Exclude<ReportedInbound, InboundReference> }
  | { readonly kind: 'refused'; readonly detail: string }
