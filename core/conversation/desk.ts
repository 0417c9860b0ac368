/**
 * What a decision about a conversation has before it: what is remembered, and what it leaves behind. Whoever gives it
 * makes everything that one decision left durable together, or none of it; what is to be done follows after that.
 */

import type { LogEventName } from '../catalogs/logevents.js'
import type { ChannelName } from '../channel/names.js'
import type { Traits } from '../channel/traits.js'
import type { SendNews } from '../outreach/send.js'
import type { IdentityNews } from '../people/person.js'
import type { Reader } from '../render/contract.js'
import type { Brand } from './keywords.js'
import type { LoopGuard } from './loopguard.js'
import type { Receipt } from './receipts.js'
import type { Attempt, Conversation, ConversationEvent, MessageState, Outgoing, TypedEvent } from './state.js'

/** The agent around the conversation, as the process knows it that brings the news. */
export interface Around {
  /** How this channel is bound just now; absent while it is not. */
  readonly binding?: Binding
  /** The agent is told what happens. Nobody is while it has nowhere to be told. */
  readonly isListening: boolean
  readonly traits: Traits
  readonly brand: Brand
  readonly reader: Reader
  /** The same address on the agent's other channels that are in service, by the conversations it has there. */
  readonly siblings: Partial<Record<ChannelName, string>>
}

export interface Binding {
  readonly provider: string
  readonly isActive: boolean
  /** Nobody is beyond us on this channel: people read what they are told from our own record. */
  readonly isOurs?: true
  /** The least time between two agent messages. */
  readonly minDelayMs: number
  /** Messages in bulk that leave a second; absent: as many as come, and none of them waits for a turn. */
  readonly bulkPerSecond?: number
  /** Absent: the default. */
  readonly loopGuard?: LoopGuard
  /** Keywords are answered here, and each relationship begins with this disclaimer (its own text, or the stock one). */
  readonly compliance?: { readonly disclaimer?: string }
}

export interface Desk extends Remembered, Left, ToDo {
  readonly at: number
  /** How long product delays really are: they are divided by the installation's time scale. */
  scaled(ms: number): number
  /** A new id, the same one each time this is decided again. */
  mint(prefix: string): string
}

export interface Remembered {
  outgoing(id: string): Outgoing | undefined
  /** The message that the provider calls so. */
  idOfProvider(providerId: string): string | undefined
  /** The message that was accepted under a caller's own id, as long as that is known. */
  idOfCaller(callerId: string): string | undefined
  /** Messages handed over since then, newest first. */
  sentSince(at: number): Iterable<Outgoing>
  parked(providerId: string): readonly Receipt[]
}

export interface Left {
  keep(conversation: Conversation): void
  keepOutgoing(outgoing: Outgoing): void
  nameForProvider(providerId: string, messageId: string): void
  nameForCaller(callerId: string, messageId: string): void
  park(receipt: Receipt): void
}

/** Every entry is also a record that people can list: of traffic, or of a decision worth explaining. */
export interface ToDo {
  tell(number: number, event: ConversationEvent): void
  traffic(entry: TrafficEntry): void
  log(note: LogNote): void
  /** Keeps what calling the agent with an event came to. */
  attempt(attempt: WebhookAttempt): void
  /** Hands the message to the provider, and reports what came of it under this number of tries. */
  deliver(messageId: string, tried: number): void
  /** Has the message wait for its turn among all that the provider takes in bulk; it is released later. */
  govern(messageId: string, perSecond: number): void
  /** Wakes the conversation at that time for that reason, in place of an earlier time; undefined: not at all. */
  wake(reason: WakeReason, at: number | undefined): void
  /** Has the conversation of the same person on another channel send it. */
  carry(asid: string, channel: ChannelName, outgoing: Outgoing): void
  /** Tells the conversation that gave it what became of a message. */
  carried(asid: string, messageId: string, news: CarriedNews): void
  /** Tells whoever keeps sends what became of one. */
  tellSend(news: SendNews): void
  /** Tells whoever keeps the agent's people what became of this identity. */
  tellPeople(kind: IdentityNews['kind']): void
}

export type WakeReason = 'send' | 'held' | 'window' | 'undelivered'

export interface CarriedNews {
  readonly state: MessageState
  readonly attempt: Attempt
  readonly reason?: string
  readonly detail?: string
}

export interface TrafficEntry {
  readonly origin: 'user' | 'agent'
  readonly type: 'content' | 'status' | 'action'
  readonly subtype?: string
  readonly sessionId: string
  readonly text?: string
  readonly messageId: string
  /** What the provider calls what the person did; what it calls the agent's messages stands with those. */
  readonly channelMessageId?: string
  readonly error?: string
  /** Absent for what the agent said: that stands in the message itself, which is kept as long. */
  readonly raw?: unknown
}

/** One call of the agent's webhook with an event. */
export interface WebhookAttempt {
  readonly eventId: string
  readonly type: TypedEvent['type']
  readonly sessionId: string
  /** Which try of the event it was, from 1 on. */
  readonly tried: number
  /** `retried`: there is another try at `nextAt`. `failed`: there is none, or the reply could not be used. */
  readonly outcome: 'taken' | 'retried' | 'failed'
  readonly ms: number
  /** The HTTP status; absent when no answer came. */
  readonly status?: number
  /** Messages in the reply. */
  readonly messages?: number
  readonly why?: string
  readonly nextAt?: number
}

/** How loud it is, the catalog says. */
export interface LogNote {
  readonly event: LogEventName
  readonly data?: Readonly<Record<string, unknown>>
}

export interface LogEntry {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly event: string
  readonly data?: Readonly<Record<string, unknown>>
}
