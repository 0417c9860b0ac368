/**
 * The state of a conversation, as plain data. It belongs to one identity (an agent, a channel, an address), which its
 * asid names. Commands read it, decide, and write the result.
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
  /** The address on that channel, such as a phone number: for the provider only. */
  readonly address: string
  /** Another address of the person, which their provider reported with this one. */
  readonly alias?: string
  /** The conversation of the same person under another of their addresses: everything goes there. */
  readonly canonical?: CanonicalIdentity
  readonly createdAt: number
  readonly session?: Session
  /** The time of the person's last action; the messaging window counts from it. */
  readonly lastInboundAt?: number
  /** The provider's id of that action. */
  readonly lastInboundId?: string
  /** What the person's device can do, in the provider's words and as last reported; absent if it never was. */
  readonly deviceCapabilities?: readonly string[]
  /** When the capabilities expire: set if a refusal reported them, since no provider reports a change of device. */
  readonly deviceCapabilitiesUntil?: number
  /** Whether the window was open in the last event to the agent. */
  readonly windowIsOpen: boolean
  readonly optedOutAt?: number
  readonly disclaimedAt?: number
  /** Messages that ask something and may have reached the person, oldest first, until they are answered. */
  readonly pendingQuestions?: readonly PendingQuestion[]
  /** Messages accepted and not handed to the provider yet, in sending order. */
  readonly queue: readonly string[]
  /** The first of them, once it is with the provider or waits for a retry. */
  readonly inFlight?: InFlight
  /** Messages that wait for the messaging window to open, oldest first. */
  readonly deferred: readonly MessageDeadline[]
  /** Messages in bulk whose time to leave is still far off, in the order of their times. */
  readonly paced?: readonly Paced[]
  /** Messages that go to another channel if they do not arrive in time, oldest first. */
  readonly awaitingDelivery?: readonly MessageDeadline[]
  /** The next agent message does not go out before this time. */
  readonly nextSendAt: number
  /** Numbers of the events that wait for the agent: `firstEvent` up to, and without, `nextEvent`. */
  readonly firstEvent: number
  readonly nextEvent: number
  /** Counts its records of traffic and decisions. */
  readonly nextRecord: number
  /** The head of those records; the storing layer maintains it, and no decision reads it. */
  readonly history?: HistoryHead
  /** Per state, the provider's time up to which everything has arrived. */
  readonly watermarks?: Partial<Record<'sent' | 'delivered' | 'read' | 'failed', number>>
  /** Until this time there may be receipts that wait for their send to be known. */
  readonly parkedUntil?: number
  /** The opener of a send that the person has not answered yet, and what an answer to it begins. */
  readonly opener?: { readonly messageId: string; readonly start?: ConversationStart }
  /** The opener that the person has answered, until the turn that takes the answer; only for managed agents. */
  readonly start?: ConversationStart
  /** The turn of a managed agent that waits for a tool. Events wait until it has ended. */
  readonly turn?: OpenTurnRef
  /** What the agent sent since the person's last action; the loop breaker counts it. */
  readonly unanswered?: Unanswered
  /** No row of this conversation expires. */
  readonly nothingToExpire?: true
  /** The partner is an emulator and no real person. */
  readonly sandbox?: true
}

/** Messages of the agent since the person's last action. */
export interface Unanswered {
  /** When the messages within the guard's time were accepted, oldest first. */
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
  /** The `lastInboundAt` of the person at that time: questions of one turn are equals. */
  readonly turn?: number
  /** Ids of its intents that are answered; empty for its chips. */
  readonly closed?: readonly string[]
}

export interface MessageDeadline {
  readonly messageId: string
  readonly until: number
}

export interface Paced {
  readonly messageId: string
  readonly leaveAt: number
}

export interface InFlight {
  readonly messageId: string
  /** When this attempt began. */
  readonly at: number
  /** The number of attempts, this one included. */
  readonly attempt: number
  /** When the message is handed over again, if the provider asked for a later retry. */
  readonly retryAt?: number
  /** Attempts that found the binding not ready: nothing was handed over in them. */
  readonly waits?: number
  /** When the first attempt with an unknown outcome began: the provider may have the message since then. */
  readonly unknownSince?: number
}

/** The channel and provider of a message. */
export interface Attempt {
  readonly channel: ChannelName
  readonly provider: string
}

/** A message of the agent, or of Parley in its name, from its acceptance on. */
export interface OutboundMessageRecord {
  readonly id: string
  readonly message: OutboundMessage
  readonly at: number
  readonly sessionId: string
  readonly from: 'reply' | 'send' | 'system'
  readonly isBatch?: true
  /** When the send budget of its binding lets it leave. */
  readonly leaveAt?: number
  /** Its files, as looked up at acceptance; absent if it has none. */
  readonly media?: MediaFiles
  /** The tap index of each number that the person reads; set when it goes out. */
  readonly numbered?: readonly number[]
  readonly attempt?: Attempt
  /** The device capabilities when it began to go out, if they were known: every attempt is rendered for them. */
  readonly deviceCapabilities?: readonly string[]
  /** How often it was rendered again after the provider refused it for the device; its pieces have other ids then. */
  readonly rewriteCount?: number
  /** When the attempt began that handed it over for good: a provider's own timestamps may be earlier than its end. */
  readonly sentAt?: number
  /** States that were reported, and when. */
  readonly states: Partial<Record<MessageState, number>>
  /** The provider's ids: one for each piece that it was sent in. */
  readonly providerIds?: readonly string[]
  /** Pieces that have arrived, if it has several. */
  readonly arrivedPieces?: Partial<Record<'delivered' | 'read', readonly string[]>>
  /** Channels that are still to be tried, in this order. */
  readonly next?: readonly ChannelName[]
  /** It goes out here for a conversation on another channel, which reports its states to the agent. */
  readonly onBehalfOf?: { readonly asid: string; readonly messageId: string; readonly facts: AgentFacts }
  /** It opens for a send, which receives its delivery reports. */
  readonly sendRef?: SendRef
  /** Log lines about how it went out; read with its `sent` record. */
  readonly notes?: readonly LogNote[]
  /** It is the disclaimer that goes before this message. */
  readonly disclaimerFor?: string
}

export interface SendRef {
  readonly sendId: string
  /** Counts the attempts of that send; each is a hand-over of its own, and the send decides whether another follows. */
  readonly attempt: number
  /** No attempt follows if this one fails. */
  readonly isLast: boolean
  /**
   * The campaign that it belongs to: its status is checked right before the hand-over, and the message waits while it
   * is paused.
   */
  readonly campaign?: SendCampaignRef
}

/** The campaign of the agent, and the incarnation of the agent's id that has it. */
export interface SendCampaignRef {
  readonly incarnation: number
  readonly campaignId: string
  /** The message follows up on one of its openers: it may leave after the campaign has completed. */
  readonly isFollowUp?: true
}

/** An open turn. A result of a tool counts only for the step that asked for it. */
export interface OpenTurnRef {
  readonly id: string
  readonly step: number
}

/** How a conversation was opened by the agent; kept until the person answers. */
export interface ConversationStart {
  readonly kind: 'outreach' | 'reminder' | 'link'
  /** The playbook that an answer begins in; absent: the default. */
  readonly playbookId?: string
  readonly outreachId?: string
}

/** An event for the agent; the envelope is added when it is sent. */
export interface ConversationEvent {
  readonly eventId: string
  readonly at: number
  readonly sessionId: string
  readonly provider: string
  readonly window: 'open' | 'closed'
  readonly event: TypedEvent
  readonly attempts?: number
  /** How often it was a dead letter and was replayed. */
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
  /** Other content that the person sent with the answer. */
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
