/** Retention of sends: removes expired records and keys, and all rows of a deleted agent, in bounded parts. */
import { type AgentIncarnation, scopeOf } from '../../core/agent/scope.js'
import type { AgentRef } from '../../core/agentref.js'
import { outreachSend as limits } from '../../core/limits/index.js'
import { scaledMs } from '../../core/time.js'
import type { Command, Tx } from '../../runtime/shard/contract.js'
import { findAgent } from '../agents/store.js'
import { loadAgent } from './admission.js'
import { endMarketing } from './marketing.js'
import {
  allTables,
  capabilityTable,
  isExpired,
  removeSend,
  retainedUntil,
  sendTable,
  type TimerState,
  timerTable,
} from './store.js'
import { type SendDeps, scheduleTimers, sweepCommand } from './transitions.js'

const clearCommand = 'outreach.clear'

export function createSweep(deps: SendDeps) {
  const { timeScale } = deps

  const sweep: Command<AgentIncarnation, true> = {
    name: sweepCommand,
    decide(tx, agentRef, { at }) {
      if (loadAgent(deps, tx, agentRef)?.agentRef.incarnation !== agentRef.incarnation) return true
      const scope = scopeOf(agentRef)
      const oldest = [...tx.range(sendTable, { prefix: scope, limit: limits.rowsPerSweep + 1 })]
      const expired = oldest
        .slice(0, limits.rowsPerSweep)
        .filter(({ value }) => isExpired({ id: '', ...value }, at, timeScale))
      for (const { key, value } of expired) {
        endMarketing(tx, scope, { id: key[3], ...value, state: 'cancelled' })
        removeSend(tx, scope, { id: key[3], ...value })
      }
      const next = oldest[expired.length]?.value
      const { sweepAt: _fired, ...timers } = sweepCapabilities(tx, agentRef, tx.get(timerTable, scope) ?? {}, at)
      tx.put(timerTable, scope, timers)
      const soonest = expired.length === limits.rowsPerSweep ? at : at + scaledMs(limits.sweepEveryMs, timeScale)
      if (next)
        scheduleTimers(tx, agentRef, timers, { sweepAt: Math.max(retainedUntil(next.queuedAt, timeScale), soonest) })
      return true
    },
  }

  /** The rows have no order of time, so each sweep checks the next few. */
  function sweepCapabilities(tx: Tx, agentRef: AgentIncarnation, timers: TimerState, at: number): TimerState {
    const scope = scopeOf(agentRef)
    const { sweepCursor, ...rest } = timers
    const after = sweepCursor === undefined ? {} : { after: [...scope, sweepCursor] as never }
    const rows = [...tx.range(capabilityTable, { prefix: scope, ...after, limit: limits.rowsPerSweep })]
    for (const { key, value } of rows) if (value.until <= at) tx.remove(capabilityTable, key)
    return rows.length < limits.rowsPerSweep ? rest : { ...rest, sweepCursor: rows.at(-1)!.key[3] }
  }

  /**
   * Removes the rows of a deleted agent. They are invisible already, since a later agent of that id has another
   * incarnation in its keys.
   */
  const clear: Command<AgentIncarnation, true> = {
    name: clearCommand,
    decide(tx, agentRef, { at }) {
      let rowsLeft: number = limits.rowsPerSweep
      for (const table of allTables) {
        for (const { key } of [...tx.range(table, { prefix: scopeOf(agentRef), limit: rowsLeft })]) {
          tx.remove(table, key)
          rowsLeft--
        }
        if (rowsLeft === 0) break
      }
      if (rowsLeft === 0) scheduleClear(tx, agentRef, at)
      return true
    },
  }

  function scheduleClear(tx: Tx, agentRef: AgentIncarnation, dueAt: number): void {
    tx.schedule({ name: `${clearCommand}:${agentRef.incarnation}`, dueAt, command: clearCommand, input: agentRef })
  }

  /** Called in the commit that deletes an agent. */
  function onAgentRemoved(tx: Tx, agentRef: AgentRef): void {
    const agent = findAgent(tx, agentRef)
    if (agent)
      scheduleClear(tx, { orgId: agentRef.orgId, agentId: agentRef.agentId, incarnation: agent.incarnation }, 0)
  }

  return { sweep, clear, onAgentRemoved }
}
