/** Lines of the agent's log about its calendar: the same trouble once in a while, however often it is met. */
import { LRUCache } from 'lru-cache'
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import type { LogNote } from '../../core/catalogs/logevents.js'
import { calendar as limits } from '../../core/limits/index.js'
import type { Clock } from '../../runtime/clock.js'
import type { Command, Shards } from '../../runtime/shard/contract.js'
import { findAgent } from '../agents/store.js'
import type { AgentLog } from '../outreach/transitions.js'
import type { Failure } from './exchange.js'
import { calendarTool } from './settings.js'

export function noteCommand(log: AgentLog): Command<AgentRef & { readonly note: LogNote }, boolean> {
  return {
    name: 'calendar.note',
    decide(tx, { note, ...agent }, { at }) {
      if (!findAgent(tx, agent)) return false
      log(tx, agent, note, at)
      return true
    },
  }
}

/** Each process remembers on its own what it wrote. */
export function createNotes(command: ReturnType<typeof noteCommand>, clock: Pick<Clock, 'monotonic'>) {
  const writtenAt = new LRUCache<string, number>({ max: limits.rememberedNotes })
  return async (shards: Pick<Shards, 'execute'>, agent: AgentRef, { event, reason }: Failure): Promise<void> => {
    const key = JSON.stringify([formatAgentKey(agent), event, reason])
    const now = clock.monotonic()
    const last = writtenAt.get(key)
    if (last !== undefined && now - last < limits.noteEveryMs) return
    writtenAt.set(key, now)
    const note = { event, data: { toolId: calendarTool, reason } }
    // A line that cannot be written now is written the next time.
    const written = await shards.execute(formatAgentKey(agent), command, { ...agent, note })
    if (written !== true) writtenAt.delete(key)
  }
}
export type WriteNote = ReturnType<typeof createNotes>
