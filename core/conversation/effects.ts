/** Records and effects: everything that a decision about a conversation produces, as plain data. */
import type { LogNote } from '../catalogs/logevents.js'
import type { MessageState, Receipt } from '../channel/inbound.js'
import type { ChannelName } from '../channelnames.js'
import type { IdentityEvent } from '../people/person.js'
import type { AgentFacts } from './context.js'
import type { DeliveryReport } from './deliveryreport.js'
import type { TrafficEntry } from './entry.js'
import type { Attempt, ConversationEvent, OutboundMessageRecord, TypedEvent } from './state.js'

/** Rows to be written in the commit of the decision, in this order. */
export type ConversationRecord =
  | { readonly kind: 'message'; readonly message: OutboundMessageRecord }
  | { readonly kind: 'providerId'; readonly providerId: string; readonly messageId: string }
  | { readonly kind: 'clientId'; readonly clientId: string; readonly messageId: string }
  /** All receipts that wait for the message of this provider id; replaces the earlier list. */
  | { readonly kind: 'parked'; readonly providerId: string; readonly receipts: readonly Receipt[] }
  /** An event for the agent, under its number in the queue; `undefined` removes it from the queue. */
  | { readonly kind: 'event'; readonly number: number; readonly event: ConversationEvent | undefined }
  | { readonly kind: 'deadLetter'; readonly event: ConversationEvent; readonly why: string }
  | { readonly kind: 'traffic'; readonly entry: TrafficEntry }
  | { readonly kind: 'log'; readonly note: LogNote }
  | { readonly kind: 'webhookAttempt'; readonly attempt: WebhookAttempt }
  /** The open turn ended before its tool had answered; its record is written and its row removed. */
  | { readonly kind: 'turnCut'; readonly turnId: string; readonly why: TurnCutReason }

/** `stopped`: the person opted out. `webhook`: the agent has a webhook now. */
export type TurnCutReason = 'stopped' | 'deadline' | 'webhook' | 'agentGone'

/** Work to be done once the commit is durable, at least once. */
export type ConversationEffect =
  /** Hand the message over to the provider; the outcome names this attempt. */
  | { readonly kind: 'deliver'; readonly messageId: string; readonly attempt: number }
  /** Give the message to the same person's conversation on another channel. */
  | {
      readonly kind: 'failover'
      readonly asid: string
      readonly channel: ChannelName
      readonly messageId: string
      /** The agent facts that decide on later reports. */
      readonly facts: AgentFacts
    }
  /** Report to the conversation that the message came from. */
  | {
      readonly kind: 'failoverUpdate'
      readonly asid: string
      readonly messageId: string
      readonly update: FailoverUpdate
      readonly facts: AgentFacts
    }
  /** Give the event of this number to the agent: to its webhook, or to the turn that plays it. */
  | { readonly kind: 'dispatchEvent'; readonly number: number }
  /** Report to the send, in the agent's shard. */
  | { readonly kind: 'notifySend'; readonly report: DeliveryReport }
  /** Report to the agent's people, in the agent's shard. */
  | { readonly kind: 'notifyPeople'; readonly event: IdentityEvent['kind'] }
  /** Set the timer in place of an earlier one of the same name. */
  | {
      readonly kind: 'setTimer'
      readonly timer: TimerName
      readonly at: number
      /** What the decision at that time needs to know of the agent; absent if it needs nothing. */
      readonly facts?: AgentFacts
    }
  | { readonly kind: 'clearTimer'; readonly timer: TimerName }

export const timerNames = ['send', 'paced', 'deferred', 'window', 'undelivered', 'webhook'] as const
export type TimerName = (typeof timerNames)[number]

/** Timers of delays, which do not become longer when the clock is set back. They fire without facts of the agent. */
export type DelayTimer = 'send' | 'paced' | 'webhook'

export function isDelayTimer(timer: TimerName): timer is DelayTimer {
  return timer === 'send' || timer === 'paced' || timer === 'webhook'
}

/** The state of a message on the channel that took it over. */
export interface FailoverUpdate {
  readonly state: MessageState
  readonly attempt: Attempt
  readonly reason?: string
  readonly detail?: string
}

/** One call of the agent's webhook with an event. */
export interface WebhookAttempt {
  readonly eventId: string
  readonly type: TypedEvent['type']
  readonly sessionId: string
  /** The number of this attempt at the event, from 1. */
  readonly attempt: number
  /** `retried`: the next attempt is at `nextAt`. `failed`: no further attempt, or the reply could not be used. */
  readonly outcome: 'taken' | 'retried' | 'failed'
  readonly durationMs: number
  /** The HTTP status; absent when no answer came. */
  readonly status?: number
  /** Messages in the reply. */
  readonly messages?: number
  readonly why?: string
  readonly nextAt?: number
}
