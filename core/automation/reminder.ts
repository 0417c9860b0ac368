/** The reminder of an appointment: when it is due, and what it says. */
import type { AgentDocument } from '../agent/index.js'
import type { ContentMessage, Part } from '../amf/index.js'
import { validateMessage } from '../amf/index.js'
import { minute } from '../durations.js'
import { reminder as limits } from '../limits.js'
import type { Appointment } from '../people/appointment.js'

/** What a reminder has to know of its appointment. */
export type Reminded = Pick<Appointment, 'startUtc' | 'prospectTimezone' | 'representativeName' | 'representativeTitle'>

export function remindedOf(appointment: Appointment): Reminded {
  const { startUtc, prospectTimezone, representativeName, representativeTitle } = appointment
  return {
    startUtc,
    prospectTimezone,
    ...(representativeName !== undefined && { representativeName }),
    ...(representativeTitle !== undefined && { representativeTitle }),
  }
}

type Scheduling = AgentDocument['scheduling']

/** Reminders are on unless somebody switched them off. */
export function areOn(scheduling: Scheduling): boolean {
  return scheduling?.reminders?.enabled !== false
}

export function remindAt(startUtc: number, scheduling: Scheduling, timeScale: number): number {
  const { leadMinutes = limits.leadMinutes } = scheduling?.reminders ?? {}
  return startUtc - Math.ceil((leadMinutes * minute) / timeScale)
}

export interface ReminderOf {
  readonly reminded: Reminded
  readonly agentName: string
  readonly document: Pick<AgentDocument, 'scheduling' | 'identity'>
}

/** The time stands in it as a moment of the person's own zone, so that every channel writes it right. */
export function reminderMessage({ reminded, agentName, document }: ReminderOf): ContentMessage {
  const { startUtc, prospectTimezone: tz, representativeName } = reminded
  const start = { iso: new Date(startUtc).toISOString(), tz }
  const text: Part = {
    type: 'text',
    text: [`Reminder: your appointment with ${withWhom(reminded, agentName)} is on `, start, '.'],
  }
  const said: ContentMessage = { spec: 'amf/1', parts: [text] }
  if (document.scheduling?.reminders?.includeContactCard !== true) return said
  const card = contactCard(representativeName, agentName, document)
  const whole: ContentMessage = { spec: 'amf/1', parts: [text, card] }
  // Details that operators entered by hand may not be what a contact card takes; the reminder itself goes out.
  return 'problems' in validateMessage(whole) ? said : whole
}

function withWhom({ representativeName, representativeTitle }: Reminded, agentName: string): string {
  if (representativeName === undefined) return literal(agentName)
  return literal(representativeTitle ? `${representativeName}, ${representativeTitle}` : representativeName)
}

/** Names are text, whatever they look like. */
function literal(text: string): string {
  return text.replace(/[\\`*_[\]~<>]/g, '\\$&')
}

/** Of whom they will meet, with the agent's own details where nothing is known of that one. */
function contactCard(name: string | undefined, agentName: string, document: ReminderOf['document']): Part {
  const meets = document.scheduling?.representatives.find((each) => each.name === name)
  const { contactPhone, contactEmail, websiteUrl } = document.identity ?? {}
  const phone = meets?.phone || contactPhone
  const email = meets?.email || contactEmail
  return {
    type: 'share.contact',
    name: name ?? agentName,
    ...(phone && { phone }),
    ...(email && { email }),
    ...(websiteUrl && { url: websiteUrl }),
    ...(name !== undefined && { organization: agentName }),
  }
}
