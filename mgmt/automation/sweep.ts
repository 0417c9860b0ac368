/** What automation lets go of: the rows of a rule that is gone, and everything of an agent that is gone, a part at a time. */
import { type AgentIncarnation, scopeOf } from '../../core/agent/scope.js'
import type { AgentPlace } from '../../core/agentkey.js'
import { automation as limits } from '../../core/limits.js'
import type { Command, Tx } from '../../runtime/shard/contract.js'
import { findAgent } from '../agents/store.js'
import { allTables, dropRow, rowTable } from './store.js'

const clearName = 'automation.clear'

/** Without a rule: everything. */
export interface Clearing extends AgentIncarnation {
  readonly ruleKey?: string
}

export function clearLater(tx: Tx, what: Clearing, dueAt: number): void {
  const name = `${clearName}:${what.serial}:${what.ruleKey ?? ''}`
  tx.schedule({ name, dueAt, command: clearName, input: what })
}

/** Nobody can see them any more, so it does not matter how long they take to go. */
export const clearCommand: Command<Clearing, number> = {
  name: clearName,
  decide(tx, what, { at }) {
    const gone = what.ruleKey === undefined ? clearAgent(tx, what) : clearRule(tx, what, what.ruleKey)
    if (gone === limits.rowsPerSweep) clearLater(tx, what, at)
    return gone
  },
}

function clearRule(tx: Tx, place: AgentIncarnation, ruleKey: string): number {
  const scope = scopeOf(place)
  const rows = [...tx.range(rowTable, { prefix: [...scope, ruleKey], limit: limits.rowsPerSweep })]
  for (const { key, value } of rows) dropRow(tx, scope, [ruleKey, key[4]], value)
  return rows.length
}

function clearAgent(tx: Tx, place: AgentIncarnation): number {
  let room: number = limits.rowsPerSweep
  for (const table of allTables) {
    if (room === 0) break
    for (const { key } of [...tx.range(table, { prefix: scopeOf(place), limit: room })]) {
      tx.remove(table, key)
      room--
    }
  }
  return limits.rowsPerSweep - room
}

/** Called in the commit that deletes an agent. */
export function clearRemovedAgent(tx: Tx, { orgId, agentId }: AgentPlace): void {
  const agent = findAgent(tx, { orgId, agentId })
  if (agent) clearLater(tx, { orgId, agentId, serial: agent.serial }, 0)
}
