/**
 * Messages in bulk: those of one binding leave in the order they came, no faster than the provider takes them. Each is a
 * row until it is let go, so a restart loses none and none leaves twice.
 */

import { isRefusal } from '../../core/errors.js'
import { bulk as limits } from '../../core/limits.js'
import type { Command, Performer, Shards } from '../shard/contract.js'
import { table } from '../store/contract.js'
import type { ConversationCommands } from './commands.js'
import type { Govern } from './effects.js'
import { conversationTable } from './tables.js'

interface Line {
  readonly next: number
  /** Not before this time does another one leave. */
  readonly leavesAt: number
}

const lineTable = table<[owner: string], Line>('bulk.line')
export const waitingTable = table<[owner: string, number: number], Govern>('bulk.waiting')

export interface BulkCommands {
  readonly join: Command<Govern & { readonly owner: string }, null>
  readonly leave: Command<{ readonly owner: string }, null>
}

export function bulkCommands(commands: Pick<ConversationCommands, 'released'>): BulkCommands {
  const perStep = Math.max(1, Math.floor((limits.perSecond * limits.everyMs) / 1000))
  const wake = (owner: string, dueAt: number) => ({ name: 'bulk', dueAt, command: 'bulk.leave', input: { owner } })
  return {
    join: {
      name: 'bulk.join',
      decide(tx, { owner, asid, messageId }, { at }) {
        const line = tx.get(lineTable, [owner]) ?? { next: 1, leavesAt: 0 }
        const [first] = tx.range(waitingTable, { prefix: [owner], limit: 1 })
        tx.put(waitingTable, [owner, line.next], { asid, messageId })
        tx.put(lineTable, [owner], { ...line, next: line.next + 1 })
        if (!first) tx.schedule(wake(owner, Math.max(at, line.leavesAt)))
        return null
      },
    },
    leave: {
      name: 'bulk.leave',
      decide(tx, { owner }, { at }) {
        const line = tx.get(lineTable, [owner])
        if (!line) return null
        const rows = [...tx.range(waitingTable, { prefix: [owner], limit: perStep + 1 })]
        for (const { key, value } of rows.slice(0, perStep)) {
          tx.remove(waitingTable, key)
          tx.tell(value.asid, commands.released, value)
        }
        const leavesAt = at + limits.everyMs
        tx.put(lineTable, [owner], { ...line, leavesAt })
        if (rows.length > perStep) tx.schedule(wake(owner, leavesAt))
        return null
      },
    },
  }
}

/** Puts a message of a conversation into the line of its binding, once however often this is tried. */
export function governPerformer(shards: Shards, commands: BulkCommands): Performer {
  return async ({ asid, messageId }: Govern, { id, reader }) => {
    const conversation = reader.get(conversationTable, [asid])
    if (!conversation) return
    const { agent, channel } = conversation
    const owner = `bulk:${agent.orgId}/${agent.agentId}/${channel}`
    const joined = await shards.ask(owner, commands.join, { owner, asid, messageId }, { id })
    if (isRefusal(joined)) throw new Error('a message could not join the line of its binding')
  }
}
