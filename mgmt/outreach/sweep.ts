/** What sends forget: records and keys whose time is over, and everything of an agent that is gone, a part at a time. */
import { type AgentIncarnation, scopeOf } from '../../core/agent/scope.js'
import type { AgentPlace } from '../../core/agentkey.js'
import { outreachSend as limits } from '../../core/limits.js'
import type { Command, Tx } from '../../runtime/shard/contract.js'
import { findAgent } from '../agents/store.js'
import { knownAgent } from './admission.js'
import { endMarketing } from './marketing.js'
import {
  allTables,
  capableTable,
  dropSend,
  isOver,
  keptUntil,
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
    decide(tx, place, { at }) {
      if (knownAgent(deps, tx, place)?.place.serial !== place.serial) return true
      const scope = scopeOf(place)
      const oldest = [...tx.range(sendTable, { prefix: scope, limit: limits.rowsPerSweep + 1 })]
      const over = oldest
        .slice(0, limits.rowsPerSweep)
        .filter(({ value }) => isOver({ id: '', ...value }, at, timeScale))
      for (const { key, value } of over) {
        endMarketing(tx, scope, { id: key[3], ...value, state: 'cancelled' })
        dropSend(tx, scope, { id: key[3], ...value })
      }
      const next = oldest[over.length]?.value
      const { sweepAt: _fired, ...timers } = sweptCapabilities(tx, place, tx.get(timerTable, scope) ?? {}, at)
      tx.put(timerTable, scope, timers)
      const soonest = over.length === limits.rowsPerSweep ? at : at + Math.ceil(limits.sweepEveryMs / timeScale)
      if (next) scheduleTimers(tx, place, timers, { sweepAt: Math.max(keptUntil(next.queuedAt, timeScale), soonest) })
      return true
    },
  }

  /** They are in no order of time, so each sweep looks at the next few. */
  function sweptCapabilities(tx: Tx, place: AgentIncarnation, timers: TimerState, at: number): TimerState {
    const scope = scopeOf(place)
    const { sweptTo, ...rest } = timers
    const after = sweptTo === undefined ? {} : { after: [...scope, sweptTo] as never }
    const rows = [...tx.range(capableTable, { prefix: scope, ...after, limit: limits.rowsPerSweep })]
    for (const { key, value } of rows) if (value.until <= at) tx.remove(capableTable, key)
    return rows.length < limits.rowsPerSweep ? rest : { ...rest, sweptTo: rows.at(-1)!.key[3] }
  }

  /** Nobody can see them any more: the agent is gone, and another of its id has keys of its own. */
  const clear: Command<AgentIncarnation, true> = {
    name: clearCommand,
    decide(tx, place, { at }) {
      let room: number = limits.rowsPerSweep
      for (const table of allTables) {
        for (const { key } of [...tx.range(table, { prefix: scopeOf(place), limit: room })]) {
          tx.remove(table, key)
          room--
        }
        if (room === 0) break
      }
      if (room === 0) clearOn(tx, place, at)
      return true
    },
  }

  function clearOn(tx: Tx, place: AgentIncarnation, dueAt: number): void {
    tx.schedule({ name: `${clearCommand}:${place.serial}`, dueAt, command: clearCommand, input: place })
  }

  /** Called in the commit that deletes an agent. */
  function removed(tx: Tx, place: AgentPlace): void {
    const agent = findAgent(tx, place)
    if (agent) clearOn(tx, { orgId: place.orgId, agentId: place.agentId, serial: agent.serial }, 0)
  }

  return { sweep, clear, removed }
}
