/** The desk of a conversation's decisions, laid over a transaction of its shard. */
import { type AgentPlace, agentKeyOf } from '../../core/agentkey.js'
import { levelOf } from '../../core/catalogs/logevents.js'
import type { Desk } from '../../core/conversation/desk.js'
import type { Conversation } from '../../core/conversation/state.js'
import { conversation as limits } from '../../core/limits.js'
import type { SendNews } from '../../core/outreach/send.js'
import type { IdentityNews } from '../../core/people/person.js'
import type { Command, Told, Tx } from '../shard/contract.js'
import { openTranscript } from '../webchat/transcript.js'
import { callWith } from './calls.js'
import type { ConversationCommands } from './commands.js'
import { type Carry, effectKinds, type Govern } from './effects.js'
import { openRecords } from './records.js'
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

/** `keep` comes last in every decision: it also starts on the first event that waits. */
export function openDesk({ tx, told, conversation: before, timeScale, commands, keepers }: DeskOptions): Desk {
  const { asid, channel, address, agent } = before
  const { orgId, agentId } = agent
  /** What goes over one binding is begun in the order in which it was decided. */
  const destination = `${orgId}/${agentId}/${channel}`
  const { at } = told
  const transcript = openTranscript(tx, before, at)
  const records = openRecords(tx, before, at, timeScale)
  const scaled = (ms: number) => Math.ceil(ms / timeScale)
  const inTime = <T extends { readonly until: number }>(row: T | undefined) => (row && row.until > at ? row : undefined)

  return {
    at,
    scaled,
    mint: told.mint,

    outgoing: (id) => tx.get(outgoingTable, [asid, id]),
    idOfProvider: (id) => tx.get(providerIdTable, [asid, id])?.messageId,
    idOfCaller: (id) => inTime(tx.get(callerIdTable, [asid, id]))?.messageId,
    sentSince(since) {
      const sent = Array.from(tx.range(outgoingTable, { prefix: [asid] }), ({ value }) => value)
      return sent.filter(({ sentAt = 0 }) => sentAt >= since).sort((a, b) => b.sentAt! - a.sentAt!)
    },
    parked: (providerId) => inTime(tx.get(parkedTable, [asid, providerId]))?.receipts ?? [],

    keep(conversation) {
      transcript?.write(conversation)
      tx.put(conversationTable, [asid], records.within(conversation))
      const isCalling = before.firstEvent < before.nextEvent
      if (!isCalling && conversation.firstEvent < conversation.nextEvent) callWith(tx, asid, conversation.firstEvent)
    },
    keepOutgoing(outgoing) {
      transcript?.keeping(outgoing)
      tx.put(outgoingTable, [asid, outgoing.id], outgoing)
    },
    nameForProvider(providerId, messageId) {
      tx.put(providerIdTable, [asid, providerId], { messageId, until: at + scaled(limits.keptMs) })
    },
    nameForCaller(callerId, messageId) {
      tx.put(callerIdTable, [asid, callerId], { messageId, until: at + scaled(limits.messageIdMs) })
    },
    park(receipt) {
      const receipts = inTime(tx.get(parkedTable, [asid, receipt.providerId]))?.receipts ?? []
      if (receipts.length >= limits.parkedReceipts) return
      const until = at + scaled(limits.parkedMs)
      tx.put(parkedTable, [asid, receipt.providerId], { receipts: [...receipts, receipt], until })
    },

    tell: (number, event) => tx.put(eventTable, [asid, number], event),
    traffic(entry) {
      const number = records.traffic(entry)
      transcript?.recorded(entry, number)
      if (before.sandbox && entry.type !== 'status') tx.put(turnTable, [asid, number], { at, ...entry })
    },
    log: (note) => records.log({ level: levelOf(note.event), ...note }),
    deliver(messageId, tried) {
      tx.effect({ kind: effectKinds.deliver, payload: { asid, messageId, tried }, destination })
    },
    govern(messageId, perSecond) {
      tx.effect({ kind: effectKinds.govern, payload: { asid, messageId, perSecond } satisfies Govern, destination })
    },
    wake(reason, wakeAt) {
      if (wakeAt === undefined) return tx.unschedule(reason)
      tx.schedule({ name: reason, dueAt: wakeAt, command: commands().woken.name, input: { asid, reason } })
    },
    carry(sibling, onto, outgoing) {
      const payload: Carry = { asid, sibling, channel: onto, messageId: outgoing.id }
      tx.effect({ kind: effectKinds.carry, payload, destination: sibling })
    },
    carried(asker, messageId, news) {
      tx.tell(asker, commands().carried, { asid: asker, messageId, news })
    },
    tellSend(news) {
      if (keepers.sends) tx.tell(agentKeyOf(agent), keepers.sends, { orgId, agentId, ...news })
    },
    tellPeople(kind) {
      if (keepers.people && !before.sandbox) {
        tx.tell(agentKeyOf(agent), keepers.people, { asid, channel, address, at, kind, ...agent })
      }
    },
  }
}
