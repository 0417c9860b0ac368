/** Sets the timer by which an agent's automation is picked up. */
import type { Tx } from '../../runtime/shard/contract.js'
import { type HomePlace, homeOf, pulseTable } from './store.js'

export const pickupName = 'automation.pickup'
export const setBackName = 'automation.setBack'

/** Sets the timer if it is wanted sooner than it rings. */
export function wake(tx: Tx, place: HomePlace, dueAt: number): void {
  const home = homeOf(place)
  if (dueAt >= (tx.get(pulseTable, home)?.pickupAt ?? Infinity)) return
  const input: HomePlace = { orgId: place.orgId, agentId: place.agentId, serial: place.serial }
  const name = `${pickupName}:${place.serial}`
  tx.schedule({ name, dueAt, command: pickupName, input, whenSetBack: setBackName })
  tx.put(pulseTable, home, { pickupAt: dueAt })
}
