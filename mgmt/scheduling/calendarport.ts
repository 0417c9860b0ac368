/** The calendar of an agent as scheduling writes it: each appointment is one event, created with its first state. */
import type { Calendar as AgentCalendar } from '../calendar/index.js'
import type { Calendar } from './ports.js'

export function calendarPort({ busy, write }: AgentCalendar): Calendar {
  return {
    busy,
    write(agent, change, id) {
      const { appointmentId, representativeId } = change
      const target = { appointmentId, ...(representativeId !== undefined && { representativeId }) }
      if (change.kind === 'remove') {
        return write(agent, { kind: 'remove', ...target, start: 0, durationMinutes: 0, title: '' }, id)
      }
      const { startUtc: start, durationMinutes, title, description: notes, sequence } = change
      const kind = sequence === 1 ? 'create' : 'move'
      return write(agent, { kind, ...target, start, durationMinutes, title, notes }, id)
    },
  }
}
