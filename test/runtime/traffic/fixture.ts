/** The records of conversations in a world, without what leads to them, and the lists that tests read from them. */
import type { Test } from 'tap'
import type { AgentRef } from '../../../core/agentref.js'
import type { TrafficEntry } from '../../../core/conversation/entry.js'
import { isRefusal, type Refusal } from '../../../core/errors.js'
import { conversation as kept, traffic as limits } from '../../../core/limits/index.js'
import type { Position } from '../../../core/traffic/merge.js'
import type { RecordQuery } from '../../../core/traffic/query.js'
import { newConversation } from '../../../runtime/conversation/commands.js'
import { HistoryWriter } from '../../../runtime/conversation/history.js'
import { conversationTable, type DeadLetter, deadLetterTable } from '../../../runtime/conversation/tables.js'
import { sandboxRemove } from '../../../runtime/sandbox/commands.js'
import type { Command, Handlers } from '../../../runtime/shard/contract.js'
import { createTrafficLists, type Traffic } from '../../../runtime/traffic/messages.js'
import { agentRef, createWorld } from '../../harness/world.js'
import { createCountedShards } from './countedshards.js'

export { agentRef }

interface TrafficInput {
  readonly asid: string
  /** Another agent's person. */
  readonly agent?: AgentRef
  readonly sandbox?: true
  readonly entries: readonly TrafficEntry[]
  readonly logs?: readonly string[]
  /** The agent's webhook would not hear of it. */
  readonly isDeadLetter?: true
}

/** As a conversation leaves its records, without what led to them. */
export const addTraffic: Command<TrafficInput, null> = {
  name: 'test.say',
  decide(tx, { asid, agent = agentRef, sandbox, entries, logs = [], isDeadLetter }, { at }) {
    const who = { asid, agent, channel: 'sms', address: asid, ...(sandbox && { sandbox }) } as const
    const conversation = tx.get(conversationTable, [asid]) ?? newConversation(who, at)
    const records = new HistoryWriter(tx, conversation, at, 1)
    for (const entry of entries) records.traffic(entry)
    for (const event of logs) records.log({ level: event === 'webhook.parked' ? 'error' : 'info', event })
    const { orgId, agentId } = agent
    if (isDeadLetter) tx.put(deadLetterTable, [orgId, agentId, at, asid], { asid, at } as DeadLetter)
    if (conversation.nothingToExpire)
      tx.schedule({
        name: 'expire',
        dueAt: at + kept.retentionEveryMs,
        command: 'conversation.expireRows',
        input: { asid },
      })
    const { nothingToExpire: _before, ...rest } = conversation
    tx.put(conversationTable, [asid], records.applyTo(rest))
    return null
  },
}

export async function openTrafficFixture(t: Test) {
  const extraModule: Handlers = { commands: [addTraffic], queries: [], effectHandlers: () => ({}) }
  const { clock, node } = await createWorld(t, { agent: { hasWebhook: false }, node: { extraModule } })
  const { engine } = node.node
  const { shards, cost } = createCountedShards(node)
  let entryCount = 0
  return {
    clock,
    engine,
    rows: node.rows,
    traffic: createTrafficLists({ shards, shardCount: node.shardCount, timeScale: 1, clock }),
    /** Records one entry and returns its message id. */
    async addEntry(asid: string, how: Partial<TrafficEntry> = {}, more: Partial<TrafficInput> = {}): Promise<string> {
      const messageId = `m${++entryCount}`
      const entry = {
        origin: 'user',
        type: 'content',
        sessionId: `${asid}-1`,
        text: messageId,
        ...how,
        messageId,
      } as const
      await engine.execute(asid, addTraffic, { asid, entries: [entry], ...more })
      return messageId
    },
    cost,
    forget: (asid: string) => engine.execute(asid, sandboxRemove, { asid }),
  }
}
export type TrafficFixture = Awaited<ReturnType<typeof openTrafficFixture>>

export const queryAll = (more: Partial<RecordQuery> = {}): RecordQuery => {
  return { window: { from: 0 }, limit: limits.defaultRows, includeTest: false, filter: {}, ...more }
}

/** What was found, where nothing was refused. */
export function unwrap<T>(result: readonly T[] | Refusal): readonly T[] {
  if (isRefusal(result)) throw new Error(result.refused)
  return result
}

/** All pages, with something done before each further one. */
export async function pagesOf(
  traffic: Traffic,
  query: RecordQuery,
  beforeNextPage: () => Promise<unknown> = async () => {},
) {
  const messageIds: string[] = []
  let after: Position | undefined
  for (let pages = 0; pages < 500; pages++) {
    const page = await traffic.messages(agentRef, { ...query, ...(after && { after }) })
    if (isRefusal(page)) throw new Error(page.refused)
    if (page.data.length > query.limit) throw new Error(`a page of ${page.data.length}`)
    messageIds.push(...page.data.map(({ messageId }) => messageId))
    if (!page.last) return messageIds
    after = page.last
    await beforeNextPage()
  }
  throw new Error('the list does not end')
}
