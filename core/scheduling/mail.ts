/** How a change of an appointment is reported: the lifecycle mail to the team, and the line in the person's journal. */
import type { Appointment } from '../people/appointment.js'
import type { Person } from '../people/person.js'
import { describeMoment } from './localtime.js'

export type AppointmentChange = 'booked' | 'moved' | 'cancelled'

/** What the team sees of the person. */
export type Contact = Pick<Person, 'fullName' | 'firstName' | 'lastName' | 'email' | 'phone' | 'company'>

export interface ChangeNotice {
  readonly change: AppointmentChange
  readonly appointment: Appointment
  /** When it was to begin before it was moved. */
  readonly previousStart?: number
  readonly reason?: string
  readonly person: Contact
  readonly agentName: string
  readonly agentZone: string
}

/** Plain text. */
export interface LifecycleMail {
  readonly subject: string
  readonly text: string
}

export function lifecycleMail(notice: ChangeNotice): LifecycleMail {
  const { change, appointment, previousStart, reason, person, agentName, agentZone } = notice
  const { startUtc, durationMinutes, prospectTimezone, notes } = appointment
  const subject = `Appointment ${change}: ${nameOf(person)}, ${describeMoment(agentZone, startUtc)}`
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['Person', nameOf(person)],
    ['Company', person.company],
    ['Phone', person.phone],
    ['Email', person.email],
    ['Time', describeMoment(agentZone, startUtc)],
    ['Time of the person', prospectTimezone === agentZone ? undefined : describeMoment(prospectTimezone, startUtc)],
    ['Time before', previousStart === undefined ? undefined : describeMoment(agentZone, previousStart)],
    ['Duration', `${durationMinutes} minutes`],
    ['With', withTitle(appointment)],
    ['Reason', reason],
    ['Notes', notes],
  ]
  const lines = rows.flatMap(([label, value]) => (value ? [`${label}: ${oneLine(value)}`] : []))
  return {
    subject: oneLine(subject),
    text: [`An appointment of ${oneLine(agentName)} was ${change}.`, '', ...lines, ''].join('\n'),
  }
}

/** In the person's zone. */
export function journalLine({
  change,
  appointment,
  previousStart,
  reason,
}: Omit<ChangeNotice, 'person' | 'agentName' | 'agentZone'>): string {
  const { startUtc, durationMinutes, prospectTimezone: zone, representativeName } = appointment
  const start = describeMoment(zone, startUtc)
  const who = representativeName === undefined ? '' : ` with ${representativeName}`
  const why = reason === undefined ? '' : ` Reason: ${reason}`
  if (change === 'booked') return `Booked an appointment${who}: ${start}, ${durationMinutes} minutes.`
  if (change === 'cancelled') return `Cancelled the appointment${who}: ${start}.${why}`
  const before = describeMoment(zone, previousStart ?? startUtc)
  return `Moved the appointment${who}: from ${before} to ${start}.${why}`
}

export function nameOf({ fullName, firstName, lastName, phone }: Contact): string {
  return fullName || [firstName, lastName].filter(Boolean).join(' ') || phone || 'A person without a name on record'
}

function withTitle({ representativeName, representativeTitle }: Appointment): string | undefined {
  return representativeName && representativeTitle
    ? `${representativeName}, ${representativeTitle}`
    : representativeName
}

/** Text that people and operators wrote adds no line of its own. */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
}
