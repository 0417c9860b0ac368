/** The reminder of an appointment: its time and its message. */
import type { AgentDocument } from '../agent/index.js'
import type { ContentMessage, Part } from '../amf/index.js'
import { validateMessage } from '../amf/index.js'
import { minute } from '../durations.js'
import { reminder as limits } from '../limits/index.js'
import type { Appointment } from '../people/appointment.js'
import { scaledMs } from '../time.js'

/** The fields of an appointment that a reminder uses. */
export type ReminderSubject = Pick<
  Appointment,
  'startUtc' | 'prospectTimezone' | 'representativeName' | 'representativeTitle'
>

export function reminderSubjectOf(appointment: Appointment): ReminderSubject {
  const { startUtc, prospectTimezone, representativeName, representativeTitle } = appointment
  return {
    startUtc,
    prospectTimezone,
    ...(representativeName !== undefined && { representativeName }),
    ...(representativeTitle !== undefined && { representativeTitle }),
  }
}

/** Ids of reminders begin with it and an underscore. */
export const reminderIdPrefix = 'rm'

type Scheduling = AgentDocument['scheduling']

/** Reminders are on by default. */
export function areRemindersEnabled(scheduling: Scheduling): boolean {
  return scheduling?.reminders?.enabled !== false
}

export function reminderDueAt(startUtc: number, scheduling: Scheduling, timeScale: number): number {
  const { leadMinutes = limits.leadMinutes } = scheduling?.reminders ?? {}
  return startUtc - scaledMs(leadMinutes * minute, timeScale)
}

export interface ReminderInput {
  readonly subject: ReminderSubject
  readonly agentName: string
  readonly document: Pick<AgentDocument, 'scheduling' | 'identity'>
}

/** The time is a moment in the person's own zone, so that every channel formats it correctly. */
export function reminderMessage({ subject, agentName, document }: ReminderInput): ContentMessage {
  const { startUtc, prospectTimezone: tz, representativeName } = subject
  const start = { iso: new Date(startUtc).toISOString(), tz }
  const text: Part = {
    type: 'text',
    text: [`Reminder: your appointment with ${counterpartText(subject, agentName)} is on `, start, '.'],
  }
  const textOnly: ContentMessage = { spec: 'amf/1', parts: [text] }
  if (document.scheduling?.reminders?.includeContactCard !== true) return textOnly
  const card = contactCard(representativeName, agentName, document)
  const withCard: ContentMessage = { spec: 'amf/1', parts: [text, card] }
  // Details that operators entered may be invalid in a contact card; the reminder is then sent without the card.
  return 'problems' in validateMessage(withCard) ? textOnly : withCard
}

function counterpartText({ representativeName, representativeTitle }: ReminderSubject, agentName: string): string {
  if (representativeName === undefined) return escapeMarkup(agentName)
  return escapeMarkup(representativeTitle ? `${representativeName}, ${representativeTitle}` : representativeName)
}

/** Escapes a name, so that it shows as written. */
function escapeMarkup(text: string): string {
  return text.replace(/[\\`*_[\]~<>]/g, '\\$&')
}

/** The contact of the representative, with the agent's own details where the representative has none. */
function contactCard(name: string | undefined, agentName: string, document: ReminderInput['document']): Part {
  const representative = document.scheduling?.representatives.find((each) => each.name === name)
  const { contactPhone, contactEmail, websiteUrl } = document.identity ?? {}
  const phone = representative?.phone || contactPhone
  const email = representative?.email || contactEmail
  return {
    type: 'share.contact',
    name: name ?? agentName,
    ...(phone && { phone }),
    ...(email && { email }),
    ...(websiteUrl && { url: websiteUrl }),
    ...(name !== undefined && { organization: agentName }),
  }
}
