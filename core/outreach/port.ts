/** Port from outreach to conversations: consent state, reachability, and the request that opens a conversation. */

import type { AgentRef } from '../agentref.js'
import type { ContentMessage } from '../amf/index.js'
import type { LogNote } from '../catalogs/logevents.js'
import type { ChannelName } from '../channelnames.js'
import type { ConversationStart, SendCampaignRef } from '../conversation/state.js'

export interface ConsentState {
  readonly isOptedOut: boolean
  readonly optedOutAt?: number
  /** When the person last wrote. */
  readonly lastInboundAt?: number
  /** The agent, channel and address of the identity; absent while there is no conversation, and in the sandbox. */
  readonly identity?: { readonly agent: AgentRef; readonly channel: ChannelName; readonly address: string }
}

/**
 * `unknown` when the provider cannot tell: the send is then tried. `noBinding` and `bindingError` when it cannot be
 * asked, for want of a route or because its credentials are bad.
 */
export type Reachability = 'capable' | 'notSupported' | 'incapable' | 'unknown' | 'noBinding' | 'bindingError'

export interface OpenRequest {
  readonly agent: AgentRef
  /** Of the send, or of any other request that opens a conversation like a send. */
  readonly sendId: string
  /** Counts the attempts of one send, from 1. */
  readonly attempt: number
  /** No attempt follows if this one fails, so its failure is also reported to the agent. */
  readonly isLast: boolean
  readonly asid: string
  readonly channel: ChannelName
  readonly address: string
  readonly message: ContentMessage
  /** Part of a bulk send: messages that are not go first. */
  readonly isBatch?: true
  /** When it may leave, as drawn from the send budget of its binding; absent when the binding has no rate. */
  readonly leaveAt?: number
  /** Not accepted while the person wrote within this time. */
  readonly quietMs?: number
  /** Log notes that the conversation writes when it accepts the opener. */
  readonly notes?: readonly LogNote[]
  /** What an answer begins, if Parley plays the agent. */
  readonly start?: ConversationStart
  /** The campaign that sends it. */
  readonly campaign?: SendCampaignRef
  readonly sandbox?: true
}

export type OpenResponse =
  | { readonly messageId: string }
  /** The person is in a conversation: try again from then on. */
  | { readonly inConversationUntil: number }
  /** Not accepted, with the conversation's reason (optedOut, noBinding, bindingNotReady, mediaUnreachable …). */
  | { readonly reason: string; readonly detail?: string; readonly retry: 'later' | 'never' }
