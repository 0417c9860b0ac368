/** Sets the timer by which an agent's automation is picked up. */
import { type AgentIncarnation, scopeOf } from '../../core/agent/scope.js'
import type { Tx } from '../../runtime/shard/contract.js'
import { timerTable } from './store.js'

export const pickupName = 'automation.pickup'
export const rescheduleName = 'automation.reschedule'

/** Sets the timer if it is wanted sooner than it rings. */
export function scheduleTimer(tx: Tx, agent: AgentIncarnation, dueAt: number): void {
  const scope = scopeOf(agent)
  if (dueAt >= (tx.get(timerTable, scope)?.pickupAt ?? Infinity)) return
  const input: AgentIncarnation = { orgId: agent.orgId, agentId: agent.agentId, incarnation: agent.incarnation }
  const name = `${pickupName}:${agent.incarnation}`
  tx.schedule({ name, dueAt, command: pickupName, input, onClockSetBack: rescheduleName })
  tx.put(timerTable, scope, { pickupAt: dueAt })
}
