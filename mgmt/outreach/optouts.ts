/** Ends waiting sends when a person sends STOP: it makes their sends due, and the conversation refuses each of them. */
import { scopeOf } from '../../core/agent/scope.js'
import type { AgentRef } from '../../core/agentref.js'
import { outreachSend as limits } from '../../core/limits/index.js'
import type { Person } from '../../core/people/person.js'
import type { CommandMeta, Tx } from '../../runtime/shard/contract.js'
import { loadAgent } from './admission.js'
import { indexTable, saveSend, sendAt, timerTable } from './store.js'
import { type SendDeps, scheduleTimers } from './transitions.js'

/** Runs for every change of a person. Sends beyond the bound end when they are due. */
export function createStopListener(deps: SendDeps) {
  return (tx: Tx, agent: AgentRef, before: Person | undefined, after: Person, { at }: CommandMeta): void => {
    const isOut = ({ optedOutAt }: Person['identities'][number]) => optedOutAt !== undefined
    const wereOut = new Set(before?.identities.filter(isOut).map(({ asid }) => asid))
    const stopped = new Set(after.identities.filter(isOut).flatMap(({ asid }) => (wereOut.has(asid) ? [] : [asid])))
    const snapshot = before && stopped.size > 0 ? loadAgent(deps, tx, agent) : undefined
    if (!snapshot) return
    const scope = scopeOf(snapshot.agentRef)
    const prefix = [...scope, 'person', after.id] as const
    for (const { key } of [...tx.range(indexTable, { prefix, reverse: true, limit: limits.rowsPerStop })]) {
      const send = sendAt(tx, scope, key[5])
      if (send?.state !== 'queued' || !stopped.has(send.asid) || send.dueAt === undefined || send.dueAt <= at) continue
      const { nextAttemptAt } = send
      saveSend(tx, scope, { ...send, dueAt: at, ...(nextAttemptAt !== undefined && { nextAttemptAt: at }) }, send)
      scheduleTimers(tx, snapshot.agentRef, tx.get(timerTable, scope) ?? {}, { pickupAt: at })
    }
  }
}
