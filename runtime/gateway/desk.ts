/** The desk of a conversation's decisions, laid over a transaction of its shard. */
import { type AgentPlace, agentKeyOf } from '../../core/agentkey.js'
import { levelOf } from '../../core/catalogs/logevents.js'
import type { ChannelName } from '../../core/channel/names.js'
import type {
  CarriedNews,
  Desk,
  LogNote,
  TrafficEntry,
  WakeReason,
  WebhookAttempt,
} from '../../core/conversation/desk.js'
import type { Receipt } from '../../core/conversation/receipts.js'
import type { Conversation, ConversationEvent, Outgoing } from '../../core/conversation/state.js'
import { conversation as limits } from '../../core/limits.js'
import type { SendNews } from '../../core/outreach/send.js'
import type { IdentityNews } from '../../core/people/person.js'
import type { Command, Told, Tx } from '../shard/contract.js'
import { openTranscript, type Transcript } from '../webchat/transcript.js'
import { callWith } from './calls.js'
import type { ConversationCommands } from './commands.js'
import { type Carry, effectKinds, type Govern } from './effects.js'
import { Records } from './records.js'
import {
  callerIdTable,
  conversationTable,
  eventTable,
  outgoingTable,
  parkedTable,
  providerIdTable,
  turnTable,
} from './tables.js'

export interface DeskOptions {
  readonly tx: Tx
  readonly told: Told
  readonly conversation: Conversation
  readonly timeScale: number
  readonly commands: () => ConversationCommands
  readonly keepers: Keepers
}

/** Whoever keeps sends and people in the agent's shard; where nobody does, nobody is told. */
export interface Keepers {
  readonly sends?: Command<SendNews & AgentPlace, unknown>
  readonly people?: Command<IdentityNews & AgentPlace, unknown>
}

/**
 * `keep` comes last in every decision: it also starts on the first event that waits. A class, since one is made for every
 * decision: two dozen functions each time would be most of what it allocates.
 */
export class TxDesk implements Desk {
  readonly at: number
  readonly mint: Desk['mint']
  private readonly asid: string
  private readonly transcript: Transcript | undefined
  private readonly records: Records

  constructor(private readonly options: DeskOptions) {
    const { tx, told, conversation, timeScale } = options
    this.at = told.at
    this.mint = told.mint
    this.asid = conversation.asid
    this.transcript = openTranscript(tx, conversation, told.at)
    this.records = new Records(tx, conversation, told.at, timeScale)
  }

  scaled(ms: number): number {
    return Math.ceil(ms / this.options.timeScale)
  }

  outgoing(id: string) {
    return this.options.tx.get(outgoingTable, [this.asid, id])
  }
  idOfProvider(id: string) {
    return this.options.tx.get(providerIdTable, [this.asid, id])?.messageId
  }
  idOfCaller(id: string) {
    return this.inTime(this.options.tx.get(callerIdTable, [this.asid, id]))?.messageId
  }
  sentSince(since: number) {
    const sent = Array.from(this.options.tx.range(outgoingTable, { prefix: [this.asid] }), ({ value }) => value)
    return sent.filter(({ sentAt = 0 }) => sentAt >= since).sort((a, b) => b.sentAt! - a.sentAt!)
  }
  parked(providerId: string) {
    return this.inTime(this.options.tx.get(parkedTable, [this.asid, providerId]))?.receipts ?? []
  }

  keep(conversation: Conversation) {
    const { tx, conversation: before } = this.options
    this.transcript?.write(conversation)
    tx.put(conversationTable, [this.asid], this.records.within(conversation))
    const isCalling = before.firstEvent < before.nextEvent
    if (!isCalling && conversation.firstEvent < conversation.nextEvent) callWith(tx, this.asid, conversation.firstEvent)
  }
  keepOutgoing(outgoing: Outgoing) {
    this.transcript?.keeping(outgoing)
    this.options.tx.put(outgoingTable, [this.asid, outgoing.id], outgoing)
  }
  nameForProvider(providerId: string, messageId: string) {
    const until = this.at + this.scaled(limits.keptMs)
    this.options.tx.put(providerIdTable, [this.asid, providerId], { messageId, until })
  }
  nameForCaller(callerId: string, messageId: string) {
    const until = this.at + this.scaled(limits.messageIdMs)
    this.options.tx.put(callerIdTable, [this.asid, callerId], { messageId, until })
  }
  park(receipt: Receipt) {
    const receipts = this.parked(receipt.providerId)
    if (receipts.length >= limits.parkedReceipts) return
    const until = this.at + this.scaled(limits.parkedMs)
    this.options.tx.put(parkedTable, [this.asid, receipt.providerId], { receipts: [...receipts, receipt], until })
  }

  tell(number: number, event: ConversationEvent) {
    this.options.tx.put(eventTable, [this.asid, number], event)
  }
  traffic(entry: TrafficEntry) {
    const { tx, conversation } = this.options
    const number = this.records.traffic(entry)
    this.transcript?.recorded(entry, number)
    if (conversation.sandbox && entry.type !== 'status') {
      tx.put(turnTable, [this.asid, number], { at: this.at, ...entry })
    }
  }
  attempt(attempt: WebhookAttempt) {
    this.records.attempt(attempt)
  }
  log(note: LogNote) {
    this.records.log({ level: levelOf(note.event), ...note })
  }
  deliver(messageId: string, tried: number) {
    const payload = { asid: this.asid, messageId, tried }
    this.options.tx.effect({ kind: effectKinds.deliver, payload, destination: this.destination() })
  }
  govern(messageId: string, perSecond: number) {
    const payload: Govern = { asid: this.asid, messageId, perSecond }
    this.options.tx.effect({ kind: effectKinds.govern, payload, destination: this.destination() })
  }
  wake(reason: WakeReason, wakeAt: number | undefined) {
    const { tx, commands } = this.options
    if (wakeAt === undefined) return tx.unschedule(reason)
    const timer = { name: reason, dueAt: wakeAt, command: commands().woken.name, input: { asid: this.asid, reason } }
    tx.schedule(reason === 'send' ? { ...timer, isDelay: true } : timer)
  }
  carry(sibling: string, onto: ChannelName, outgoing: Outgoing) {
    const payload: Carry = { asid: this.asid, sibling, channel: onto, messageId: outgoing.id }
    this.options.tx.effect({ kind: effectKinds.carry, payload, destination: sibling })
  }
  carried(asker: string, messageId: string, news: CarriedNews) {
    const { tx, commands } = this.options
    tx.tell(asker, commands().carried, { asid: asker, messageId, news })
  }
  tellSend(news: SendNews) {
    const { tx, conversation, keepers } = this.options
    const { orgId, agentId } = conversation.agent
    if (keepers.sends) tx.tell(agentKeyOf(conversation.agent), keepers.sends, { orgId, agentId, ...news })
  }
  tellPeople(kind: IdentityNews['kind']) {
    const { tx, conversation, keepers } = this.options
    const { asid, channel, address, agent, sandbox, optedOutAt } = conversation
    if (!keepers.people || sandbox) return
    const standing = kind === 'seen' && optedOutAt !== undefined ? { optedOutAt } : {}
    tx.tell(agentKeyOf(agent), keepers.people, { asid, channel, address, at: this.at, kind, ...standing, ...agent })
  }

  /** What goes over one binding is begun in the order in which it was decided. */
  private destination(): string {
    const { agent, channel } = this.options.conversation
    return `${agent.orgId}/${agent.agentId}/${channel}`
  }
  private inTime<T extends { readonly until: number }>(row: T | undefined): T | undefined {
    return row && row.until > this.at ? row : undefined
  }
}
