/**
 * Deletes the people of a deleted agent in bounded parts. They are invisible already, since their keys contain the
 * incarnation of that agent.
 */
import type { AgentScope } from '../../core/agent/scope.js'
import { person as limits } from '../../core/limits/index.js'
import type { Command, Tx } from '../../runtime/shard/contract.js'
import { peopleTables } from './store.js'

interface RemovedAgent {
  readonly orgId: string
  readonly agentId: string
  readonly incarnation: number
}

const purgeName = 'people.purge'

function schedulePurge(tx: Tx, { orgId, agentId, incarnation }: RemovedAgent, dueAt: number): void {
  const input = { orgId, agentId, incarnation } satisfies RemovedAgent
  tx.schedule({ name: `${purgeName}:${incarnation}`, dueAt, command: purgeName, input })
}

/** Due at once: 0 is before any current time. */
export function startPurge(tx: Tx, [orgId, agentId, incarnation]: AgentScope): void {
  schedulePurge(tx, { orgId, agentId, incarnation }, 0)
}

/** Returns how many rows it removed. */
export const purgeCommand: Command<RemovedAgent, number> = {
  name: purgeName,
  decide(tx, removed, { at }) {
    const prefix = [removed.orgId, removed.agentId, removed.incarnation]
    let rowsLeft: number = limits.removedRowsPerStep
    for (const table of peopleTables) {
      if (rowsLeft === 0) break
      for (const { key } of tx.range(table, { prefix, limit: rowsLeft })) {
        tx.remove(table, key)
        rowsLeft--
      }
    }
    if (rowsLeft === 0) schedulePurge(tx, removed, at)
    return limits.removedRowsPerStep - rowsLeft
  },
}
