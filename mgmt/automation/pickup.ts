/** The timer of an agent's automation: picks up what is due, a bounded number at a time, and hands it to who looks at it. */
import { type AgentIncarnation, type AgentScope, scopeOf } from '../../core/agent/scope.js'
import { isLive } from '../../core/automation/row.js'
import { automation as limits } from '../../core/limits.js'
import type { Command, Tx } from '../../runtime/shard/contract.js'
import { findAgent } from '../agents/store.js'
import { beginReminder } from './reminding.js'
import { dropRow, keepRow, queueTable, rowAt, timerTable } from './store.js'
import { pickupName, scheduleTimer } from './timer.js'

export const lookEffect = 'automationLook'

/** One look at a row. */
export interface Look extends AgentIncarnation {
  readonly ruleKey: string
  readonly personId: string
  readonly look: number
}

/** Answers how many were due. */
export const pickupCommand: Command<AgentIncarnation, number> = {
  name: pickupName,
  decide(tx, place, told) {
    if (findAgent(tx, place)?.serial !== place.serial) return 0
    const scope = scopeOf(place)
    const rows = [...tx.range(queueTable, { prefix: scope, limit: limits.rowsPerPickup })]
    const due = rows.filter(({ key: [, , , dueAt] }) => dueAt <= told.at)
    for (const { key } of due) {
      const [, , , , what, id, personId] = key
      tx.remove(queueTable, key)
      if (what === 'row') look(tx, scope, place, id, personId)
      else beginReminder(tx, place, id, told.at)
    }
    const [next] = [...tx.range(queueTable, { prefix: scope, limit: 1 })]
    tx.remove(timerTable, scope)
    if (next) scheduleTimer(tx, place, Math.max(next.key[3], told.at))
    return due.length
  },
}

/**
 * Whether the person is just talking only their conversation knows, so somebody has to go and ask. A row that has ended is
 * due once more, to be forgotten.
 */
function look(tx: Tx, scope: AgentScope, place: AgentIncarnation, ruleKey: string, personId: string): void {
  const row = rowAt(tx, scope, ruleKey, personId)
  if (!row) return
  if (!isLive(row)) return dropRow(tx, scope, [ruleKey, personId], row)
  const looked = { ...row, look: row.look + 1 }
  keepRow(tx, scope, [ruleKey, personId], looked, row, true)
  const { orgId, agentId, serial } = place
  const payload: Look = { orgId, agentId, serial, ruleKey, personId, look: looked.look }
  tx.effect({ kind: lookEffect, destination: `automation:${personId.slice(-1)}`, payload })
}
