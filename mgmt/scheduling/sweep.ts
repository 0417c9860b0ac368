/** Removes bookings that are over, and all bookings of a deleted agent, a bounded part per commit. */
import { type AgentIncarnation, scopeOf } from '../../core/agent/scope.js'
import type { AgentRef } from '../../core/agentref.js'
import { scheduling as limits } from '../../core/limits/index.js'
import type { Command, Tx } from '../../runtime/shard/contract.js'
import { findAgent } from '../agents/store.js'
import { allTables, endTable, removeTime } from './store.js'

const sweepName = 'scheduling.sweep'
const clearName = 'scheduling.clear'

/** Sets the timer to the end of the booking that is over first. */
export function scheduleSweep(tx: Tx, { orgId, agentId, incarnation }: AgentIncarnation, earliest = 0): void {
  const agent = { orgId, agentId, incarnation }
  const [first] = tx.range(endTable, { prefix: scopeOf(agent), limit: 1 })
  if (!first) return
  const dueAt = Math.max(earliest, first.key[3])
  tx.schedule({ name: `${sweepName}:${incarnation}`, dueAt, command: sweepName, input: agent })
}

export const sweepCommand: Command<AgentIncarnation, number> = {
  name: sweepName,
  decide(tx, agent, { at }) {
    if (findAgent(tx, agent)?.incarnation !== agent.incarnation) return 0
    const rows = [...tx.range(endTable, { prefix: scopeOf(agent), limit: limits.rowsPerSweep })]
    const ended = rows.filter(({ key: [, , , endsAt] }) => endsAt <= at)
    for (const { key } of ended) {
      const [, , , , partition, representativeId, startUtc] = key
      removeTime(tx, { scope: scopeOf(agent), partition }, { representativeId, startUtc })
      tx.remove(endTable, key)
    }
    scheduleSweep(tx, agent, at)
    return ended.length
  },
}

/** Reschedules itself for the rest. Delay is harmless: the rows are unreachable already. */
export const clearCommand: Command<AgentIncarnation, number> = {
  name: clearName,
  decide(tx, agent, { at }) {
    let remaining: number = limits.rowsPerSweep
    for (const table of allTables) {
      if (remaining === 0) break
      for (const { key } of [...tx.range(table, { prefix: scopeOf(agent), limit: remaining })]) {
        tx.remove(table, key)
        remaining--
      }
    }
    if (remaining === 0) scheduleClear(tx, agent, at)
    return limits.rowsPerSweep - remaining
  },
}

function scheduleClear(tx: Tx, agent: AgentIncarnation, dueAt: number): void {
  tx.schedule({ name: `${clearName}:${agent.incarnation}`, dueAt, command: clearName, input: agent })
}

/** Called in the commit that deletes an agent. */
export function clearRemovedAgent(tx: Tx, { orgId, agentId }: AgentRef): void {
  const agent = findAgent(tx, { orgId, agentId })
  if (agent) scheduleClear(tx, { orgId, agentId, incarnation: agent.incarnation }, 0)
}
