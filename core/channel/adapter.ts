/**
 * The adapter interface: how one provider of one channel is called and calls back. `render`, `signal`, `receive`,
 * `validateAuth` and `traitsForDevice` are pure; asynchronous methods get everything they need as a context. An adapter
 * keeps only state that it can lose at any moment, except in a connection, which ends with the process.
 */

import type { Signal } from '../amf/index.js'
import type { ChannelName } from '../channelnames.js'
import type { Block } from './blocks.js'
import type { ProviderForm } from './form.js'
import type { InboundReference, MediaAccess, ReportedInbound } from './providermedia.js'
import type { SocketCodec } from './socketcodec.js'
import type { Traits } from './traits.js'

/** Raised when a change here requires something of adapters; a node refuses adapters of another version. */
export const contractVersion = 1

/** What every adapter has. */
interface MessageAdapter<Auth, Payload, Connection extends ProviderConnection> {
  readonly descriptor: Descriptor
  /** The requests for these blocks, one entry per request, in order. Never sends what the traits do not have. */
  render(blocks: readonly Block[], context: RenderContext): readonly Payload[]
  /**
   * Hands over one request. `id` is the same in every attempt at it, so that a provider which deduplicates by id sends
   * it once. Never rejects because of the provider, and its outcome contains no secret.
   */
  send(payload: Payload, context: SendContext<Auth, Connection>): PromiseLike<SendOutcome>
  /**
   * Checks the signature over the raw bytes, then reads each item on its own: a bad item becomes a problem, and the
   * others are kept.
   */
  receive(request: IngressRequest, auth: Auth): IngressResult
}

/** Optional: what an adapter knows without a call to the provider. */
interface AdapterKnowledge<Auth, Payload> {
  /**
   * The traits for a device with exactly these capabilities; pure. Never more than `descriptor.traits`, for any list:
   * an unknown word adds nothing. For adapters whose items or refusals carry `deviceCapabilities`.
   */
  traitsForDevice?(deviceCapabilities: readonly string[]): Traits
  /** The request for a signal; absent if the channel has no signals. */
  signal?(signal: Signal, context: RenderContext): Payload | undefined
  /** What is wrong with credentials that fit the form. Contains no secret. */
  validateAuth?(auth: Auth): AuthProblem | undefined
}

/** Optional: what an adapter asks of the provider beside sends. */
interface ProviderQueries<Auth, Payload, Connection extends ProviderConnection> {
  /**
   * Which addresses the channel reaches. An address that the answer leaves out is unknown, which is not unreachable.
   */
  probe?(addresses: readonly string[], context: ProviderContext<Auth>): PromiseLike<ProbeResult>
  /**
   * Whether the provider has this request, after an earlier send of it with an unknown outcome: for providers that do
   * not deduplicate by `id` and can be asked for their messages.
   */
  find?(payload: Payload, context: FindContext<Auth, Connection>): PromiseLike<FindOutcome>
  /** Takes back a message that was sent and has not arrived. A message that arrives all the same counts as arrived. */
  revoke?(providerId: string, context: SendContext<Auth, Connection>): PromiseLike<'revoked' | 'tooLate' | 'unknown'>
  /**
   * The request that opens provider media from `receive`: for providers whose media opens with the credentials of the
   * binding only. The gateway may ask long after the item arrived, and repeatedly.
   */
  openMedia?(mediaRef: string, context: ProviderContext<Auth>): PromiseLike<MediaAccess>
  /** The person's action behind a reference from `receive`. For providers whose items only refer to it. */
  follow?(reference: string, context: ProviderContext<Auth>): PromiseLike<FollowOutcome>
}

/** Optional: for providers that are connected to instead of called. */
interface ConnectedAdapter<Auth, Connection extends ProviderConnection> {
  /** For providers that are connected to: opens the connection and reopens it by itself until it is closed. */
  connect?(context: ConnectContext<Auth>): Connection
  /**
   * For the channel that the gateway itself serves: the frames of people's sockets. The gateway sends them from its
   * record.
   */
  readonly socket?: SocketCodec
}

/**
 * `Auth` is what the provider's credential form asks for, `Payload` one request to the provider as plain data,
 * `Connection` a connection to a provider that is connected to instead of called.
 */
export type Adapter<
  Auth = unknown,
  Payload = unknown,
  Connection extends ProviderConnection = ProviderConnection,
> = MessageAdapter<Auth, Payload, Connection> &
  AdapterKnowledge<Auth, Payload> &
  ProviderQueries<Auth, Payload, Connection> &
  ConnectedAdapter<Auth, Connection>

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
   * Messages in bulk per second that the provider accepts for one binding. Absent: the default rate. `unlimited` is
   * only for providers that lose and refuse nothing at any rate.
   */
  readonly bulkPerSecond?: number | 'unlimited'
}

export interface AuthProblem {
  /** As the caller spells it, such as `serviceAccount.private_key`. */
  readonly field: string
  readonly message: string
}

export interface RenderContext {
  /** The person's address at the provider. */
  readonly address: string
  readonly messageId: string
  /** The provider's id of the person's last action. */
  readonly lastInboundId?: string
  /** Everything that the person's device can do, if known; the blocks are made for its traits. */
  readonly deviceCapabilities?: readonly string[]
}

interface BindingContext<Auth> {
  readonly auth: Auth
  readonly bindingId: string
  /** The address at which the provider calls in for this binding. */
  readonly ingressUrl: string
}

/** The context of a call to a provider. */
export interface ProviderContext<Auth> extends BindingContext<Auth> {
  readonly call: CallProvider
  readonly cache: ProviderCache
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Aborted when no call may go out any more. */
  readonly signal: AbortSignal
}

export interface SendContext<Auth, Connection extends ProviderConnection = ProviderConnection>
  extends ProviderContext<Auth> {
  readonly address: string
  readonly id: string
  /** The connection that `connect` opened for this binding. */
  readonly connection?: Connection
  /**
   * True once the message must not go any more, for example because the person has opted out. `call` checks it by
   * itself; a connection with a queue checks it right before each message.
   */
  readonly isCancelled: () => boolean
}

export interface FindContext<Auth, Connection extends ProviderConnection = ProviderConnection>
  extends SendContext<Auth, Connection> {
  /** When it was first handed over, in milliseconds since 1970, as far as known. */
  readonly since: number
  /**
   * Whether this is the provider's id of another known message to the same person, which therefore is not the one
   * sought.
   */
  readonly isKnown: (providerId: string) => boolean
}

export type FindOutcome =
  | { readonly kind: 'found'; readonly providerId: string }
  | { readonly kind: 'absent' }
  /** The provider could not be asked just now. */
  | { readonly kind: 'unknown'; readonly detail: string }

/** One HTTP exchange, within the node's limits of time and size. Never rejects, and follows no redirect. */
export type CallProvider = (request: ProviderRequest) => PromiseLike<ProviderResponse | NoResponse>

export interface ProviderRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

interface ResponseBody {
  readonly body: string
  /** The raw body. */
  readonly bytes?: Uint8Array
}

export interface ProviderResponse extends ResponseBody {
  readonly kind: 'answer'
  readonly status: number
  /** Empty if the answer has no such header. */
  readonly header: (name: string) => string
  /** All headers, with names in lower case, if the answer came over HTTP. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface NoResponse {
  readonly kind: 'none'
  /** Plain words that reveal nothing of Parley's side. */
  readonly detail: string
  /** True: the request cannot have reached the provider. False: it may have. */
  readonly unsent: boolean
}

/** A cache of values for this binding, such as access tokens. An entry may disappear at any moment. */
export interface ProviderCache {
  /**
   * Loads a value once for all concurrent callers. Undefined if it could not be loaded; the next caller tries again.
   */
  get<T>(
    name: string,
    load: () => PromiseLike<{ readonly value: T; readonly until: number } | undefined>,
  ): PromiseLike<T | undefined>
  /** The next caller loads it again. */
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
       * The provider may have the request, and would take a repeat for another message: only for providers that do not
       * deduplicate by `id`. The message is handed over at most once more, or as often as `find` reports it absent.
       */
      readonly isUnknown?: true
      /**
       * The account, its credentials or its sender is the problem: nothing goes out over this binding until an operator
       * acts. Never for a refusal about one person. The gateway accepts it once a second call with fresh credentials
       * gives the same.
       */
      readonly needsOperator?: true
      /**
       * Everything that the person's device can do, in the provider's words, if that may be the reason for the refusal.
       * The gateway then renders the message for that device and hands it over once more, under another `id`, if the
       * pieces already out are the same in both renderings.
       */
      readonly deviceCapabilities?: readonly string[]
    }

export interface ProbeResult {
  readonly reachable: readonly string[]
  readonly unreachable: readonly string[]
}

/** An open connection to a provider. It reports inbound items; an item is on record once `report` resolves. */
export interface ProviderConnection {
  /** Undefined while the connection is up; otherwise why it is down, without a secret. */
  problem(): string | undefined
  /** Closes in good order. Sends that wait for an answer get one. */
  close(): PromiseLike<void>
}

export interface ConnectContext<Auth> extends ProviderContext<Auth> {
  /** An address of that host that may be connected to; undefined if there is none. Connect to no other address. */
  readonly addressOf: (host: string, port: number) => PromiseLike<string | undefined>
  /** Rejects if the items are not on record: then the adapter must not acknowledge them to the provider. */
  readonly report: (items: readonly Item[]) => PromiseLike<void>
}

interface HttpCall {
  readonly method: 'GET' | 'POST'
  /** As the provider called it: the public address, with its query. */
  readonly url: string
  readonly header: (name: string) => string
  readonly body: Uint8Array
}

export interface IngressRequest extends HttpCall {
  readonly bindingId: string
  /** When it arrived, in milliseconds since 1970. */
  readonly at: number
}

export type IngressResult =
  /** The request did not come from the provider. Nothing of it is stored. */
  | { readonly kind: 'refused' }
  /** A handshake that expects this answer. */
  | { readonly kind: 'answer'; readonly status: number; readonly type: string; readonly body: string }
  /** The request came from the provider and cannot be read: the provider keeps it, and calls again. */
  | { readonly kind: 'unreadable'; readonly problem: string }
  | { readonly kind: 'items'; readonly items: readonly Item[]; readonly otherAccounts?: readonly OtherAccountItems[] }

/**
 * A part of a call that is about another account than the binding's own, for providers with one address for several
 * accounts. It goes to the binding of the org that has the account, if that binding's credentials verify the call as
 * well.
 */
export interface OtherAccountItems {
  readonly account: string
  /** The items for this binding if no other binding has the account; absent: the provider keeps the part. */
  readonly items?: readonly Item[]
}

/**
 * An event of one person, under the id with which the provider repeats it; or a part that could not be read. An
 * unreadable part makes the gateway refuse the call, after all other items are on record, so that the provider keeps
 * it. An action that no message can express becomes a message that says so; items without a person or without meaning,
 * such as an echo, are left out.
 */
export type Item =
  | {
      readonly id: string
      readonly address: string
      /** Another address of the same person, which the provider may use alone in later items. */
      readonly alias?: string
      readonly inbound: ReportedInbound
      /** Everything that the person's device can do, in the provider's words; absent if the provider did not say. */
      readonly deviceCapabilities?: readonly string[]
    }
  | { readonly problem: string }

export type FollowOutcome =
  | { readonly kind: 'inbound'; readonly inbound: Exclude<ReportedInbound, InboundReference> }
  | { readonly kind: 'refused'; readonly detail: string }
