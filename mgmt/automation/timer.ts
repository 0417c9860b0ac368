/** Sets the timer by which an agent's automation is picked up. */
import { type AgentIncarnation, scopeOf } from '../../core/agent/scope.js'
import type { Tx } from '../../runtime/shard/contract.js'
import { timerTable } from './store.js'

export const pickupName = 'automation.pickup'
export const setBackName = 'automation.setBack'

/** Sets the timer if it is wanted sooner than it rings. */
export function scheduleTimer(tx: Tx, place: AgentIncarnation, dueAt: number): void {
  const scope = scopeOf(place)
  if (dueAt >= (tx.get(timerTable, scope)?.pickupAt ?? Infinity)) return
  const input: AgentIncarnation = { orgId: place.orgId, agentId: place.agentId, serial: place.serial }
  const name = `${pickupName}:${place.serial}`
  tx.schedule({ name, dueAt, command: pickupName, input, whenSetBack: setBackName })
  tx.put(timerTable, scope, { pickupAt: dueAt })
}
