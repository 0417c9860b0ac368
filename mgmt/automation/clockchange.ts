/**
 * Reschedules the queue of an agent's automation after the clock was set back: no row waits longer than its own delay
 * from then on.
 */
import { type AgentIncarnation, type AgentScope, scopeOf } from '../../core/agent/scope.js'
import { isUndecided, type RuleRun } from '../../core/automation/run.js'
import { minute } from '../../core/durations.js'
import { automation as limits, outreachSend as sendLimits } from '../../core/limits/index.js'
import { retryWaitMs } from '../../core/outreach/statemachine.js'
import { scaledMs } from '../../core/time.js'
import type { Command, Tx } from '../../runtime/shard/contract.js'
import { findAgent } from '../agents/store.js'
import { rescheduleName, scheduleTimer } from './pickuptimer.js'
import { getRun, queueTable, reminderTable, ruleTable, saveReminder, saveRun } from './store.js'

interface RescheduleInput extends AgentIncarnation {
  /** Continues after this position in the queue. */
  readonly after?: readonly [dueAt: number, what: 'run' | 'reminder', id: string, personId: string]
}

/**
 * Walks through the queue, a bounded part per commit. The first attempt of a reminder keeps its time of day. A run that
 * waits for hours of the day may be moved ahead, since its evaluation checks the hours again.
 */
export function createRescheduleCommand(timeScale: number): Command<RescheduleInput, true> {
  return {
    name: rescheduleName,
    decide(tx, { after, ...agent }, { at }) {
      if (findAgent(tx, agent)?.incarnation !== agent.incarnation) return true
      const scope = scopeOf(agent)
      const from = after ? { after: [...scope, ...after] as const } : {}
      const rows = [...tx.range(queueTable, { prefix: scope, ...from, limit: limits.rowsPerSweep })]
      for (const { key } of rows) {
        const [, , , , kind, id, personId] = key
        if (kind === 'run') rescheduleRun(tx, scope, id, personId, at)
        else rescheduleReminder(tx, scope, id, at)
      }
      const [first] = [...tx.range(queueTable, { prefix: scope, limit: 1 })]
      if (first) scheduleTimer(tx, agent, Math.max(first.key[3], at))
      const last = rows.length === limits.rowsPerSweep ? rows.at(-1)!.key : undefined
      const input: RescheduleInput = { ...agent, ...(last && { after: [last[3], last[4], last[5], last[6]] }) }
      if (last)
        tx.schedule({ name: `${rescheduleName}:${agent.incarnation}`, dueAt: at, command: rescheduleName, input })
      return true
    },
  }

  function rescheduleRun(tx: Tx, scope: AgentScope, ruleKey: string, personId: string, at: number): void {
    const run = getRun(tx, scope, ruleKey, personId)
    if (!run || !isUndecided(run)) return
    const earlierAt = at + longestWaitMs(tx, scope, ruleKey, run)
    if (run.dueAt > earlierAt) saveRun(tx, scope, [ruleKey, personId], { ...run, dueAt: earlierAt }, run)
  }

  function longestWaitMs(tx: Tx, scope: AgentScope, ruleKey: string, { state }: RuleRun): number {
    if (state === 'waiting') return scaledMs(sendLimits.quietMs, timeScale)
    const { delayMinutes = 0 } = tx.get(ruleTable, [...scope, ruleKey]) ?? {}
    return scaledMs(delayMinutes * minute, timeScale)
  }

  function rescheduleReminder(tx: Tx, scope: AgentScope, appointmentId: string, at: number): void {
    const reminder = tx.get(reminderTable, [...scope, appointmentId])
    if (reminder?.state !== 'due' || reminder.attempts === 0) return
    const earlierAt = at + retryWaitMs(reminder.attempts, timeScale)
    if (reminder.dueAt! <= earlierAt) return
    saveReminder(tx, scope, appointmentId, { ...reminder, dueAt: earlierAt }, reminder)
  }
}
