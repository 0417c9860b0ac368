/** Reads iCalendar texts that others wrote: the few properties that say when something is, within bounds. */
import ICAL from 'ical.js'
import { calendar as limits } from '../limits/index.js'

export type Component = InstanceType<typeof ICAL.Component>
export type Property = InstanceType<typeof ICAL.Property>

/** Marks an event of ours with the representative whose appointment it is. */
export const representativeProperty = 'X-PARLEY-REPRESENTATIVE'

const times = ['DTSTART', 'DTEND', 'DURATION', 'RRULE', 'RDATE', 'EXDATE', 'RECURRENCE-ID', 'FREEBUSY']
const zones = ['TZID', 'X-LIC-LOCATION', 'TZOFFSETFROM', 'TZOFFSETTO']
const known = new Set(['BEGIN', 'END', 'UID', 'TRANSP', 'STATUS', representativeProperty, ...times, ...zones])

/**
 * The calendars in a text, with no other properties than these: the parser takes time that is quadratic in a property's
 * parameters, and descriptions and attendees are most of a text. Undefined for a text that cannot be read.
 */
export function readCalendars(text: string): Component[] | undefined {
  const lines = text
    .replace(/\r?\n[ \t]/g, '')
    .split(/[\r\n]+/)
    .filter((line) => known.has(/^[A-Za-z-]*/.exec(line)![0].toUpperCase()))
  const kept = lines.join('\r\n')
  if (kept.length > limits.timesChars || lines.some((line) => line.length > limits.propertyChars)) return undefined
  try {
    const parsed = ICAL.parse(kept) as unknown as unknown[]
    const all = typeof parsed[0] === 'string' ? [parsed] : parsed
    const calendars = all.map((each) => new ICAL.Component(each as never)).filter(({ name }) => name === 'vcalendar')
    return calendars.length > 0 ? calendars : undefined
  } catch {
    return undefined
  }
}

/** The values of a property as the text has them, in the notation of jCal. */
export function valuesOf(property: Property): readonly unknown[] {
  return (property.toJSON() as unknown as readonly unknown[]).slice(3)
}

export function propertiesOf(component: Component, ...names: string[]): Property[] {
  return names.flatMap((name) => component.getAllProperties(name))
}

/** The first value of a property, as a text. */
export function textOf(component: Component, name: string): string | undefined {
  const property = component.getFirstProperty(name)
  const [value] = property ? valuesOf(property) : []
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function parameterOf(property: Property, name: string): string | undefined {
  const value: unknown = property.getParameter(name)
  return typeof value === 'string' ? value : undefined
}
