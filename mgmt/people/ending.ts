/**
 * The people of an agent that was deleted: nobody can read them any more, since they are kept under its serial, and they
 * are taken away step by step, since there may be very many.
 */
import type { AgentScope } from '../../core/agent/scope.js'
import { person as limits } from '../../core/limits.js'
import type { Command, Tx } from '../../runtime/shard/contract.js'
import { peopleTables } from './store.js'

interface Gone {
  readonly orgId: string
  readonly agentId: string
  readonly serial: number
}

const dropName = 'people.drop'

function dropAt(tx: Tx, { orgId, agentId, serial }: Gone, dueAt: number): void {
  const input = { orgId, agentId, serial } satisfies Gone
  tx.schedule({ name: `${dropName}:${serial}`, dueAt, command: dropName, input })
}

/** At once, which is any time before now. */
export function dropLater(tx: Tx, [orgId, agentId, serial]: AgentScope): void {
  dropAt(tx, { orgId, agentId, serial }, 0)
}

/** Answers how many rows it took away. */
export const dropCommand: Command<Gone, number> = {
  name: dropName,
  decide(tx, gone, { at }) {
    const prefix = [gone.orgId, gone.agentId, gone.serial]
    let room: number = limits.droppedRowsPerStep
    for (const table of peopleTables) {
      if (room === 0) break
      for (const { key } of tx.range(table, { prefix, limit: room })) {
        tx.remove(table, key)
        room--
      }
    }
    if (room === 0) dropAt(tx, gone, at)
    return limits.droppedRowsPerStep - room
  },
}
