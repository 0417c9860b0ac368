/** Inbound: what a provider reports of a person and of messages to them, in one shape for all channels. */
import type { Place } from '../amf/index.js'

export type Inbound =
  | { readonly kind: 'content'; readonly content: UserContent }
  /** A tap names its message and its index there; `label` is what the channel showed, if the channel reports it. */
  | { readonly kind: 'tap'; readonly messageId: string; readonly tapIndex: number; readonly label?: string }
  | { readonly kind: 'system'; readonly system: Exclude<SystemKind, 'windowChanged'> }
  | { readonly kind: 'receipt'; readonly receipt: Receipt }

export interface UserContent {
  readonly text?: string
  readonly media?: readonly UserMedia[]
  readonly place?: Place
}

export interface UserMedia {
  readonly url: string
  readonly type?: string
  readonly name?: string
}

export const systemKinds = [
  'conversationStarted',
  'optIn',
  'optOut',
  'subscribed',
  'unsubscribed',
  'typing',
  'windowChanged',
] as const
export type SystemKind = (typeof systemKinds)[number]

export const messageStates = ['queued', 'sent', 'delivered', 'read', 'failed'] as const
export type MessageState = (typeof messageStates)[number]

export interface Receipt {
  /** The provider's id of the message, or Parley's own if the provider uses that. */
  readonly providerId: string
  /** The `id` of the piece that was handed over, if the provider repeats it: every copy of the message has it. */
  readonly pieceId?: string
  readonly state: Exclude<MessageState, 'queued'>
  readonly reason?: string
  readonly detail?: string
  /** A watermark: the receipt covers everything sent up to that message, or up to this time if no message is named. */
  readonly upTo?: number
}
