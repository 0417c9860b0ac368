/** The command of `commit` and `cluster`: a message in a conversation, with five small records and one effect. */
import { createHash } from 'node:crypto'
import { idFromBytes } from '../../../core/ids.js'
import type { Command, Effect, EffectHandler, Handlers } from '../../../runtime/shard/contract.js'
import { table, type Write } from '../../../runtime/store/contract.js'

const dayMs = 24 * 60 * 60 * 1000
const agent = 'order-status-assistant'
const channel = 'sms'
const address = '+15550100'
const text = 'Your order left the warehouse this morning and arrives on Thursday between nine and noon.'

interface Conversation {
  readonly channel: string
  readonly address: string
  readonly state: string
  readonly messages: number
  readonly changedAt: number
  readonly agent: string
}
const conversationTable = table<[owner: string], Conversation>('bench.conversation')
const messageTable = table<[owner: string, number: number], unknown>('bench.message')
const sessionTable = table<[owner: string], unknown>('bench.session')
const usageTable = table<[owner: string, day: number], unknown>('bench.usage')
const recentTable = table<[agent: string, owner: string], unknown>('bench.recent')

/** Many more owners than concurrent commands, so that commands of one owner hardly ever wait for each other. */
const conversations = 10_000

/** The owners, used in turn. Their ids are hashes, so neighbours in time are not neighbours in the data. */
export const owners = Array.from({ length: conversations }, (_, sequence) => ownerOf(sequence))

export function ownerOf(sequence: number): string {
  return idFromBytes('as', createHash('sha256').update(String(sequence)).digest())
}

/** Each is 100 to 190 bytes with its key. */
export function recordsOf(owner: string, messages: number, at: number): Write[] {
  const session = { id: `ses-${messages}`, channel, startedAt: at, turns: messages, intent: 'order.status' }
  const usage = { messages, segments: messages * 2, chips: 0, cards: 0, webhookCalls: messages }
  return [
    {
      table: conversationTable,
      key: [owner],
      value: { channel, address, state: 'open', messages, changedAt: at, agent },
    },
    { table: messageTable, key: [owner, messages], value: { at, from: 'agent', state: 'queued', text } },
    { table: sessionTable, key: [owner], value: session },
    { table: usageTable, key: [owner, Math.floor(at / dayMs)], value: usage },
    { table: recentTable, key: [agent, owner], value: { at, last: text, unread: messages } },
  ] as Write[]
}

export const delivery = { kind: 'bench.deliver', payload: { channel, address, text } } as const satisfies Effect

/** Reads the conversation's state record, as every command of a conversation does. */
export const receive: Command<{ owner: string }, number> = {
  name: 'bench.receive',
  decide(tx, { owner }, { at }) {
    const messages = (tx.get(conversationTable, [owner])?.messages ?? 0) + 1
    for (const { table: into, key, value } of recordsOf(owner, messages, at)) tx.put(into, key, value)
    tx.emit(delivery)
    return messages
  },
}

export function moduleWith(handle: EffectHandler): Handlers {
  return { commands: [receive as never], queries: [], effectHandlers: () => ({ [delivery.kind]: handle }) }
}
