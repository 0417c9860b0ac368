/** How whoever opens a conversation meets it: how a person stands, whether they can be reached, the opening and what became of it. */

import type { AgentRef } from '../agentref.js'
import type { ContentMessage } from '../amf/index.js'
import type { LogNote } from '../catalogs/logevents.js'
import type { ChannelName } from '../channelnames.js'
import type { SendCampaignRef } from '../conversation/state.js'

export interface ConsentState {
  readonly isOptedOut: boolean
  readonly optedOutAt?: number
  /** When the person last wrote. */
  readonly lastInboundAt?: number
  /** Whose identity it is and where it is written to; absent while there is no conversation, and for a rehearsal. */
  readonly identity?: { readonly agent: AgentRef; readonly channel: ChannelName; readonly address: string }
}

/** Untold where the provider cannot tell: then it is tried. Without a way to ask one there is no route, or its credentials are bad. */
export type Reachability = 'capable' | 'notSupported' | 'incapable' | 'unknown' | 'noBinding' | 'bindingError'

export interface OpenRequest {
  readonly agent: AgentRef
  /** Of the send, or of whatever else is opened in the way of sends. */
  readonly sendId: string
  /** Counts the tries of one send, from 1. */
  readonly attempt: number
  /** Nothing follows if this one fails, so its failure is told to the agent too. */
  readonly isLast: boolean
  readonly asid: string
  readonly channel: ChannelName
  readonly address: string
  readonly message: ContentMessage
  /** It is sent in bulk, and lets messages that are not go before it. */
  readonly isBatch?: true
  /** When it may leave, as drawn from the send budget of its binding; absent where the binding has no pace. */
  readonly leaveAt?: number
  /** Not taken while the person wrote within this time. */
  readonly quietMs?: number
  /** Lines of the log that are written with it when it is taken. */
  readonly notes?: readonly LogNote[]
  /** The campaign that it leaves for. */
  readonly campaign?: SendCampaignRef
  readonly sandbox?: true
}

export type OpenResponse =
  | { readonly messageId: string }
  /** They are just talking: to be tried again from then on. */
  | { readonly inConversationUntil: number }
  /** Not taken, in the conversation's words (optedOut, noBinding, bindingNotReady, mediaUnreachable …). */
  | { readonly reason: string; readonly detail?: string; readonly retry: 'later' | 'never' }
