/** The queue of an agent's sends after the clock was set back: nothing waits longer than its own delay from then on. */
import { type AgentIncarnation, scopeOf } from '../../core/agent/scope.js'
import { outreachSend as limits } from '../../core/limits.js'
import { longestWaitMs } from '../../core/outreach/machine.js'
import type { Command, Tx } from '../../runtime/shard/contract.js'
import { type Known, sameAgent } from './admission.js'
import { type KeptSend, keepSend, queueTable, sendAt, timerTable } from './store.js'
import { followUpWaitMs, type SendDeps, scheduleTimers, setBackCommand } from './transitions.js'

interface Redating extends AgentIncarnation {
  /** The walk goes on behind this place in the queue. */
  readonly after?: readonly [dueAt: number, sendId: string]
}

/**
 * Walks through the queue, a bounded part at a time. What waits for hours of the day may be moved ahead too: the pickup asks
 * for them again, and it waits until they open.
 */
export function redateCommand(deps: SendDeps): Command<Redating, true> {
  return {
    name: setBackCommand,
    decide(tx, { after, ...place }, { at }) {
      const known = sameAgent(deps, tx, place)
      if (!known) return true
      const scope = scopeOf(place)
      const from = after ? { after: [...scope, ...after] as const } : {}
      const rows = [...tx.range(queueTable, { prefix: scope, ...from, limit: limits.rowsPerSweep })]
      for (const { key, value } of rows) {
        const send = sendAt(tx, scope, key[4])
        if (send) redate(tx, known, send, value, at)
      }
      const [first] = [...tx.range(queueTable, { prefix: scope, limit: 1 })]
      if (first) scheduleTimers(tx, place, tx.get(timerTable, scope) ?? {}, { pickupAt: Math.max(first.key[3], at) })
      const last = rows.length === limits.rowsPerSweep ? rows.at(-1)!.key : undefined
      const input: Redating = { ...place, ...(last && { after: [last[3], last[4]] }) }
      if (last) tx.schedule({ name: `${setBackCommand}:${place.serial}`, dueAt: at, command: setBackCommand, input })
      return true
    },
  }

  function redate(tx: Tx, { place, document }: Known, send: KeptSend, what: 'send' | 'followUp', at: number): void {
    const { timeScale } = deps
    const { dueAt = at, followUpAt = at, nextAttemptAt } = send
    if (what === 'followUp') {
      const soonerAt = at + (followUpWaitMs(document, send, timeScale) ?? 0)
      if (followUpAt > soonerAt) keepSend(tx, scopeOf(place), { ...send, followUpAt: soonerAt }, send)
      return
    }
    const soonerAt = at + longestWaitMs(send, timeScale)
    const retry = nextAttemptAt === undefined ? {} : { nextAttemptAt: soonerAt }
    if (dueAt > soonerAt) keepSend(tx, scopeOf(place), { ...send, dueAt: soonerAt, ...retry }, send)
  }
}
