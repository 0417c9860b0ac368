/** Deletes the rows of a deleted rule, and all automation rows of a deleted agent, a bounded part per commit. */
import { type AgentIncarnation, scopeOf } from '../../core/agent/scope.js'
import type { AgentRef } from '../../core/agentref.js'
import { automation as limits } from '../../core/limits/index.js'
import type { Command, Tx } from '../../runtime/shard/contract.js'
import { findAgent } from '../agents/store.js'
import { allTables, removeRun, runTable } from './store.js'

const clearName = 'automation.clear'

/** Without a rule: all rows of the agent. */
export interface ClearTask extends AgentIncarnation {
  readonly ruleKey?: string
}

export function scheduleClear(tx: Tx, task: ClearTask, dueAt: number): void {
  const name = `${clearName}:${task.incarnation}:${task.ruleKey ?? ''}`
  tx.schedule({ name, dueAt, command: clearName, input: task })
}

/** Deletes a part and reschedules itself for the rest. Delay is harmless: the rows are unreachable already. */
export const clearCommand: Command<ClearTask, number> = {
  name: clearName,
  decide(tx, task, { at }) {
    const removed = task.ruleKey === undefined ? clearAgent(tx, task) : clearRule(tx, task, task.ruleKey)
    if (removed === limits.rowsPerSweep) scheduleClear(tx, task, at)
    return removed
  },
}

function clearRule(tx: Tx, agent: AgentIncarnation, ruleKey: string): number {
  const scope = scopeOf(agent)
  const rows = [...tx.range(runTable, { prefix: [...scope, ruleKey], limit: limits.rowsPerSweep })]
  for (const { key, value } of rows) removeRun(tx, scope, [ruleKey, key[4]], value)
  return rows.length
}

function clearAgent(tx: Tx, agent: AgentIncarnation): number {
  let remaining: number = limits.rowsPerSweep
  for (const table of allTables) {
    if (remaining === 0) break
    for (const { key } of [...tx.range(table, { prefix: scopeOf(agent), limit: remaining })]) {
      tx.remove(table, key)
      remaining--
    }
  }
  return limits.rowsPerSweep - remaining
}

/** Called in the commit that deletes an agent. */
export function clearRemovedAgent(tx: Tx, { orgId, agentId }: AgentRef): void {
  const agent = findAgent(tx, { orgId, agentId })
  if (agent) scheduleClear(tx, { orgId, agentId, incarnation: agent.incarnation }, 0)
}
