/** Conversations without what leads to their records: a real store and engine, and everything that lists of them cost. */

import { randomBytes } from 'node:crypto'
import type { Test } from 'tap'
import type { AgentPlace } from '../../../core/agentkey.js'
import type { TrafficEntry } from '../../../core/conversation/entry.js'
import { isRefusal, type Refusal } from '../../../core/errors.js'
import { conversation as kept, traffic as limits } from '../../../core/limits.js'
import type { Position } from '../../../core/traffic/stretch.js'
import type { WantedRecords } from '../../../core/traffic/wanted.js'
import { newConversation } from '../../../runtime/conversation/commands.js'
import { HistoryWriter } from '../../../runtime/conversation/history.js'
import { conversationTable, type DeadLetter, deadLetterTable } from '../../../runtime/conversation/tables.js'
import { gatewayParts } from '../../../runtime/node/gateway.js'
import { openLog } from '../../../runtime/observe/log.js'
import { sandboxForget } from '../../../runtime/sandbox/commands.js'
import type { Command } from '../../../runtime/shard/contract.js'
import { openEmbedded } from '../../../runtime/shard/embedded.js'
import type { Key, Reader, Row, Table } from '../../../runtime/store/contract.js'
import { openStore } from '../../../runtime/store/lmdb.js'
import { openTraffic, type Traffic } from '../../../runtime/traffic/messages.js'
import { carried } from '../../harness/carried.js'
import { everyRow } from '../../harness/everyrow.js'
import { leapingClock, temporary } from '../../harness/webhooknode.js'

export const place = { orgId: 'acme', agentId: 'desk' }
const shardCount = 4

interface Said {
  readonly asid: string
  /** Another agent's person. */
  readonly agent?: AgentPlace
  readonly sandbox?: true
  readonly entries: readonly TrafficEntry[]
  readonly logs?: readonly string[]
  /** The agent's webhook would not hear of it. */
  readonly isUnheard?: true
}

/** As a conversation leaves its records, without what led to them. */
export const say: Command<Said, null> = {
  name: 'test.say',
  decide(tx, { asid, agent = place, sandbox, entries, logs = [], isUnheard }, { at }) {
    const who = { asid, agent, channel: 'sms', address: asid, ...(sandbox && { sandbox }) } as const
    const conversation = tx.get(conversationTable, [asid]) ?? newConversation(who, at)
    const records = new HistoryWriter(tx, conversation, at, 1)
    for (const entry of entries) records.traffic(entry)
    for (const event of logs) records.log({ level: event === 'webhook.parked' ? 'error' : 'info', event })
    const { orgId, agentId } = agent
    if (isUnheard) tx.put(deadLetterTable, [orgId, agentId, at, asid], { asid, at } as DeadLetter)
    if (conversation.isTidy)
      tx.schedule({ name: 'expire', dueAt: at + kept.tidyEveryMs, command: 'conversation.expireRows', input: { asid } })
    const { isTidy: _before, ...rest } = conversation
    tx.put(conversationTable, [asid], records.within(rest))
    return null
  },
}

export async function openPlace(t: Test) {
  const clock = leapingClock()
  const store = await openStore({ dir: temporary(t), shards: shardCount })
  const { log } = openLog({ to: { write: () => {} } })
  const parts = gatewayParts({ timeScale: 1 })
  let looked = 0
  const counted = (reader: Reader): Reader => ({
    get(...asked) {
      looked++
      return reader.get(...asked)
    },
    *range(...asked) {
      for (const row of reader.range(...asked)) {
        looked++
        yield row
      }
    },
  })
  const queries = parts.queries.map((query) => {
    return { ...query, read: (reader: Reader, input: never) => query.read(counted(reader), input) }
  })
  const engine = carried(
    openEmbedded({
      shards: shardCount,
      store,
      repertoire: { commands: [...parts.commands, say, sandboxForget], queries, performers: () => ({}) },
      clock,
      newCommandId: () => randomBytes(12).toString('hex'),
      log,
    }),
  )
  await engine.start()
  t.teardown(async () => {
    await engine.stop()
    await store.close()
  })
  const rows = <K extends Key, V>(table: Table<K, V>): Row<K, V>[] => everyRow(store, shardCount, table)
  let said = 0
  return {
    clock,
    engine,
    rows,
    traffic: openTraffic({ shards: engine, shardCount, timeScale: 1, clock }),
    /** Says one thing for each type, and answers what it is known by. */
    async says(asid: string, how: Partial<TrafficEntry> = {}, more: Partial<Said> = {}): Promise<string> {
      const messageId = `m${++said}`
      const entry = {
        origin: 'user',
        type: 'content',
        sessionId: `${asid}-1`,
        text: messageId,
        ...how,
        messageId,
      } as const
      await engine.ask(asid, say, { asid, entries: [entry], ...more })
      return messageId
    },
    /** How many rows were looked at for that. */
    async cost(ask: () => Promise<unknown>): Promise<number> {
      const before = looked
      await ask()
      return looked - before
    },
    forget: (asid: string) => engine.ask(asid, sandboxForget, { asid }),
  }
}
export type Opened = Awaited<ReturnType<typeof openPlace>>

export const everything = (more: Partial<WantedRecords> = {}): WantedRecords => {
  return { window: { from: 0 }, limit: limits.defaultRows, includeTest: false, filter: {}, ...more }
}

/** What was found, where nothing was refused. */
export function listed<T>(found: readonly T[] | Refusal): readonly T[] {
  if (isRefusal(found)) throw new Error(found.refused)
  return found
}

/** All pages, with something done before each further one. */
export async function pagesOf(
  traffic: Traffic,
  wanted: WantedRecords,
  between: () => Promise<unknown> = async () => {},
) {
  const found: string[] = []
  let after: Position | undefined
  for (let pages = 0; pages < 500; pages++) {
    const page = await traffic.messages(place, { ...wanted, ...(after && { after }) })
    if (isRefusal(page)) throw new Error(page.refused)
    if (page.data.length > wanted.limit) throw new Error(`a page of ${page.data.length}`)
    found.push(...page.data.map(({ messageId }) => messageId))
    if (!page.last) return found
    after = page.last
    await between()
  }
  throw new Error('the list does not end')
}
