/**
 * The people of an agent that was deleted: nobody can read them any more, since they are kept under its serial, and they
 * are taken away step by step, since there may be very many.
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

/** At once, which is any time before now. */
export function startPurge(tx: Tx, [orgId, agentId, incarnation]: AgentScope): void {
  schedulePurge(tx, { orgId, agentId, incarnation }, 0)
}

/** Answers how many rows it took away. */
export const purgeCommand: Command<RemovedAgent, number> = {
  name: purgeName,
  decide(tx, removed, { at }) {
    const prefix = [removed.orgId, removed.agentId, removed.incarnation]
    let rowsLeft: number = limits.droppedRowsPerStep
    for (const table of peopleTables) {
      if (rowsLeft === 0) break
      for (const { key } of tx.range(table, { prefix, limit: rowsLeft })) {
        tx.remove(table, key)
        rowsLeft--
      }
    }
    if (rowsLeft === 0) schedulePurge(tx, removed, at)
    return limits.droppedRowsPerStep - rowsLeft
  },
}
