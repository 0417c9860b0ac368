/** The queue of an agent's automation after the clock was set back: rows wait no longer than their own delay from then on. */
import { type AgentIncarnation, type AgentScope, scopeOf } from '../../core/agent/scope.js'
import { isUndecided, type Row } from '../../core/automation/row.js'
import { minute } from '../../core/durations.js'
import { automation as limits, outreachSend as sendLimits } from '../../core/limits.js'
import { retryWaitMs } from '../../core/outreach/machine.js'
import type { Command, Tx } from '../../runtime/shard/contract.js'
import { findAgent } from '../agents/store.js'
import { keepReminder, keepRow, queueTable, reminderTable, rowAt, ruleTable } from './store.js'
import { scheduleTimer, setBackName } from './timer.js'

interface Redating extends AgentIncarnation {
  /** The walk goes on behind this place in the queue. */
  readonly after?: readonly [dueAt: number, what: 'row' | 'reminder', id: string, personId: string]
}

/**
 * Walks through the queue, a bounded part at a time. The first try of a reminder keeps its time of day; a row that waits for
 * hours of the day may be moved ahead, since the look at it asks for them again.
 */
export function redateCommand(timeScale: number): Command<Redating, true> {
  return {
    name: setBackName,
    decide(tx, { after, ...place }, { at }) {
      if (findAgent(tx, place)?.serial !== place.serial) return true
      const scope = scopeOf(place)
      const from = after ? { after: [...scope, ...after] as const } : {}
      const rows = [...tx.range(queueTable, { prefix: scope, ...from, limit: limits.rowsPerSweep })]
      for (const { key } of rows) {
        const [, , , , what, id, personId] = key
        if (what === 'row') redateRow(tx, scope, id, personId, at)
        else redateReminder(tx, scope, id, at)
      }
      const [first] = [...tx.range(queueTable, { prefix: scope, limit: 1 })]
      if (first) scheduleTimer(tx, place, Math.max(first.key[3], at))
      const last = rows.length === limits.rowsPerSweep ? rows.at(-1)!.key : undefined
      const input: Redating = { ...place, ...(last && { after: [last[3], last[4], last[5], last[6]] }) }
      if (last) tx.schedule({ name: `${setBackName}:${place.serial}`, dueAt: at, command: setBackName, input })
      return true
    },
  }

  function redateRow(tx: Tx, scope: AgentScope, ruleKey: string, personId: string, at: number): void {
    const row = rowAt(tx, scope, ruleKey, personId)
    if (!row || !isUndecided(row)) return
    const soonerAt = at + longestWaitMs(tx, scope, ruleKey, row)
    if (row.dueAt > soonerAt) keepRow(tx, scope, [ruleKey, personId], { ...row, dueAt: soonerAt }, row)
  }

  function longestWaitMs(tx: Tx, scope: AgentScope, ruleKey: string, { state }: Row): number {
    if (state === 'waiting') return Math.ceil(sendLimits.quietMs / timeScale)
    const { delayMinutes = 0 } = tx.get(ruleTable, [...scope, ruleKey]) ?? {}
    return Math.ceil((delayMinutes * minute) / timeScale)
  }

  function redateReminder(tx: Tx, scope: AgentScope, appointmentId: string, at: number): void {
    const reminder = tx.get(reminderTable, [...scope, appointmentId])
    if (reminder?.state !== 'due' || reminder.attempts === 0) return
    const soonerAt = at + retryWaitMs(reminder.attempts, timeScale)
    if (reminder.dueAt! <= soonerAt) return
    keepReminder(tx, scope, appointmentId, { ...reminder, dueAt: soonerAt }, reminder)
  }
}
