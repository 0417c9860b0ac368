/** The entry of an appointment in a calendar. */
import type { AgentDocument } from '../agent/index.js'
import type { Appointment } from '../people/appointment.js'
import { type Contact, nameOf, oneLine } from './mail.js'

const calendarToolId = '@svc/tool.calendar'

/** Does the agent have a calendar? Whether it can be reached is another matter. */
export function hasCalendar({ toolBindings }: Pick<AgentDocument, 'toolBindings'>): boolean {
  return toolBindings.some(({ toolId, enabled }) => toolId === calendarToolId && enabled !== false)
}

export interface CalendarEntry {
  readonly title: string
  readonly description: string
}

export function calendarEntry({ representativeName, notes }: Appointment, person: Contact): CalendarEntry {
  const { phone, email, company } = person
  const name = nameOf(person)
  const lines = [company, phone, email, notes].flatMap((line) => (line && line !== name ? [oneLine(line)] : []))
  return {
    title: oneLine(representativeName === undefined ? name : `${name} with ${representativeName}`),
    description: lines.join('\n'),
  }
}
