/** Records of turns in a world, without what leads to them, and the lists that tests read from them. */
import type { Test } from 'tap'
import type { AgentRef } from '../../../core/agentref.js'
import { isRefusal } from '../../../core/errors.js'
import { conversation as kept, turnLists as limits } from '../../../core/limits/index.js'
import type { Position } from '../../../core/traffic/merge.js'
import type { TurnQuery } from '../../../core/turn/query.js'
import type { TurnRecord } from '../../../core/turn/record.js'
import { newConversation } from '../../../runtime/conversation/commands.js'
import { HistoryWriter } from '../../../runtime/conversation/history.js'
import { conversationTable } from '../../../runtime/conversation/tables.js'
import { sandboxRemove } from '../../../runtime/sandbox/commands.js'
import type { Command, Handlers } from '../../../runtime/shard/contract.js'
import { createTurnLists, type TurnLists } from '../../../runtime/turn/lists.js'
import { agentRef, createWorld } from '../../harness/world.js'
import { createCountedShards } from '../traffic/countedshards.js'

export { agentRef }

interface TurnsInput {
  readonly asid: string
  /** Another agent's person. */
  readonly agent?: AgentRef
  readonly sandbox?: true
  readonly turns: readonly TurnRecord[]
}

/** As a conversation leaves its turns, without what led to them. A session begins with its first turn. */
export const addTurns: Command<TurnsInput, null> = {
  name: 'test.turns',
  decide(tx, { asid, agent = agentRef, sandbox, turns }, { at }) {
    const identity = { asid, agent, channel: 'sms', address: asid, ...(sandbox && { sandbox }) } as const
    const conversation = tx.get(conversationTable, [asid]) ?? newConversation(identity, at)
    const history = new HistoryWriter(tx, conversation, at, 1)
    let sessionId = conversation.history?.session?.id
    for (const turn of turns) {
      if (turn.sessionId !== sessionId) {
        sessionId = turn.sessionId
        history.traffic({ origin: 'user', type: 'content', sessionId, messageId: `m-${turn.id}` })
      }
      history.turn(turn)
    }
    if (conversation.nothingToExpire) {
      const timer = { name: 'expire', dueAt: at + kept.retentionEveryMs, input: { asid } }
      tx.schedule({ ...timer, command: 'conversation.expireRows' })
    }
    const { nothingToExpire: _before, ...rest } = conversation
    tx.put(conversationTable, [asid], history.applyTo(rest))
    return null
  },
}

export const turnModule: Handlers = { commands: [addTurns], queries: [], effectHandlers: () => ({}) }

export async function openTurnFixture(t: Test) {
  const { clock, node } = await createWorld(t, { agent: { hasWebhook: false }, node: { extraModule: turnModule } })
  const { engine } = node.node
  const { shards, cost } = createCountedShards(node)
  return {
    clock,
    engine,
    rows: node.rows,
    turns: createTurnLists({ shards, shardCount: node.shardCount, clock }),
    cost,
    add: (asid: string, turns: readonly TurnRecord[], more: Partial<TurnsInput> = {}) =>
      engine.execute(asid, addTurns, { asid, turns, ...more }),
    forget: (asid: string) => engine.execute(asid, sandboxRemove, { asid }),
  }
}
export type TurnFixture = Awaited<ReturnType<typeof openTurnFixture>>

export const queryTurns = (more: Partial<TurnQuery> = {}): TurnQuery => {
  return { window: { from: 0 }, limit: limits.defaultRows, includeTest: false, filter: {}, ...more }
}

/** The ids of all pages, with something done before each further one. */
export async function pagesOf(
  turns: TurnLists,
  query: TurnQuery,
  beforeNextPage: () => Promise<unknown> = async () => {},
): Promise<string[]> {
  const ids: string[] = []
  let after: Position | undefined
  for (let pages = 0; pages < 2_000; pages++) {
    const page = await turns.list(agentRef, { ...query, ...(after && { after }) })
    if (isRefusal(page)) throw new Error(page.refused)
    if (page.data.length > query.limit) throw new Error(`a page of ${page.data.length}`)
    ids.push(...page.data.map(({ id }) => id))
    if (!page.last) return ids
    after = page.last
    await beforeNextPage()
  }
  throw new Error('the list does not end')
}
