/**
 * Messages in bulk: those of one binding leave in the order they came, no faster than the provider takes them. Each is a
 * row until it is let go, so a restart loses none and none leaves twice.
 */

import { bulkStep } from '../../core/channel/pace.js'
import { isRefusal } from '../../core/errors.js'
import { bulk as limits } from '../../core/limits.js'
import type { ConversationCommands } from '../conversation/contract.js'
import type { Throttle } from '../conversation/effects.js'
import { conversationTable } from '../conversation/tables.js'
import type { Metrics } from '../observe/metrics.js'
import { counterOf } from '../observe/named.js'
import type { Command, Local, Performer, Shards, Timer, Tx } from '../shard/contract.js'
import { byOwner, table } from '../store/contract.js'

interface Line {
  /** Of the one that has waited longest; the same as `next` when nobody waits. */
  readonly first: number
  readonly next: number
  /** Not before this time does another one leave. */
  readonly leavesAt: number
  /** How many leave a second, as the last one who joined was told. */
  readonly perSecond?: number
}

const lineTable = byOwner(table<[owner: string], Line>('bulk.line'))
export const waitingTable = byOwner(
  table<[owner: string, number: number], Pick<Throttle, 'asid' | 'messageId'>>('bulk.waiting'),
)

export interface BulkCommands {
  readonly join: Command<Throttle & { readonly owner: string }, null>
  readonly leave: Command<{ readonly owner: string }, null>
}

export function bulkCommands(commands: Pick<ConversationCommands, 'release'>): BulkCommands {
  const wake = (owner: string, dueAt: number): Timer => ({
    name: 'bulk',
    dueAt,
    command: 'bulk.leave',
    input: { owner },
    isDelay: true,
  })
  return {
    join: {
      name: 'bulk.join',
      decide(tx, { owner, asid, messageId, perSecond }, { at }) {
        const line = lineOf(tx, owner) ?? { first: 1, next: 1, leavesAt: 0 }
        tx.put(waitingTable, [owner, line.next], { asid, messageId })
        tx.put(lineTable, [owner], { ...line, next: line.next + 1, ...(perSecond !== undefined && { perSecond }) })
        // A step is short: a line that is to wait for longer was told so before the clock was set back.
        const { ms } = bulkStep(perSecond ?? line.perSecond ?? limits.perSecond)
        const isStuck = line.leavesAt > at + ms
        if (line.first === line.next || isStuck) tx.schedule(wake(owner, isStuck ? at : Math.max(at, line.leavesAt)))
        return null
      },
    },
    leave: {
      name: 'bulk.leave',
      decide(tx, { owner }, { at }) {
        const line = lineOf(tx, owner)
        if (!line) return null
        const step = bulkStep(line.perSecond ?? limits.perSecond)
        const first = Math.min(line.next, line.first + step.messages)
        for (let number = line.first; number < first; number++) {
          const govern = tx.get(waitingTable, [owner, number])
          if (!govern) continue
          tx.remove(waitingTable, [owner, number])
          tx.tell(govern.asid, commands.release, govern)
        }
        const leavesAt = at + step.ms
        tx.put(lineTable, [owner], { ...line, first, leavesAt })
        if (first < line.next) tx.schedule(wake(owner, leavesAt))
        return null
      },
    },
  }
}

/** A line that was kept before it knew its first is looked through once: ranges over what a commit has just written are slow. */
function lineOf(tx: Tx, owner: string): Line | undefined {
  const line = tx.get(lineTable, [owner])
  if (!line || line.first !== undefined) return line
  const [oldest] = tx.range(waitingTable, { prefix: [owner], limit: 1 })
  return { ...line, first: oldest?.key[1] ?? line.next }
}

/** Puts a message of a conversation into the line of its binding, once however often this is tried. */
export function throttlePerformer(shards: Shards, commands: BulkCommands): Performer {
  return async ({ asid, ...govern }: Throttle, { id, reader }) => {
    const conversation = reader.get(conversationTable, [asid])
    if (!conversation) return
    const { agent, channel } = conversation
    const owner = `bulk:${agent.orgId}/${agent.agentId}/${channel}`
    const joined = await shards.ask(owner, commands.join, { owner, asid, ...govern }, { id })
    if (isRefusal(joined)) throw new Error('a message could not join the line of its binding')
  }
}

export function meterBulk(local: Pick<Local, 'watch'>, metrics: Metrics): void {
  const inBulk = counterOf(metrics, 'parley_bulk_messages_total')
  const joined = inBulk('joined')
  const left = inBulk('left')
  local.watch(waitingTable, (_key, waiting) => (waiting ? joined : left).add())
}
