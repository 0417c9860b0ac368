/** Writes a day's traffic to the disk as conversations would: people who talk in turn with an agent. */

import type { TrafficEntry } from '../../../core/conversation/entry.js'
import type { Conversation } from '../../../core/conversation/state.js'
import { traffic as limits } from '../../../core/limits/index.js'
import { newConversation } from '../../../runtime/conversation/commands.js'
import { HistoryWriter } from '../../../runtime/conversation/history.js'
import { conversationTable, messageTable } from '../../../runtime/conversation/tables.js'
import type { Tx } from '../../../runtime/shard/contract.js'
import { shardOf } from '../../../runtime/shard/placement.js'
import type { Key, Store, Table, Write } from '../../../runtime/store/contract.js'
import { shards } from '../store/settings.js'

export const agentRef = { orgId: 'bench', agentId: 'shop' }
/** Fixed for any number of records, so that shards have an even share. */
const people = 2_000
/** One more person, with the same number of records in any traffic. */
export const regularAsid = asidOf(0)
export const recordsOfRegular = 100
const recordsPerCommit = 20_000

/** The last record is at that time, the first nearly a day before it. */
export async function fill(store: Store, records: number, until: number): Promise<void> {
  const everyNth = Math.floor(records / recordsOfRegular)
  const conversations = new Map<string, Conversation>()
  const startAt = until - 0.9 * limits.windowMs
  const stepMs = (until - startAt) / records
  for (let first = 0; first < records; first += recordsPerCommit) {
    const writes = Array.from({ length: shards }, (): Write[] => [])
    for (let nth = first; nth < Math.min(records, first + recordsPerCommit); nth++) {
      const asid = nth % everyNth === 0 ? regularAsid : asidOf(1 + (nth % people))
      const at = Math.floor(startAt + nth * stepMs)
      const into = writes[shardOf(asid, shards)]!
      const conversation =
        conversations.get(asid) ?? newConversation({ asid, agent: agentRef, channel: 'sms', address: asid }, at)
      const tx = createCollector(into)
      const history = new HistoryWriter(tx, conversation, at, 1)
      history.traffic(buildEntry(tx, asid, nth, at))
      conversations.set(asid, history.applyTo(conversation))
    }
    await commit(store, writes)
  }
  const writes = Array.from({ length: shards }, (): Write[] => [])
  for (const [asid, conversation] of conversations) {
    createCollector(writes[shardOf(asid, shards)]!).put(conversationTable, [asid], conversation)
  }
  await commit(store, writes)
}

function asidOf(person: number): string {
  return `usr_${String(person).padStart(26, '0')}`
}

/** The person and the agent write in turn. */
function buildEntry(tx: Tx, asid: string, nth: number, at: number): TrafficEntry {
  const text = 'Is there a room with a view of the harbor for two, from Friday on?'
  const sessionId = `ses_${asid}`
  const messageId = `${nth % 2 === 0 ? 'inb' : 'msg'}_${nth}`
  const content = { type: 'content', sessionId, messageId, text } as const
  if (nth % 2 === 0) return { ...content, origin: 'user', raw: { text } }
  const message = { spec: 'amf/1', parts: [{ type: 'text', text }] } as const
  const states = { sent: at, delivered: at }
  tx.put(messageTable, [asid, messageId], { id: messageId, message, at, sessionId, from: 'reply', states })
  return { ...content, origin: 'agent' }
}

async function commit(store: Store, writes: readonly (readonly Write[])[]): Promise<void> {
  await Promise.all(writes.map((each, shard) => store.space(shard).commit(store.space(shard).encode(each))))
}

/** Sessions of this traffic never end, so the fill reads nothing. */
function createCollector(into: Write[]): Tx {
  return {
    put: (table: Table<Key, unknown>, key: Key, value: unknown) => void into.push({ table, key, value }),
    get: () => undefined,
  } as unknown as Tx
}
