/** A STOP ends what waits for its person at once: their sends are picked up, and their conversation refuses each. */
import { scopeOf } from '../../core/agent/scope.js'
import type { AgentPlace } from '../../core/agentkey.js'
import { outreachSend as limits } from '../../core/limits.js'
import type { Person } from '../../core/people/person.js'
import type { Told, Tx } from '../../runtime/shard/contract.js'
import { knownAgent } from './admission.js'
import { keepSend, sendAt, shelfTable, timerTable } from './store.js'
import { type SendDeps, scheduleTimers } from './transitions.js'

/** For every change of a person. Sends beyond the bound end when their time comes. */
export function createStopListener(deps: SendDeps) {
  return (tx: Tx, place: AgentPlace, before: Person | undefined, after: Person, { at }: Told): void => {
    const isOut = ({ optedOutAt }: Person['identities'][number]) => optedOutAt !== undefined
    const wereOut = new Set(before?.identities.filter(isOut).map(({ asid }) => asid))
    const stopped = new Set(after.identities.filter(isOut).flatMap(({ asid }) => (wereOut.has(asid) ? [] : [asid])))
    const known = before && stopped.size > 0 ? knownAgent(deps, tx, place) : undefined
    if (!known) return
    const scope = scopeOf(known.place)
    const prefix = [...scope, 'person', after.id] as const
    for (const { key } of [...tx.range(shelfTable, { prefix, reverse: true, limit: limits.rowsPerStop })]) {
      const send = sendAt(tx, scope, key[5])
      if (send?.state !== 'queued' || !stopped.has(send.asid) || send.dueAt === undefined || send.dueAt <= at) continue
      const { nextAttemptAt } = send
      keepSend(tx, scope, { ...send, dueAt: at, ...(nextAttemptAt !== undefined && { nextAttemptAt: at }) }, send)
      scheduleTimers(tx, known.place, tx.get(timerTable, scope) ?? {}, { pickupAt: at })
    }
  }
}
