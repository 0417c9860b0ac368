/** What a partner supplies beside an adapter, so that the suite can try it: credentials, calls of the provider, answers. */
import type { ContentMessage } from '../../../core/amf/index.js'
import type { Item, ProviderRequest, SendOutcome } from '../../../core/channel/adapter.js'
import type { MediaAccess } from '../../../core/channel/providermedia.js'

export interface Samples<Auth = unknown> {
  /** Credentials as an operator would enter them; those of a real account are not needed. */
  readonly auth: Auth
  readonly otherAuths?: readonly Auth[]
  /** Credentials that fit the form and will not do, each with the field that `wrongAuth` must name. */
  readonly invalidAuths?: readonly { readonly auth: Auth; readonly field: string }[]
  /** A person, as the provider would name them. */
  readonly address: string
  /** Secrets beside those that the form marks as write-only. */
  readonly secrets?: readonly string[]
  /** The headers that prove a call to be the provider's. */
  readonly sign: (call: UnsignedCall, auth: Auth) => Readonly<Record<string, string>>
  /** What the provider calls in with. None for an adapter that is connected instead. */
  readonly calls: readonly CallSample[]
  /** A call of the provider never holds more than one item. */
  readonly oneByOne?: true
  /** Words for what devices can do, beside those of calls and answers. For an adapter with `traitsWith`. */
  readonly deviceCapabilities?: readonly string[]
  /** What the provider answers to a send, and what must come of it. */
  readonly answers: readonly AnswerSample[]
  /** How the provider answers what an adapter asks before it sends, such as for a token; undefined for the send itself. */
  readonly before?: (request: ProviderRequest) => SampleAnswer | undefined
  /** Media that people sent, and how it opens. For an adapter with `openMedia`. */
  readonly media?: readonly MediaSample[]
  /** Messages beside those of the kit. */
  readonly messages?: Readonly<Record<string, ContentMessage>>
}

export interface UnsignedCall {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly body: Uint8Array
  /** When it is made, in milliseconds since 1970. */
  readonly at: number
}

export interface CallSample {
  readonly name: string
  readonly method?: 'GET' | 'POST'
  /** The address as the provider called it; absent: the ingress of the sample's binding, with `query`. */
  readonly url?: string
  readonly query?: string
  /** Bytes or text as they came; anything else is sent as its JSON. */
  readonly body?: unknown
  /** Headers beside the signature. */
  readonly headers?: Readonly<Record<string, string>>
  /** A signature that was recorded, with the time it was made; absent: the sample is signed as it is sent. */
  readonly signed?: { readonly headers: Readonly<Record<string, string>>; readonly at: number }
  /** What the signature proves: all that was sent (the default), who sent it, or nothing because there is none. */
  readonly proves?: 'body' | 'caller' | 'nothing'
  readonly becomes:
    | { readonly kind: 'refused' }
    | { readonly kind: 'unreadable' }
    | { readonly kind: 'answer'; readonly status: number; readonly body: string }
    | {
        readonly kind: 'items'
        readonly items: readonly ExpectedItem[]
        /** What is about other accounts; absent: nothing is. */
        readonly otherAccounts?: readonly { readonly account: string; readonly items?: readonly ExpectedItem[] }[]
      }
}

/** An item as it must come out, or `{ problem: true }` for what cannot be read. */
export type ExpectedItem = Exclude<Item, { readonly problem: string }> | { readonly problem: true }

export interface SampleAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Text as it came; anything else is its JSON. */
  readonly body?: unknown
}

export interface AnswerSample {
  readonly name: string
  readonly answer: SampleAnswer
  /** What it answers to whatever is asked after that, such as what the device can do; absent: the same again. */
  readonly follows?: SampleAnswer
  /** Members that are not named may be anything. */
  readonly becomes: Partial<Extract<SendOutcome, { kind: 'sent' }>> | Partial<Extract<SendOutcome, { kind: 'refused' }>>
}

export interface MediaSample {
  readonly name: string
  /** As `receive` told it. */
  readonly mediaRef: string
  /** What the provider answers when it is asked where that is; absent where nobody is asked. */
  readonly answer?: SampleAnswer
  /** Of a refusal the detail may be anything. */
  readonly becomes: Extract<MediaAccess, { kind: 'at' }> | { readonly kind: 'refused' }
}
