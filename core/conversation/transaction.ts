/** The transaction of one decision about a conversation: what it reads, and the records and effects it produces. */
import type { LogEventName } from '../catalogs/logevents.js'
import type { Receipt } from '../channel/inbound.js'
import type { ConversationEffect, ConversationRecord } from './effects.js'
import type { OutboundMessageRecord } from './state.js'

/** The only source of time and ids for a decision. */
export interface CommandContext {
  readonly at: number
  /** A new id; the same one each time the command is decided again. */
  mint(prefix: string): string
  /** A product delay in real time: delays are divided by the installation's time scale. */
  scaled(ms: number): number
}

/** Stored rows of one conversation. Reads are synchronous and see everything committed before the decision. */
export interface StoredMessages {
  message(id: string): OutboundMessageRecord | undefined
  /** The id of the message with this provider id. */
  byProviderId(providerId: string): string | undefined
  /** The id of the message that was accepted under a caller's own id, while that id is stored. */
  byClientId(clientId: string): string | undefined
  /** Messages handed over since that time, newest first. */
  sentSince(at: number): readonly OutboundMessageRecord[]
  parked(providerId: string): readonly Receipt[]
}

/** Passed to every function of a decision. Reads see the transaction's own records. */
export interface ConversationTx {
  readonly command: CommandContext
  readonly stored: StoredMessages
  readonly failsOverUndelivered: boolean
  record(record: ConversationRecord): void
  emit(effect: ConversationEffect): void
}

export class Transaction implements ConversationTx {
  readonly records: ConversationRecord[] = []
  readonly effects: ConversationEffect[] = []
  readonly stored: StoredMessages

  constructor(
    readonly command: CommandContext,
    stored: StoredMessages,
    readonly failsOverUndelivered: boolean,
  ) {
    this.stored = new TransactionReads(stored, this.records)
  }

  record(record: ConversationRecord): void {
    this.records.push(record)
  }

  emit(effect: ConversationEffect): void {
    this.effects.push(effect)
  }
}

/**
 * Reads that see the records of the transaction. Records are indexed on the first read after them, so writing is cheap.
 */
class TransactionReads implements StoredMessages {
  private appliedCount = 0
  private messages?: Map<string, OutboundMessageRecord>
  private providerIds?: Map<string, string>
  private clientIds?: Map<string, string>
  private receipts?: Map<string, readonly Receipt[]>

  constructor(
    private readonly committed: StoredMessages,
    private readonly records: readonly ConversationRecord[],
  ) {}

  message(id: string): OutboundMessageRecord | undefined {
    this.applyRecords()
    return this.messages?.get(id) ?? this.committed.message(id)
  }

  byProviderId(providerId: string): string | undefined {
    this.applyRecords()
    return this.providerIds?.get(providerId) ?? this.committed.byProviderId(providerId)
  }

  byClientId(clientId: string): string | undefined {
    this.applyRecords()
    return this.clientIds?.get(clientId) ?? this.committed.byClientId(clientId)
  }

  sentSince(at: number): readonly OutboundMessageRecord[] {
    this.applyRecords()
    const { messages } = this
    const committed = this.committed.sentSince(at)
    if (!messages) return committed
    const pending = [...messages.values()].filter(({ sentAt }) => sentAt !== undefined && sentAt >= at)
    const all = [...committed.filter(({ id }) => !messages.has(id)), ...pending]
    return all.sort((a, b) => b.sentAt! - a.sentAt! || (a.id < b.id ? -1 : 1))
  }

  parked(providerId: string): readonly Receipt[] {
    this.applyRecords()
    return this.receipts?.get(providerId) ?? this.committed.parked(providerId)
  }

  private applyRecords(): void {
    for (; this.appliedCount < this.records.length; this.appliedCount += 1) {
      const record = this.records[this.appliedCount]!
      if (record.kind === 'message') {
        this.messages ??= new Map()
        this.messages.set(record.message.id, record.message)
      } else if (record.kind === 'providerId') {
        this.providerIds ??= new Map()
        this.providerIds.set(record.providerId, record.messageId)
      } else if (record.kind === 'clientId') {
        this.clientIds ??= new Map()
        this.clientIds.set(record.clientId, record.messageId)
      } else if (record.kind === 'parked') {
        this.receipts ??= new Map()
        this.receipts.set(record.providerId, record.receipts)
      }
    }
  }
}

export function saveMessage(tx: ConversationTx, message: OutboundMessageRecord): void {
  tx.record({ kind: 'message', message })
}

export function log(tx: ConversationTx, event: LogEventName, data?: Readonly<Record<string, unknown>>): void {
  tx.record({ kind: 'log', note: data ? { event, data } : { event } })
}
