/** Sets the pickup timer of an agent's automation. */
import { type AgentIncarnation, scopeOf } from '../../core/agent/scope.js'
import type { Tx } from '../../runtime/shard/contract.js'
import { timerTable } from './store.js'

export const pickupName = 'automation.pickup'
export const rescheduleName = 'automation.reschedule'

/** Sets the timer if `dueAt` is earlier than its present time. */
export function scheduleTimer(tx: Tx, agent: AgentIncarnation, dueAt: number): void {
  const scope = scopeOf(agent)
  if (dueAt >= (tx.get(timerTable, scope)?.pickupAt ?? Infinity)) return
  const input: AgentIncarnation = { orgId: agent.orgId, agentId: agent.agentId, incarnation: agent.incarnation }
  const name = `${pickupName}:${agent.incarnation}`
  tx.schedule({ name, dueAt, command: pickupName, input, onClockSetBack: rescheduleName })
  tx.put(timerTable, scope, { pickupAt: dueAt })
}
