/** Scheduling: free times of an agent, and appointments that are booked, moved and cancelled in conversations. */
import { scopeOf } from '../../core/agent/scope.js'
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import { appointmentsAhead } from '../../core/scheduling/appointment.js'
import { hasCalendar } from '../../core/scheduling/calendar.js'
import { zoneOfAgent } from '../../core/scheduling/zone.js'
import type { EffectHandler, ExecuteOptions } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import type { Agents } from '../agents/index.js'
import { type EffectDeps, moduleOf } from '../area.js'
import type { People } from '../people/index.js'
import type { RemovalListener } from '../people/people.js'
import { calendarEffect, emitCalendarTask, mailEffect } from './announce.js'
import { createSchedulingCommands } from './commands.js'
import { type SchedulingCall, type SchedulingDeps, type SchedulingInput, schedulingSections } from './deps.js'
import { createSearch } from './search.js'
import { removeBooking } from './store.js'
import { clearCommand, clearRemovedAgent, sweepCommand } from './sweep.js'
import { createCalendarHandler, createFailureCommand, createMailHandler } from './worker.js'

export interface SchedulingAreaDeps extends Omit<SchedulingDeps, 'documents' | 'people'> {
  readonly agents: Pick<Agents, 'documents' | 'onLifecycle'>
  readonly people: People
}

export function createScheduling({ agents, ...areaDeps }: SchedulingAreaDeps) {
  const { documents, onLifecycle } = agents
  const { people, connectCalendar, connectMail } = areaDeps
  const deps: SchedulingDeps = { ...areaDeps, documents }
  const search = createSearch(deps)
  const reportFailure = createFailureCommand(deps)
  const tools = createSchedulingCommands(deps)
  const commands = { ...tools, reportFailure, sweep: sweepCommand, clear: clearCommand }
  const { queries } = search
  onLifecycle({ removed: clearRemovedAgent })
  people.onRemoved(releaseTimes)

  /** The times of a person who is deleted are free again, and their events leave the calendars. */
  function releaseTimes(...[tx, agentRef, person, appointments, { at }]: Parameters<RemovalListener>): void {
    const loaded = documents.load(tx, agentRef, schedulingSections)
    if (!loaded) return
    const { orgId, agentId } = agentRef
    const agent = { orgId, agentId, incarnation: loaded.agent.incarnation }
    const schedule = { scope: scopeOf(agent), partition: person.sandbox ? ('sandbox' as const) : ('live' as const) }
    const hasEvents = connectCalendar !== undefined && !person.sandbox && hasCalendar(loaded.document)
    const zone = zoneOfAgent(loaded.document.scheduling, undefined)
    for (const appointment of appointmentsAhead(appointments, at)) {
      const { id: appointmentId, representativeId = '' } = appointment
      removeBooking(tx, schedule, appointment)
      if (!hasEvents) continue
      const representativeIds = [representativeId]
      emitCalendarTask(tx, { ...agent, personId: person.id, appointmentId, representativeIds, zone, at })
    }
  }

  return {
    commands,
    queries,
    module: moduleOf({ commands, queries }),

    /** Appointments of a person that are still to come, earliest first. */
    appointmentsAhead: (reader: Reader, agent: AgentRef, personId: string, at: number) =>
      appointmentsAhead(people.appointmentsOf(reader, agent, personId), at),

    /** The tools. A refusal says that the shard of the agent is unavailable, and the call is to be repeated. */
    connect(engine: EffectDeps) {
      const { shards } = engine
      const calendar = connectCalendar?.(engine)
      const execute =
        (command: (typeof tools)[keyof typeof tools]) => (call: SchedulingCall, options?: ExecuteOptions) =>
          shards.execute(formatAgentKey(call), command, call, options)
      return {
        book: execute(tools.book),
        reschedule: execute(tools.reschedule),
        cancel: execute(tools.cancel),
        availability: (input: SchedulingInput) => search.find({ shards, ...(calendar && { calendar }) }, input),
      }
    },

    effectHandlers(engine: EffectDeps): Readonly<Record<string, EffectHandler>> {
      const ports = { calendar: connectCalendar?.(engine), sendMail: connectMail?.(engine) }
      const options = { ...deps, ...ports, shards: engine.shards, reportFailure }
      return { [mailEffect]: createMailHandler(options), [calendarEffect]: createCalendarHandler(options) }
    },
  }
}
export type SchedulingArea = ReturnType<typeof createScheduling>
