/** The calendar behind an agent's scheduling: its busy times, and the events of appointments in it. */
import type { AgentRef } from '../../core/agentref.js'
import { isRefusal } from '../../core/errors.js'
import { clipIntervals, type Interval, mergeIntervals } from '../../core/interval.js'
import type { Clock } from '../../runtime/clock.js'
import type { Agents } from '../agents/index.js'
import { type EffectDeps, moduleOf } from '../area.js'
import type { Connections } from '../connections/index.js'
import type { AgentLog } from '../outreach/transitions.js'
import { type CalendarAccess, type Change, createCalendarAccess } from './access.js'
import { createBusyCache, type ReadBusyTimes } from './busy.js'
import { type CallCalendar, createExchange } from './exchange.js'
import { createNotes, noteCommand } from './notes.js'
import { settingsQuery } from './settings.js'
import { type CalendarToolCall, createCalendarTool } from './tool.js'
import { createWriter, type EventContent, eventIdOf } from './write.js'

export interface CalendarDeps {
  readonly agents: Pick<Agents, 'documents'>
  readonly connections: Pick<Connections, 'tokens' | 'queries'>
  readonly callCalendar: CallCalendar
  readonly readBusyTimes: ReadBusyTimes
  readonly log: AgentLog
  readonly clock: Clock
}

/** A change of an appointment's event. */
export interface CalendarChange extends EventContent {
  readonly kind: Change['kind']
  readonly appointmentId: string
}

/** An agent without a calendar books all the same, and so does one whose calendar cannot be reached. None throws. */
export interface Calendar {
  /**
   * The times at which the calendar is taken, ascending and without overlaps; an appointment of a representative leaves
   * the others free. Undefined when the agent has no calendar, or it cannot be read: the agent's log and the
   * connection's status say why. Answers within `calendar.busyMs`, and from what the calendar said up to
   * `calendar.cachedMs` before.
   */
  busy(
    agent: AgentRef,
    representativeId: string | undefined,
    from: number,
    to: number,
  ): Promise<readonly Interval[] | undefined>
  /**
   * Repeated under the same id it changes nothing. `later`: another try may help. `never`: the log says why. An agent
   * without a calendar has nothing to write, which is `done`. A create that comes late leaves a moved event alone; the
   * caller must not repeat a move after a later move, nor a create or a move after a remove.
   */
  write(agent: AgentRef, change: CalendarChange, id: string): Promise<'done' | 'later' | 'never'>
  /** The tool of the catalog. The sandbox captures writes; it reads the calendar itself. */
  readonly call: CalendarToolCall
}

export function createCalendar({ agents, connections, callCalendar, readBusyTimes, log, clock }: CalendarDeps) {
  const settings = settingsQuery(agents.documents)
  const note = noteCommand(log)
  const writeNote = createNotes(note, clock)
  const cache = createBusyCache({ readBusyTimes, clock })
  const { queries } = connections
  return {
    module: moduleOf({ commands: { note }, queries: { settings } }),
    connect(engine: EffectDeps): Calendar {
      const { shards } = engine
      const exchange = createExchange({ ...engine, tokens: connections.tokens(engine), queries, callCalendar })
      const writer = createWriter({ exchange, shards, queries })
      const access = createCalendarAccess({ shards, settings, exchange, cache, writer, writeNote })
      return calendarOf(access, clock)
    },
  }
}
export type Calendars = ReturnType<typeof createCalendar>

function calendarOf(access: CalendarAccess, clock: Clock): Calendar {
  return {
    async busy(agent, representativeId, from, to) {
      const settings = await access.find(agent)
      if (isRefusal(settings) || !settings) return undefined
      const outcome = await access.read(agent, settings, { from, to })
      if (!outcome.ok) return undefined
      const isTaken = (owner: string | undefined) =>
        representativeId === undefined || owner === undefined || owner === representativeId
      const taken = outcome.times.busy.filter((each) => isTaken(each.representativeId))
      return mergeIntervals(clipIntervals(taken, from, to))
    },
    async write(agent, { kind, appointmentId, ...content }, id) {
      const settings = await access.find(agent)
      if (isRefusal(settings)) return 'later'
      if (!settings) return 'done'
      const eventId = eventIdOf(agent, 'appointment', appointmentId)
      const outcome = await access.apply({ agent, settings, eventId, id, at: clock.now() }, changeOf(kind, content))
      if (outcome === 'missing' || outcome.ok) return 'done'
      return outcome.isTemporary ? 'later' : 'never'
    },
    call: createCalendarTool(access, clock),
  }
}

function changeOf(kind: Change['kind'], content: EventContent): Change {
  return kind === 'move' ? { kind, times: content, content } : { kind, content }
}
