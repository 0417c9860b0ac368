/** An event as an iCalendar file (RFC 5545), made in the page: moments in UTC, so every calendar shows the same instant. */
import type { Event, Place } from '../../../core/amf/values.js'

const foldOctets = 75

/** `uid` is the same whenever the same event is saved, so that a calendar does not keep it twice. */
export function calendarFile(event: Event, uid: string, now: Date): string {
  const { title, start, end, description, place } = event
  const location = place && [place.label, place.address].filter(Boolean).join(', ')
  const properties: readonly (readonly [name: string, value: string | undefined])[] = [
    ['BEGIN', 'VCALENDAR'],
    ['VERSION', '2.0'],
    ['PRODID', '-//Parley//Web chat//EN'],
    ['BEGIN', 'VEVENT'],
    ['UID', escaped(uid)],
    ['DTSTAMP', stamp(now)],
    ['DTSTART', stamp(new Date(start.iso))],
    ['DTEND', stamp(new Date(end.iso))],
    ['SUMMARY', escaped(title)],
    ['DESCRIPTION', description && escaped(description)],
    ['LOCATION', location && escaped(location)],
    ['GEO', geo(place)],
    ['END', 'VEVENT'],
    ['END', 'VCALENDAR'],
  ]
  return properties
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${folded(`${name}:${value}`)}\r\n`)
    .join('')
}

/** Characters that mean something in a text value; other controls have no place in one. */
export function escaped(text: string): string {
  return (
    text
      .replace(/\r\n?/g, '\n')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a text value must not have
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '')
      .replace(/[\\;,]/g, '\\$&')
      .replace(/\n/g, '\\n')
  )
}

/** No line has more than 75 octets; one that goes on begins with a space. Characters are never divided. */
export function folded(line: string): string {
  let octets = 0
  let done = ''
  for (const character of line) {
    const size = octetsOf(character)
    if (octets + size > foldOctets) {
      done += '\r\n '
      octets = 1
    }
    done += character
    octets += size
  }
  return done
}

function octetsOf(character: string): number {
  const code = character.codePointAt(0)!
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
}

function stamp(moment: Date): string {
  return moment.toISOString().replace(/[-:]|\.\d+/g, '')
}

function geo(place: Place | undefined): string | undefined {
  const { latitude, longitude } = place ?? {}
  return latitude === undefined || longitude === undefined ? undefined : `${latitude};${longitude}`
}
