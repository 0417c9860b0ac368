/**
 * Marketing sends that are queued or under way, by person. They count for the frequency cap like one that went out, so two
 * sends that are under way together never both reach a person.
 */
import type { AgentScope } from '../../core/agent/scope.js'
import { isFinal } from '../../core/outreach/statemachine.js'
import type { Person } from '../../core/people/person.js'
import type { Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { marketingTable, type StoredSend, sendAt } from './store.js'

/**
 * Whether one is under way that comes before this send: made earlier, or handed over already. Any counts where no send is
 * given. Sends to people who were merged into this one since count as well; ids of sends are in the order of their making.
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

/** Notes a new send. */
export function noteMarketing(tx: Tx, scope: AgentScope, { id, personId, isMarketing }: StoredSend): void {
  if (!isMarketing) return
  tx.put(marketingTable, [...scope, personId], [...(tx.get(marketingTable, [...scope, personId]) ?? []), id])
}

/** Takes a send off that has come to its end, however it did. */
export function endMarketing(tx: Tx, scope: AgentScope, { id, personId, isMarketing, state }: StoredSend): void {
  if (!isMarketing || !isFinal(state)) return
  const left = (tx.get(marketingTable, [...scope, personId]) ?? []).filter((each) => each !== id)
  if (left.length > 0) tx.put(marketingTable, [...scope, personId], left)
  else tx.remove(marketingTable, [...scope, personId])
}
