/**
 * What a conversation remembers. It belongs to one identity (an agent, a channel, an address), which its asid names, and
 * everything here is plain data: commands read it, decide, and write what it became.
 */
import type { AgentRef } from '../agentref.js'
import type { OutboundMessage, Place } from '../amf/index.js'
import type { LogNote } from '../catalogs/logevents.js'
import type { MessageState, SystemKind, UserContent, UserMedia } from '../channel/inbound.js'
import type { ChannelName } from '../channelnames.js'
import type { MediaFiles } from '../render/hostedmedia.js'
import type { AgentFacts } from './context.js'
import type { HistoryHead } from './history.js'

export interface Conversation {
  readonly asid: string
  readonly agent: AgentRef
  readonly channel: ChannelName
  /** The address on that channel, such as a phone number: for the provider, and for nobody else. */
  readonly address: string
  /** Another address of the person, which their provider told with this one. */
  readonly alias?: string
  /** The conversation of the same person under another address of theirs: everything goes there. */
  readonly canonical?: CanonicalIdentity
  readonly createdAt: number
  readonly session?: Session
  /** When the person last said something; what a messaging window counts from. */
  readonly lastInboundAt?: number
  /** What the provider calls the last thing that they said. */
  readonly lastInboundId?: string
  /** What their device can do, as the provider said last and in its words; absent while it never did. */
  readonly deviceCapabilities?: readonly string[]
  /** Until then that is believed: set where it was told by a refusal, since nobody says when the device is another. */
  readonly deviceCapabilitiesUntil?: number
  /** The window as the agent was last told. */
  readonly windowIsOpen: boolean
  readonly optedOutAt?: number
  readonly disclaimedAt?: number
  /** Messages that ask something and may have reached the person, oldest first, until they are answered. */
  readonly pendingQuestions?: readonly PendingQuestion[]
  /** Messages accepted and not handed to the provider yet, in the order in which they go. */
  readonly queue: readonly string[]
  /** The first of them, once it is with the provider or waits to be handed over again. */
  readonly inFlight?: InFlight
  /** Messages that wait for the messaging window to open, oldest first. */
  readonly deferred: readonly Deferred[]
  /** Messages in bulk whose time to leave is still far off, in the order of their times. */
  readonly paced?: readonly Paced[]
  /** Messages that are to arrive by then or go to another channel, oldest first. */
  readonly awaitingDelivery?: readonly Deferred[]
  /** Before this time the next agent message does not go out. */
  readonly nextSendAt: number
  /** Numbers of the events that wait for the agent: from the first up to, and without, the next one. */
  readonly firstEvent: number
  readonly nextEvent: number
  /** Counts its records of traffic and decisions. */
  readonly nextRecord: number
  /** Where those records are; whoever keeps them keeps this, and no decision looks at it. */
  readonly history?: HistoryHead
  /** Up to when a provider said that everything had come so far, as it counts. */
  readonly watermarks?: Partial<Record<'sent' | 'delivered' | 'read' | 'failed', number>>
  /** Until then there may be receipts that wait for their send to be known. */
  readonly parkedUntil?: number
  /** The opening of a send that the person has not answered yet. */
  readonly opener?: { readonly messageId: string }
  /** What the agent sent since the person last did something; what the loop breaker counts. */
  readonly unanswered?: Unanswered
  /** Nothing of it has to be forgotten one day. */
  readonly nothingToExpire?: true
  /** The partner is an emulator and no real person. */
  readonly sandbox?: true
}

/** Messages of the agent since the person last did something. */
export interface Unanswered {
  /** When those within the guard's time were taken, oldest first. */
  readonly at: readonly number[]
  /** How many status events in a row were answered, and the newest of them. */
  readonly statuses?: { readonly count: number; readonly eventId: string }
}

export interface CanonicalIdentity {
  readonly asid: string
  readonly address: string
}

export interface Session {
  readonly id: string
  readonly lastAt: number
}

export interface PendingQuestion {
  readonly messageId: string
  /** When it was handed over. */
  readonly at: number
  /** When the person had last written by then: questions of one turn are equals. */
  readonly turn?: number
  /** Ids of the intents in it that are answered; empty for its chips. */
  readonly closed?: readonly string[]
}

export interface Deferred {
  readonly messageId: string
  readonly until: number
}

export interface Paced {
  readonly messageId: string
  readonly leaveAt: number
}

export interface InFlight {
  readonly messageId: string
  /** When this time began. */
  readonly at: number
  /** How often it was handed over, this time included. */
  readonly attempt: number
  /** When it is handed over again, if the provider wants to be asked later. */
  readonly retryAt?: number
  /** Tries that found the binding not ready: nothing was handed over in them. */
  readonly waits?: number
  /** When the first try began whose outcome is not known: the provider may have the message since. */
  readonly unknownSince?: number
}

/** Over what a message went, or was to go. */
export interface Attempt {
  readonly channel: ChannelName
  readonly provider: string
}

/** A message of the agent, or of the house in its name, from its acceptance on. */
export interface OutboundMessageRecord {
  readonly id: string
  readonly message: OutboundMessage
  readonly at: number
  readonly sessionId: string
  readonly from: 'reply' | 'send' | 'system'
  readonly isBatch?: true
  /** When the send budget of its binding lets it leave. */
  readonly leaveAt?: number
  /** Its files, as they were looked up when it was accepted; absent where it has none. */
  readonly media?: MediaFiles
  /** Numbers that the person reads, as places in the message; set when it goes out. */
  readonly numbered?: readonly number[]
  readonly attempt?: Attempt
  /** What the person's device could do when it began to go out, where that was known: every try is written for it. */
  readonly deviceCapabilities?: readonly string[]
  /** How often it was written anew after its provider had turned it away for such a device; its pieces have other ids then. */
  readonly rewriteCount?: number
  /** When it was handed over for good, as the time at which that began: a provider's own marks may lie before it ended. */
  readonly sentAt?: number
  /** States that were told, and when. */
  readonly states: Partial<Record<MessageState, number>>
  /** What the provider calls it: one id for each piece that it was sent in. */
  readonly providerIds?: readonly string[]
  /** Pieces that have arrived, where there are several. */
  readonly arrivedPieces?: Partial<Record<'delivered' | 'read', readonly string[]>>
  /** Channels that are still to be tried, in this order. */
  readonly next?: readonly ChannelName[]
  /** It goes out here for a conversation on another channel, which tells its agent what becomes of it. */
  readonly onBehalfOf?: { readonly asid: string; readonly messageId: string; readonly facts: AgentFacts }
  /** It opens for a send, which is told what becomes of it. */
  readonly sendRef?: SendRef
  /** Lines of the agent's log about how it went out; read with the record that it was sent. */
  readonly notes?: readonly LogNote[]
  /** It is the disclaimer that goes before this message. */
  readonly disclaimerFor?: string
}

export interface SendRef {
  readonly sendId: string
  /** Counts the tries of that send; each is a hand-over of its own, and the send decides whether there is another. */
  readonly attempt: number
  /** Nothing follows if this one fails. */
  readonly isLast: boolean
  /** The campaign that it leaves for: asked right before the message is handed over, and stands still while that does. */
  readonly campaign?: SendCampaignRef
}

/** Which campaign of the agent, and which of those that had the agent's id. */
export interface SendCampaignRef {
  readonly incarnation: number
  readonly campaignId: string
  /** The message follows up on one of its openings: it may leave after the campaign has completed. */
  readonly isFollowUp?: true
}

/** One thing that the agent is told; what surrounds it is added when it is sent. */
export interface ConversationEvent {
  readonly eventId: string
  readonly at: number
  readonly sessionId: string
  readonly provider: string
  readonly window: 'open' | 'closed'
  readonly event: TypedEvent
  readonly attempts?: number
  /** How often it was a dead letter and was told once more. */
  readonly replayCount?: number
}

export type TypedEvent =
  | { readonly type: 'message'; readonly message: UserContent }
  | { readonly type: 'result'; readonly result: Result }
  | { readonly type: 'action'; readonly action: Action }
  | { readonly type: 'status'; readonly status: Status }
  | { readonly type: 'system'; readonly system: { readonly kind: SystemKind } }

export interface Result {
  readonly intent: string
  readonly intentId: string
  readonly optionIds: readonly string[]
  readonly labels: readonly string[]
  readonly via: 'tap' | 'text' | 'location'
  /** What else the person sent with the answer travels with it. */
  readonly text?: string
  readonly media?: readonly UserMedia[]
  readonly place?: Place
}

export interface Action {
  readonly kind: 'url' | 'dial' | 'calendar' | 'viewLocation'
  readonly label: string
  readonly messageId: string
}

export interface Status {
  readonly messageId: string
  readonly state: MessageState
  readonly attempt: Attempt
  readonly reason?: string
  readonly detail?: string
}
