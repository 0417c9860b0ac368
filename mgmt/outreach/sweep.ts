/** What sends forget: records and keys whose time is over, and everything of an agent that is gone, a part at a time. */
import type { AgentPlace } from '../../core/agentkey.js'
import { outreachSend as limits } from '../../core/limits.js'
import type { Command, Tx } from '../../runtime/shard/contract.js'
import { knownAgent } from './considering.js'
import { endMarketing } from './marketing.js'
import { type Moving, sweepCommand, wake } from './moving.js'
import {
  allTables,
  capableTable,
  dropSend,
  type HomePlace,
  homeOf,
  isOver,
  keptUntil,
  type Pulse,
  pulseTable,
  sendTable,
} from './store.js'

const clearCommand = 'outreach.clear'

export function sweeping(moving: Moving) {
  const { timeScale } = moving

  const sweep: Command<HomePlace, true> = {
    name: sweepCommand,
    decide(tx, place, { at }) {
      if (knownAgent(moving, tx, place)?.place.serial !== place.serial) return true
      const home = homeOf(place)
      const oldest = [...tx.range(sendTable, { prefix: home, limit: limits.rowsPerSweep + 1 })]
      const over = oldest
        .slice(0, limits.rowsPerSweep)
        .filter(({ value }) => isOver({ id: '', ...value }, at, timeScale))
      for (const { key, value } of over) {
        endMarketing(tx, home, { id: key[3], ...value, state: 'cancelled' })
        dropSend(tx, home, { id: key[3], ...value })
      }
      const next = oldest[over.length]?.value
      const { sweepAt: _rung, ...pulse } = sweptCapabilities(tx, place, tx.get(pulseTable, home) ?? {}, at)
      tx.put(pulseTable, home, pulse)
      const soonest = over.length === limits.rowsPerSweep ? at : at + Math.ceil(limits.sweepEveryMs / timeScale)
      if (next) wake(tx, place, pulse, { sweepAt: Math.max(keptUntil(next.queuedAt, timeScale), soonest) })
      return true
    },
  }

  /** They are in no order of time, so each sweep looks at the next few. */
  function sweptCapabilities(tx: Tx, place: HomePlace, pulse: Pulse, at: number): Pulse {
    const home = homeOf(place)
    const { sweptTo, ...rest } = pulse
    const after = sweptTo === undefined ? {} : { after: [...home, sweptTo] as never }
    const rows = [...tx.range(capableTable, { prefix: home, ...after, limit: limits.rowsPerSweep })]
    for (const { key, value } of rows) if (value.until <= at) tx.remove(capableTable, key)
    return rows.length < limits.rowsPerSweep ? rest : { ...rest, sweptTo: rows.at(-1)!.key[3] }
  }

  /** Nobody can see them any more: the agent is gone, and another of its id has keys of its own. */
  const clear: Command<HomePlace, true> = {
    name: clearCommand,
    decide(tx, place, { at }) {
      let room: number = limits.rowsPerSweep
      for (const table of allTables) {
        for (const { key } of [...tx.range(table, { prefix: homeOf(place), limit: room })]) {
          tx.remove(table, key)
          room--
        }
        if (room === 0) break
      }
      if (room === 0) clearOn(tx, place, at)
      return true
    },
  }

  function clearOn(tx: Tx, place: HomePlace, dueAt: number): void {
    tx.schedule({ name: `${clearCommand}:${place.serial}`, dueAt, command: clearCommand, input: place })
  }

  /** What of this comes and goes with the agent. */
  const part = {
    made(): void {},
    removed(tx: Tx, place: AgentPlace): void {
      const known = knownAgent(moving, tx, place)
      if (known) clearOn(tx, known.place, 0)
    },
  }

  return { sweep, clear, part }
}
