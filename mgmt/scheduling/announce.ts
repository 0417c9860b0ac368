/** What leaves after a change of an appointment: the lifecycle mail and the write to the calendar. */
import type { AgentIncarnation } from '../../core/agent/scope.js'
import type { Appointment } from '../../core/people/appointment.js'
import type { Person } from '../../core/people/person.js'
import { calendarEntry, hasCalendar } from '../../core/scheduling/calendar.js'
import { type ChangeNotice, lifecycleMail } from '../../core/scheduling/mail.js'
import type { CapturedEffect } from '../../core/tools/contract.js'
import type { Tx } from '../../runtime/shard/contract.js'
import type { SchedulingDeps } from './deps.js'
import type { CalendarChange, Mail } from './ports.js'
import type { Subject } from './subject.js'

export const mailEffect = 'schedulingMail'
export const calendarEffect = 'schedulingCalendar'

export interface MailTask extends AgentIncarnation {
  readonly mail: Mail
  readonly appointmentId: string
  /** When the change was made. */
  readonly at: number
}

/**
 * The calendars are to be brought in step with the appointment as it is then, so tasks of one appointment may run in
 * any order.
 */
export interface CalendarTask extends AgentIncarnation {
  readonly personId: string
  readonly appointmentId: string
  /** Those whose calendars may have the event; an empty id is the agent itself. */
  readonly representativeIds: readonly string[]
  readonly zone: string
  readonly at: number
}

export interface Announcement extends Pick<ChangeNotice, 'change' | 'previousStart' | 'reason'> {
  readonly person: Person
  readonly appointment: Appointment
  readonly before?: Appointment
  readonly at: number
}

/** Creates the effects; in the sandbox it answers what they would have been. */
export function announce(
  tx: Tx,
  { connectMail, connectCalendar }: Pick<SchedulingDeps, 'connectMail' | 'connectCalendar'>,
  { agent, agentName, document, rules }: Subject,
  { before, at, ...notice }: Announcement,
): CapturedEffect[] {
  const { person, appointment } = notice
  const captured: CapturedEffect[] = []
  const to = rules.scheduling.notificationRecipients ?? []
  if (connectMail && to.length > 0) {
    const mail = {
      to,
      ...lifecycleMail({ ...notice, agentName, agentZone: rules.agentZone }),
      messageId: `${appointment.id}.${appointment.history.length}`,
    } satisfies Mail
    if (person.sandbox)
      captured.push({ kind: 'mail', summary: `${mail.subject} (to ${to.join(', ')})`, payload: mail, at })
    else {
      const payload: MailTask = { ...agent, mail, appointmentId: appointment.id, at }
      tx.emit({ kind: mailEffect, payload })
    }
  }
  if (connectCalendar && hasCalendar(document)) {
    const { agentZone: zone } = rules
    if (person.sandbox) captured.push(captureCalendar(appointment, person, zone, at))
    else {
      const representativeIds = [
        ...new Set([appointment, before ?? appointment].map(({ representativeId = '' }) => representativeId)),
      ]
      emitCalendarTask(tx, {
        ...agent,
        personId: person.id,
        appointmentId: appointment.id,
        representativeIds,
        zone,
        at,
      })
    }
  }
  return captured
}

/** A calendar that does not answer delays those of other representatives less in a lane of its own. */
export function emitCalendarTask(tx: Tx, payload: CalendarTask): void {
  const { orgId, agentId, representativeIds } = payload
  tx.emit({ kind: calendarEffect, destination: `calendar:${orgId}/${agentId}:${representativeIds[0]}`, payload })
}

function captureCalendar(appointment: Appointment, person: Person, zone: string, at: number): CapturedEffect {
  const change = calendarChange(appointment, person, zone)
  const summary = change.kind === 'save' ? `Calendar event: ${change.title}` : 'Calendar event removed'
  return { kind: 'calendar', summary, payload: change, at }
}

/** The state in which the calendar of the appointment's representative is to be. */
export function calendarChange(appointment: Appointment, person: Person, zone: string): CalendarChange {
  const { id: appointmentId, representativeId, status, startUtc, durationMinutes, history } = appointment
  const target = { appointmentId, ...(representativeId !== undefined && { representativeId }) }
  if (status === 'cancelled') return { kind: 'remove', ...target }
  const entry = calendarEntry(appointment, person)
  return { kind: 'save', ...target, startUtc, durationMinutes, zone, ...entry, sequence: history.length }
}
