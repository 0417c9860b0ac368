/**
 * The pickup timer of an agent's automation: takes due runs and reminders, a bounded number per commit, and creates
 * their effects.
 */
import { type AgentIncarnation, type AgentScope, scopeOf } from '../../core/agent/scope.js'
import { isActive } from '../../core/automation/run.js'
import { automation as limits } from '../../core/limits/index.js'
import type { Command, Tx } from '../../runtime/shard/contract.js'
import { findAgent } from '../agents/store.js'
import { pickupName, scheduleTimer } from './pickuptimer.js'
import { startAttempt } from './reminders.js'
import { getRun, queueTable, removeRun, saveRun, timerTable } from './store.js'

export const attemptEffect = 'automationAttempt'

/** One evaluation of a run. */
export interface RunAttempt extends AgentIncarnation {
  readonly ruleKey: string
  readonly personId: string
  readonly attempt: number
}

/** Answers how many rows were due. */
export const pickupCommand: Command<AgentIncarnation, number> = {
  name: pickupName,
  decide(tx, agent, meta) {
    if (findAgent(tx, agent)?.incarnation !== agent.incarnation) return 0
    const scope = scopeOf(agent)
    const rows = [...tx.range(queueTable, { prefix: scope, limit: limits.rowsPerPickup })]
    const due = rows.filter(({ key: [, , , dueAt] }) => dueAt <= meta.at)
    for (const { key } of due) {
      const [, , , , kind, id, personId] = key
      tx.remove(queueTable, key)
      if (kind === 'run') attempt(tx, scope, agent, id, personId)
      else startAttempt(tx, agent, id, meta.at)
    }
    const [next] = [...tx.range(queueTable, { prefix: scope, limit: 1 })]
    tx.remove(timerTable, scope)
    if (next) scheduleTimer(tx, agent, Math.max(next.key[3], meta.at))
    return due.length
  },
}

/**
 * Creates the effect that evaluates a run: only the person's conversation knows whether the person is talking at the
 * moment. A run that has ended is due once more, to be deleted.
 */
function attempt(tx: Tx, scope: AgentScope, agent: AgentIncarnation, ruleKey: string, personId: string): void {
  const run = getRun(tx, scope, ruleKey, personId)
  if (!run) return
  if (!isActive(run)) return removeRun(tx, scope, [ruleKey, personId], run)
  const started = { ...run, attempt: run.attempt + 1 }
  saveRun(tx, scope, [ruleKey, personId], started, run, true)
  const { orgId, agentId, incarnation } = agent
  const payload: RunAttempt = { orgId, agentId, incarnation, ruleKey, personId, attempt: started.attempt }
  tx.emit({ kind: attemptEffect, destination: `automation:${personId.slice(-1)}`, payload })
}
