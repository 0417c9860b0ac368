/** Commits of a conversation: reads its stored rows for the reducer, and writes what the reducer returns. */
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import { levelOf } from '../../core/catalogs/logevents.js'
import type { Receipt } from '../../core/channel/inbound.js'
import type { DeliveryReport } from '../../core/conversation/deliveryreport.js'
import {
  type ConversationEffect,
  type ConversationRecord,
  isDelayTimer,
  type TurnCutReason,
} from '../../core/conversation/effects.js'
import type { TrafficEntry } from '../../core/conversation/entry.js'
import { type AnswerTo, type ConversationInput, type Reduction, reduce } from '../../core/conversation/reduce.js'
import type { Conversation, OutboundMessageRecord } from '../../core/conversation/state.js'
import type { CommandContext, StoredMessages } from '../../core/conversation/transaction.js'
import { conversation as limits } from '../../core/limits/index.js'
import type { IdentityEvent } from '../../core/people/person.js'
import { scaledMs } from '../../core/time.js'
import { notesOf } from '../../core/turn/notes.js'
import type { TurnRecord } from '../../core/turn/record.js'
import type { Command, CommandMeta, Tx } from '../shard/contract.js'
import type { Reader } from '../store/contract.js'
import type { FailoverUpdateInput, TimerInput } from './contract.js'
import { type Deliver, type DispatchEvent, effectKinds, type Failover } from './effects.js'
import { HistoryWriter } from './history.js'
import {
  clientIdTable,
  conversationTable,
  deadLetterTable,
  eventTable,
  messageTable,
  parkedTable,
  providerIdTable,
  sandboxTurnTable,
} from './tables.js'

/** Keeps rows of its own about the messages of a conversation, in the commit of each decision. */
export interface MessageListener {
  /** Undefined for a conversation that it keeps no rows about. */
  begin(tx: Tx, conversation: Conversation, at: number): MessageRows | undefined
}

export interface MessageRows {
  /** Called before the message is written, so that the previous row can still be read. */
  beforeSave(message: OutboundMessageRecord): void
  /** `number` is the number of the traffic record. */
  onRecord(entry: TrafficEntry, number: number): void
  /** Called last, with the conversation as it is committed. */
  flush(after: Conversation): void
}

/** Commands of other owners that a conversation reports to; where a subscriber is absent, nothing is reported. */
export interface Subscribers {
  readonly sends?: Command<DeliveryReport & AgentRef, unknown>
  readonly people?: Command<IdentityEvent & AgentRef, unknown>
}

export interface CutTurn {
  readonly turnId: string
  readonly why: TurnCutReason
}

/** Called in the commit that cuts a turn; returns the record of the turn. */
export type TurnCutListener = (tx: Tx, asid: string, cut: CutTurn, at: number) => TurnRecord | undefined

export interface TransactionOptions {
  readonly timeScale: number
  readonly subscribers: Subscribers
  readonly listeners: readonly MessageListener[]
  readonly failoverUpdate: Command<FailoverUpdateInput, unknown>
  readonly timerCommand: string
  readonly onTurnCut?: TurnCutListener | undefined
}

export type Decide = <Input extends ConversationInput>(
  tx: Tx,
  meta: CommandMeta,
  before: Conversation,
  input: Input,
) => { readonly conversation: Conversation; readonly answer: AnswerTo<Input> }

/** Runs the reducer on the stored rows of a conversation and writes everything that it returns. */
export function createDecide(options: TransactionOptions): Decide {
  const { listeners } = options
  const { failsOverUndelivered } = limits
  const scaled = (ms: number) => scaledMs(ms, options.timeScale)
  return (tx, { at, mint }, before, input) => {
    const command: CommandContext = { at, mint, scaled }
    const reduction = reduce(before, input, {
      command,
      stored: new StoredRows(tx, before.asid, at),
      failsOverUndelivered,
    })
    const rows = listeners.flatMap((listener) => listener.begin(tx, before, at) ?? [])
    const conversation = write(tx, before, command, rows, options, reduction)
    for (const effect of reduction.effects) emit(tx, before, command, options, effect)
    return { conversation, answer: reduction.answer }
  }
}

/** The stored rows of one conversation, as the reducer reads them. */
class StoredRows implements StoredMessages {
  constructor(
    private readonly reader: Reader,
    private readonly asid: string,
    private readonly at: number,
  ) {}

  message(id: string): OutboundMessageRecord | undefined {
    return this.reader.get(messageTable, [this.asid, id])
  }
  byProviderId(providerId: string): string | undefined {
    return this.reader.get(providerIdTable, [this.asid, providerId])?.messageId
  }
  byClientId(clientId: string): string | undefined {
    return this.current(this.reader.get(clientIdTable, [this.asid, clientId]))?.messageId
  }
  sentSince(since: number): readonly OutboundMessageRecord[] {
    const sent = Array.from(this.reader.range(messageTable, { prefix: [this.asid] }), ({ value }) => value)
    return sent.filter(({ sentAt = 0 }) => sentAt >= since).sort((a, b) => b.sentAt! - a.sentAt!)
  }
  parked(providerId: string): readonly Receipt[] {
    return this.current(this.reader.get(parkedTable, [this.asid, providerId]))?.receipts ?? []
  }

  private current<T extends { readonly until: number }>(row: T | undefined): T | undefined {
    return row && row.until > this.at ? row : undefined
  }
}

function write(
  tx: Tx,
  before: Conversation,
  { at, scaled }: CommandContext,
  rows: readonly MessageRows[],
  { timeScale, onTurnCut }: TransactionOptions,
  { conversation, records }: Reduction<unknown>,
): Conversation {
  const { asid, agent, sandbox } = before
  const history = new HistoryWriter(tx, before, at, timeScale)
  for (const record of records) writeRecord(record)
  for (const each of rows) each.flush(conversation)
  const after = history.applyTo(conversation)
  tx.put(conversationTable, [asid], after)
  return after

  function writeRecord(record: ConversationRecord): void {
    switch (record.kind) {
      case 'message':
        for (const each of rows) each.beforeSave(record.message)
        tx.put(messageTable, [asid, record.message.id], record.message)
        return
      case 'providerId': {
        const until = at + scaled(limits.retentionMs)
        tx.put(providerIdTable, [asid, record.providerId], { messageId: record.messageId, until })
        return
      }
      case 'clientId': {
        const until = at + scaled(limits.messageIdMs)
        tx.put(clientIdTable, [asid, record.clientId], { messageId: record.messageId, until })
        return
      }
      case 'parked': {
        const until = at + scaled(limits.parkedMs)
        tx.put(parkedTable, [asid, record.providerId], { receipts: record.receipts, until })
        return
      }
      case 'event':
        if (record.event) tx.put(eventTable, [asid, record.number], record.event)
        else tx.remove(eventTable, [asid, record.number])
        return
      case 'deadLetter': {
        const { event, why } = record
        const id = `${asid}.${event.eventId}`
        tx.put(deadLetterTable, [agent.orgId, agent.agentId, at, id], { id, asid, at, why, event })
        return
      }
      case 'traffic': {
        const { entry } = record
        const number = history.traffic(entry)
        for (const each of rows) each.onRecord(entry, number)
        if (sandbox && entry.type !== 'status') tx.put(sandboxTurnTable, [asid, number], { at, ...entry })
        return
      }
      case 'log':
        history.log({ level: levelOf(record.note.event), ...record.note })
        return
      case 'webhookAttempt':
        history.attempt(record.attempt)
        return
      case 'turnCut': {
        const turn = onTurnCut?.(tx, asid, record, at)
        if (!turn) return
        history.turn(turn)
        for (const note of notesOf(turn)) history.log({ level: levelOf(note.event), ...note })
      }
    }
  }
}

function emit(
  tx: Tx,
  before: Conversation,
  { at }: CommandContext,
  { subscribers, failoverUpdate, timerCommand }: TransactionOptions,
  effect: ConversationEffect,
): void {
  const { asid, agent, channel, address, sandbox, optedOutAt } = before
  const { orgId, agentId } = agent
  switch (effect.kind) {
    case 'deliver': {
      const { messageId, attempt } = effect
      const payload: Deliver = { asid, messageId, attempt }
      tx.emit({ kind: effectKinds.deliver, payload, destination: bindingOf(before) })
      return
    }
    case 'failover': {
      const { asid: sibling, channel: siblingChannel, messageId, facts } = effect
      const payload: Failover = { asid, sibling, channel: siblingChannel, messageId, facts }
      tx.emit({ kind: effectKinds.failover, payload, destination: sibling })
      return
    }
    case 'failoverUpdate': {
      const { asid: sender, messageId, update, facts } = effect
      tx.send(sender, failoverUpdate, { asid: sender, messageId, update, facts })
      return
    }
    case 'dispatchEvent':
      enqueueDispatch(tx, asid, effect.number)
      return
    case 'notifySend':
      if (subscribers.sends) tx.send(formatAgentKey(agent), subscribers.sends, { orgId, agentId, ...effect.report })
      return
    case 'notifyPeople': {
      if (!subscribers.people || sandbox) return
      const kind = effect.event
      const since = kind === 'seen' && optedOutAt !== undefined ? { optedOutAt } : {}
      tx.send(formatAgentKey(agent), subscribers.people, { asid, channel, address, at, kind, ...since, ...agent })
      return
    }
    case 'setTimer': {
      const { timer: name, at: dueAt, facts } = effect
      const input: TimerInput = { asid, timer: name, ...(facts && { facts }) }
      tx.schedule({ name, dueAt, command: timerCommand, input, ...(isDelayTimer(name) && { isDelay: true }) })
      return
    }
    case 'clearTimer':
      tx.unschedule(effect.timer)
  }
}

export function enqueueDispatch(tx: Tx, asid: string, number: number): void {
  const payload: DispatchEvent = { asid, number }
  tx.emit({ kind: effectKinds.dispatchEvent, payload, destination: asid })
}

/** One destination per binding: its messages are handed over in the order of their decisions. */
function bindingOf({ agent, channel }: Conversation): string {
  return `${agent.orgId}/${agent.agentId}/${channel}`
}
