/** The samples that a partner supplies with an adapter: credentials, provider calls and provider answers. */
import type { ContentMessage } from '../../../core/amf/index.js'
import type { Item, ProviderRequest, SendOutcome } from '../../../core/channel/adapter.js'
import type { MediaAccess } from '../../../core/channel/providermedia.js'

export interface Samples<Auth = unknown> {
  /** Credentials as an operator enters them; a real account is not needed. */
  readonly auth: Auth
  readonly otherAuths?: readonly Auth[]
  /** Credentials that fit the form but are invalid, each with the field that `validateAuth` must name. */
  readonly invalidAuths?: readonly { readonly auth: Auth; readonly field: string }[]
  /** The address of a person, in the provider's spelling. */
  readonly address: string
  /** Secrets beside the write-only fields of the form. */
  readonly secrets?: readonly string[]
  /** Returns the headers that prove a call to be the provider's. */
  readonly sign: (call: UnsignedCall, auth: Auth) => Readonly<Record<string, string>>
  /** Calls of the provider. Empty for an adapter with `connect`. */
  readonly calls: readonly CallSample[]
  /** A call of this provider never holds more than one item. */
  readonly oneByOne?: true
  /** Device capabilities beside those in calls and answers. For an adapter with `traitsForDevice`. */
  readonly deviceCapabilities?: readonly string[]
  /** Answers of the provider to a send, with the outcome that each must become. */
  readonly answers: readonly AnswerSample[]
  /** The answer to a request ahead of the send, such as for a token; undefined for the send itself. */
  readonly before?: (request: ProviderRequest) => SampleAnswer | undefined
  /** Media that people sent, and how it opens. For an adapter with `openMedia`. */
  readonly media?: readonly MediaSample[]
  /** Messages beside the kit's own. */
  readonly messages?: Readonly<Record<string, ContentMessage>>
}

export interface UnsignedCall {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly body: Uint8Array
  /** The time of the call, in milliseconds since 1970. */
  readonly at: number
}

export interface CallSample {
  readonly name: string
  readonly method?: 'GET' | 'POST'
  /** The URL that the provider called; absent: the ingress URL of the sample's binding, with `query`. */
  readonly url?: string
  readonly query?: string
  /** Raw bytes or text; any other value is sent as JSON. */
  readonly body?: unknown
  /** Headers beside the signature. */
  readonly headers?: Readonly<Record<string, string>>
  /** A recorded signature with its time; absent: the suite signs the sample. */
  readonly signed?: { readonly headers: Readonly<Record<string, string>>; readonly at: number }
  /** What the signature proves: the whole call (the default), the caller only, or nothing because there is none. */
  readonly proves?: 'body' | 'caller' | 'nothing'
  readonly becomes:
    | { readonly kind: 'refused' }
    | { readonly kind: 'unreadable' }
    | { readonly kind: 'answer'; readonly status: number; readonly body: string }
    | {
        readonly kind: 'items'
        readonly items: readonly ExpectedItem[]
        /** Items of other accounts; absent: none. */
        readonly otherAccounts?: readonly { readonly account: string; readonly items?: readonly ExpectedItem[] }[]
      }
}

/** The expected item, or `{ problem: true }` for an unreadable one. */
export type ExpectedItem = Exclude<Item, { readonly problem: string }> | { readonly problem: true }

export interface SampleAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Raw text; any other value is sent as JSON. */
  readonly body?: unknown
}

export interface AnswerSample {
  readonly name: string
  readonly answer: SampleAnswer
  /** The answer to every later request, such as for device capabilities; absent: the same answer again. */
  readonly follows?: SampleAnswer
  /** Members that are not named may have any value. */
  readonly becomes: Partial<Extract<SendOutcome, { kind: 'sent' }>> | Partial<Extract<SendOutcome, { kind: 'refused' }>>
}

export interface MediaSample {
  readonly name: string
  /** As `receive` reported it. */
  readonly mediaRef: string
  /** The provider's answer when the adapter asks for the location; absent where the adapter asks for none. */
  readonly answer?: SampleAnswer
  /** The detail of a refusal is not compared. */
  readonly becomes: Extract<MediaAccess, { kind: 'at' }> | { readonly kind: 'refused' }
}
