/** An event as an iCalendar file (RFC 5545). Times are in UTC, so that every calendar shows the same instant. */
import type { Event, Place } from '../../../core/amf/values.js'
import { escapeText, propertyLines } from './textfile.js'

/** `uid` is stable for an event, so that a calendar does not save it twice. */
export function calendarFile(event: Event, uid: string, now: Date): string {
  const { title, start, end, description, place } = event
  const location = place && [place.label, place.address].filter(Boolean).join(', ')
  return propertyLines([
    ['BEGIN', 'VCALENDAR'],
    ['VERSION', '2.0'],
    ['PRODID', '-//Parley//Web chat//EN'],
    ['BEGIN', 'VEVENT'],
    ['UID', escapeText(uid)],
    ['DTSTAMP', utcStamp(now)],
    ['DTSTART', utcStamp(new Date(start.iso))],
    ['DTEND', utcStamp(new Date(end.iso))],
    ['SUMMARY', escapeText(title)],
    ['DESCRIPTION', description && escapeText(description)],
    ['LOCATION', location && escapeText(location)],
    ['GEO', geo(place)],
    ['END', 'VEVENT'],
    ['END', 'VCALENDAR'],
  ])
}

function utcStamp(moment: Date): string {
  return moment.toISOString().replace(/[-:]|\.\d+/g, '')
}

function geo(place: Place | undefined): string | undefined {
  const { latitude, longitude } = place ?? {}
  return latitude === undefined || longitude === undefined ? undefined : `${latitude};${longitude}`
}
