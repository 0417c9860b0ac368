/** The iCalendar text of an event that we write, and of one of ours that moves: the rest of it is its calendar's. */
import ICAL from 'ical.js'
import { minute } from '../durations.js'
import { calendar as limits } from '../limits/index.js'
import { type Component, representativeProperty, textOf } from './content.js'
import { fieldsOf } from './walltime.js'

export interface EventTimes {
  readonly start: number
  readonly durationMinutes: number
  /** Whose appointment it is; absent: it stays as it is. */
  readonly representativeId?: string
  /** Names the change, so that a repeat of it is recognised. Letters and digits. */
  readonly changeId: string
  /** The time of the change. */
  readonly at: number
}

export interface NewEvent extends EventTimes {
  readonly uid: string
  readonly title: string
  readonly notes?: string
  /** Texts that are no mail address are left out. An invitation needs both, where the server sends any. */
  readonly attendeeEmail?: string
  readonly organizerEmail?: string
  /** Counts the changes. */
  readonly sequence: number
}

const changeProperty = 'X-PARLEY-CHANGE'

export function eventText(event: NewEvent): string {
  const { uid, title, notes, attendeeEmail, organizerEmail, sequence } = event
  const calendar = new ICAL.Component('vcalendar')
  calendar.addPropertyWithValue('version', '2.0')
  calendar.addPropertyWithValue('prodid', '-//Parley//Appointments//EN')
  const component = new ICAL.Component('vevent')
  component.addPropertyWithValue('uid', uid)
  component.addPropertyWithValue('summary', plainText(title, limits.titleChars))
  if (notes !== undefined) component.addPropertyWithValue('description', plainText(notes, limits.notesChars))
  if (isAddress(attendeeEmail)) {
    if (isAddress(organizerEmail)) component.addPropertyWithValue('organizer', `mailto:${organizerEmail}`)
    const attendee = component.addPropertyWithValue('attendee', `mailto:${attendeeEmail}`)
    attendee.setParameter('partstat', 'NEEDS-ACTION')
    attendee.setParameter('rsvp', 'TRUE')
  }
  setTimes(component, event, sequence)
  calendar.addSubcomponent(component)
  return `${calendar.toString()}\r\n`
}

export interface MovedEvent {
  readonly text: string
  /** The event has this change already. */
  readonly isRepeat: boolean
}

/**
 * The event at other times; title, notes and all that people added stay. Undefined for a text that cannot be read, or
 * is too long to be read.
 */
export function moveEvent(text: string, times: EventTimes): MovedEvent | undefined {
  if (text.length > limits.movedEventChars) return undefined
  try {
    const calendar = ICAL.Component.fromString(text)
    const events = calendar.getAllSubcomponents('vevent')
    const event = events.find((each) => !each.hasProperty('recurrence-id'))
    if (!event) return undefined
    if (textOf(event, changeProperty.toLowerCase()) === times.changeId) return { text, isRepeat: true }
    setTimes(event, times, sequenceOf(event) + 1)
    return { text: `${calendar.toString()}\r\n`, isRepeat: false }
  } catch {
    return undefined
  }
}

function sequenceOf(event: Component): number {
  const sequence: unknown = event.getFirstPropertyValue('sequence')
  return typeof sequence === 'number' && Number.isSafeInteger(sequence) && sequence >= 0 ? sequence : 0
}

const timeProperties = ['dtstart', 'dtend', 'duration', 'dtstamp', 'last-modified', 'sequence']

function setTimes(event: Component, times: EventTimes, sequence: number): void {
  const { start, durationMinutes, representativeId, changeId, at } = times
  for (const name of timeProperties) event.removeAllProperties(name)
  event.addPropertyWithValue('dtstamp', utcTime(at))
  event.addPropertyWithValue('dtstart', utcTime(start))
  event.addPropertyWithValue('dtend', utcTime(start + durationMinutes * minute))
  event.addPropertyWithValue('sequence', sequence)
  event.updatePropertyWithValue(changeProperty.toLowerCase(), changeId)
  if (representativeId !== undefined && plainId.test(representativeId))
    event.updatePropertyWithValue(representativeProperty.toLowerCase(), representativeId)
}

function utcTime(at: number): InstanceType<typeof ICAL.Time> {
  const [year, month, day, hour, minutes, second] = fieldsOf(at)
  return new ICAL.Time({ year, month, day, hour, minute: minutes, second }, ICAL.Timezone.utcTimezone)
}

const plainId = /^[\w.:-]{1,200}$/
const address = /^[^\s\p{Cc}@<>(),;:"\\[\]]{1,64}@[A-Za-z0-9.-]{1,189}$/u

function isAddress(text: string | undefined): text is string {
  return text !== undefined && address.test(text)
}

/** Line breaks are escaped by the library; other control characters have no place in a calendar. */
function plainText(text: string, maxChars: number): string {
  const cut = [...text.slice(0, 2 * maxChars)].slice(0, maxChars).join('')
  return cut.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\n\t]|\p{Surrogate}/gu, '')
}
