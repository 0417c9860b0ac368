/** The queue of an agent's automation after the clock was set back: rows wait no longer than their own delay from then on. */
import { isUndecided, type Row } from '../../core/automation/row.js'
import { minute } from '../../core/durations.js'
import { automation as limits, outreachSend as sendLimits } from '../../core/limits.js'
import { retryWaitMs } from '../../core/outreach/machine.js'
import type { Command, Tx } from '../../runtime/shard/contract.js'
import type { Doors } from './needs.js'
import {
  type Home,
  type HomePlace,
  homeOf,
  keepReminder,
  keepRow,
  queueTable,
  reminderTable,
  rowAt,
  ruleTable,
} from './store.js'
import { setBackName, wake } from './wake.js'

interface Redating extends HomePlace {
  /** The walk goes on behind this place in the queue. */
  readonly after?: readonly [dueAt: number, what: 'row' | 'reminder', id: string, personId: string]
}

/**
 * Walks through the queue, a bounded part at a time. The first try of a reminder keeps its time of day; a row that waits for
 * hours of the day may be moved ahead, since the look at it asks for them again.
 */
export function redateCommand({ agents, timeScale }: Pick<Doors, 'agents' | 'timeScale'>): Command<Redating, true> {
  return {
    name: setBackName,
    decide(tx, { after, ...place }, { at }) {
      if (agents.serialOf(tx, place) !== place.serial) return true
      const home = homeOf(place)
      const from = after ? { after: [...home, ...after] as const } : {}
      const rows = [...tx.range(queueTable, { prefix: home, ...from, limit: limits.rowsPerSweep })]
      for (const { key } of rows) {
        const [, , , , what, id, personId] = key
        if (what === 'row') redateRow(tx, home, id, personId, at)
        else redateReminder(tx, home, id, at)
      }
      const [first] = [...tx.range(queueTable, { prefix: home, limit: 1 })]
      if (first) wake(tx, place, Math.max(first.key[3], at))
      const last = rows.length === limits.rowsPerSweep ? rows.at(-1)!.key : undefined
      const input: Redating = { ...place, ...(last && { after: [last[3], last[4], last[5], last[6]] }) }
      if (last) tx.schedule({ name: `${setBackName}:${place.serial}`, dueAt: at, command: setBackName, input })
      return true
    },
  }

  function redateRow(tx: Tx, home: Home, ruleKey: string, personId: string, at: number): void {
    const row = rowAt(tx, home, ruleKey, personId)
    if (!row || !isUndecided(row)) return
    const soonerAt = at + longestWaitMs(tx, home, ruleKey, row)
    if (row.dueAt > soonerAt) keepRow(tx, home, [ruleKey, personId], { ...row, dueAt: soonerAt }, row)
  }

  function longestWaitMs(tx: Tx, home: Home, ruleKey: string, { state }: Row): number {
    if (state === 'waiting') return Math.ceil(sendLimits.quietMs / timeScale)
    const { delayMinutes = 0 } = tx.get(ruleTable, [...home, ruleKey]) ?? {}
    return Math.ceil((delayMinutes * minute) / timeScale)
  }

  function redateReminder(tx: Tx, home: Home, appointmentId: string, at: number): void {
    const reminder = tx.get(reminderTable, [...home, appointmentId])
    if (reminder?.state !== 'due' || reminder.attempts === 0) return
    const soonerAt = at + retryWaitMs(reminder.attempts, timeScale)
    if (reminder.dueAt! <= soonerAt) return
    keepReminder(tx, home, appointmentId, { ...reminder, dueAt: soonerAt }, reminder)
  }
}
