/** Commands of a conversation with their inputs and results. The shard of the asid decides each command. */
import type { AgentRef } from '../../core/agentref.js'
import type { ChannelName } from '../../core/channelnames.js'
import type { AgentContext, AgentFacts } from '../../core/conversation/context.js'
import type { FailoverUpdate, TimerName } from '../../core/conversation/effects.js'
import type { WebhookOutcome } from '../../core/conversation/eventqueue.js'
import type { OpenResult, SendOpener } from '../../core/conversation/opener.js'
import type { OutboundRequest, SendResult } from '../../core/conversation/outbound.js'
import type { DeliveryOutcome, NotSent } from '../../core/conversation/outcome.js'
import type { InboundItem } from '../../core/conversation/reduce.js'
import type { ReplyOutcome } from '../../core/conversation/replyoutcome.js'
import type { CanonicalIdentity, InFlight, OutboundMessageRecord } from '../../core/conversation/state.js'
import type { Command } from '../shard/contract.js'
import type { Key } from '../store/contract.js'

/** The person, channel and agent of a conversation: enough to begin one. */
export interface Identity {
  readonly asid: string
  readonly agent: AgentRef
  readonly channel: ChannelName
  readonly address: string
  readonly sandbox?: true
}

export interface InboundBatch {
  readonly identity: Identity
  readonly agent: AgentContext
  readonly items: readonly InboundItem[]
  /** Another address of the same person. */
  readonly other?: CanonicalIdentity
  /** Neither address has a conversation. */
  readonly isFirst?: true
}

export interface InboundResult {
  /** How many of the items were new. */
  readonly newCount: number
  /** No item was taken: the person's messages belong to this other conversation. */
  readonly canonical?: CanonicalIdentity
  /** No item was taken: this address has no conversation, and the other address may have one. */
  readonly isUnknown?: true
  /**
   * The other address is new. The commit sends its conversation a command; the caller may execute that command at once.
   */
  readonly isAliased?: true
  /** The person has opted out, and the provider still has this message. */
  readonly inFlight?: Pick<InFlight, 'messageId' | 'attempt'>
}

/** A message of a reply, counted from 1. */
export interface ReplyMessage {
  readonly position: number
  readonly request: OutboundRequest
}

export interface ReplyInput {
  readonly asid: string
  readonly number: number
  readonly agent: AgentContext
  readonly messages: readonly ReplyMessage[]
  /** What the rest of the reply came to. */
  readonly reply: ReplyOutcome
  readonly call: NonNullable<WebhookOutcome['call']>
}

export interface FailoverUpdateInput {
  readonly asid: string
  readonly messageId: string
  readonly update: FailoverUpdate
  readonly facts: AgentFacts
}

export interface TimerInput {
  readonly asid: string
  readonly timer: TimerName
  readonly facts?: AgentFacts
}

/** Where a walk over expiring rows continues, and whether it has met rows that stay. */
export interface RetentionCursor {
  readonly table: number
  readonly after?: Key
  readonly hasLiveRows: boolean
}

export interface ConversationCommands {
  /** Items that a provider reported of one person; items seen before are skipped. */
  readonly receiveInbound: Command<InboundBatch, InboundResult>
  /** The person of this address has another conversation, which gets all input for this address from now on. */
  readonly mergeInto: Command<{ identity: Identity; agent: AgentFacts; canonical: CanonicalIdentity }, null>
  /** The person opted out under another address. */
  readonly optOut: Command<{ asid: string; agent: AgentFacts }, null>
  /** Sends messages of the agent to a person. Returns one result per message, in their order. */
  readonly sendMessages: Command<
    { asid: string; identity?: Identity; agent: AgentContext; requests: readonly OutboundRequest[] },
    readonly SendResult[]
  >
  /** Sends the opener of a send to a person who may not have a conversation yet. */
  readonly openConversation: Command<
    { identity: Identity; agent: AgentContext; opener: SendOpener },
    OpenResult | { readonly canonical: CanonicalIdentity }
  >
  readonly sendOutcome: Command<
    { asid: string; agent: AgentContext; messageId: string; attempt: number; outcome: DeliveryOutcome | NotSent },
    null
  >
  readonly timerFired: Command<TimerInput, null>
  /** Takes over a message from the same person's conversation on another channel. */
  readonly acceptFailover: Command<
    {
      identity: Identity
      agent: AgentContext
      outgoing: OutboundMessageRecord
      sender: { asid: string; facts: AgentFacts }
    },
    null
  >
  readonly failoverUpdate: Command<FailoverUpdateInput, null>
  readonly expireRows: Command<{ asid: string; cursor?: RetentionCursor }, null>
  /**
   * Sends the messages of a webhook's reply and applies its outcome, all or nothing: `request.invalid`, and no change,
   * when a message is rejected that a replay of the event may send. Answers one by one, in their order; an event that
   * has had its outcome changes nothing.
   */
  readonly reply: Command<ReplyInput, readonly SendResult[]>
  readonly webhookOutcome: Command<{ asid: string; number: number; outcome: WebhookOutcome }, null>
}
