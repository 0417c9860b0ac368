/**
 * Marketing sends that are queued or under way, by person. They count for the frequency cap like one that went out, so two
 * sends that are under way together never both reach a person.
 */
import { isFinal } from '../../core/outreach/machine.js'
import type { Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { type Home, type KeptSend, marketingTable } from './store.js'

/** Whether one is under way that was made before this send, or any where none is given. */
export function isMarketingUnderWay(reader: Reader, home: Home, personId: string, sendId?: string): boolean {
  const sends = reader.get(marketingTable, [...home, personId]) ?? []
  return sends.length > 0 && sends[0] !== sendId
}

/** Notes a new send. */
export function noteMarketing(tx: Tx, home: Home, { id, personId, isMarketing }: KeptSend): void {
  if (!isMarketing) return
  tx.put(marketingTable, [...home, personId], [...(tx.get(marketingTable, [...home, personId]) ?? []), id])
}

/** Takes a send off that has come to its end, however it did. */
export function endMarketing(tx: Tx, home: Home, { id, personId, isMarketing, state }: KeptSend): void {
  if (!isMarketing || !isFinal(state)) return
  const left = (tx.get(marketingTable, [...home, personId]) ?? []).filter((each) => each !== id)
  if (left.length > 0) tx.put(marketingTable, [...home, personId], left)
  else tx.remove(marketingTable, [...home, personId])
}
