/**
 * Marketing sends that are queued or under way, by person. They count for the frequency cap like a sent one, so of two
 * concurrent sends at most one reaches a person.
 */
import type { AgentScope } from '../../core/agent/scope.js'
import { isFinal } from '../../core/outreach/statemachine.js'
import type { Person } from '../../core/people/person.js'
import type { Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { marketingTable, type StoredSend, sendAt } from './store.js'

/**
 * Is another marketing send under way that comes before this send, because it was created earlier or handed over
 * already? Without `sendId`, any such send counts. Sends to people who were merged into this person count too; send ids
 * are in order of creation.
 */
export function isMarketingUnderWay(
  reader: Reader,
  scope: AgentScope,
  { id, formerIds = [] }: Pick<Person, 'id' | 'formerIds'>,
  sendId?: string,
): boolean {
  const sends = [id, ...formerIds].flatMap((each) => reader.get(marketingTable, [...scope, each]) ?? [])
  const isFirst = (each: string) => each < sendId! || sendAt(reader, scope, each)?.state === 'sending'
  return sends.some((each) => sendId === undefined || (each !== sendId && isFirst(each)))
}

/** Adds a new send. */
export function noteMarketing(tx: Tx, scope: AgentScope, { id, personId, isMarketing }: StoredSend): void {
  if (!isMarketing) return
  tx.put(marketingTable, [...scope, personId], [...(tx.get(marketingTable, [...scope, personId]) ?? []), id])
}

/** Removes a send in a final state. */
export function endMarketing(tx: Tx, scope: AgentScope, { id, personId, isMarketing, state }: StoredSend): void {
  if (!isMarketing || !isFinal(state)) return
  const left = (tx.get(marketingTable, [...scope, personId]) ?? []).filter((each) => each !== id)
  if (left.length > 0) tx.put(marketingTable, [...scope, personId], left)
  else tx.remove(marketingTable, [...scope, personId])
}
