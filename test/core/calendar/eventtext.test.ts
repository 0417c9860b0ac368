/** Texts of events that we write: they say what they should whatever people wrote, and keep what calendars added. */
import fc from 'fast-check'
import ICAL from 'ical.js'
import t from 'tap'
import { busyIntervals } from '../../../core/calendar/busytimes.js'
import { eventText, moveEvent, type NewEvent } from '../../../core/calendar/eventtext.js'
import { day, minute } from '../../../core/durations.js'
import { calendar as limits } from '../../../core/limits/index.js'
import { calendarOf, eventOf, multistatusOf } from './texts.js'

const start = Date.parse('2026-03-04T15:00:00Z')
const event: NewEvent = {
  ...{ uid: 'parley-1', title: 'Visit', start, durationMinutes: 45, sequence: 0, changeId: 'abc', at: start - day },
}

const read = (text: string) => ICAL.Component.fromString(text).getAllSubcomponents('vevent')
const textIn = (text: string, name: string) => String(read(text)[0]!.getFirstPropertyValue(name))
const busyOf = (text: string) =>
  busyIntervals({ xml: multistatusOf(text), from: start - day, to: start + day, bufferMinutes: 0, zone: 'UTC' })!.busy

t.test('An event has its times in UTC, its UID and the number of its changes', async (t) => {
  t.same(eventText(event).split('\r\n'), [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Parley//Appointments//EN', 'BEGIN:VEVENT', 'UID:parley-1'],
    ...['SUMMARY:Visit', 'DTSTAMP:20260303T150000Z', 'DTSTART:20260304T150000Z', 'DTEND:20260304T154500Z'],
    ...['SEQUENCE:0', 'X-PARLEY-CHANGE:abc', 'END:VEVENT', 'END:VCALENDAR', ''],
  ])
})

t.test('For any title and notes the text is one event with exactly these times', async (t) => {
  const words = fc.array(
    fc.constantFrom(
      '\r\n',
      '\n',
      '\r',
      'BEGIN:VEVENT',
      'END:VEVENT',
      ';',
      ',',
      ':',
      '\\',
      ' ',
      'ü',
      '😀',
      '\u2028',
      '\0',
      '\ud800',
      'DTSTART:20200101',
    ),
  )
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    words.map((each) => each.join('')),
  )
  const property = fc.property(text, text, text, (title, notes, other) => {
    const more = { notes, attendeeEmail: other, organizerEmail: other, representativeId: other }
    const written = eventText({ ...event, title, ...more })
    const lines = written.split('\r\n')
    const isPlain = (line: string) =>
      Buffer.byteLength(line) <= 76 && !/[\p{Cc}\p{Surrogate}]/u.test(line.replaceAll('\t', ''))
    const [only, ...rest] = read(written)
    return (
      lines.every(isPlain) &&
      rest.length === 0 &&
      only!.getAllProperties('dtstart').length === 1 &&
      JSON.stringify(busyOf(written).map((each) => [each.from, each.to])) ===
        JSON.stringify([[start, start + 45 * minute]])
    )
  })
  fc.assert(property, { numRuns: 200 })
  t.equal(textIn(eventText({ ...event, title: 'A; B, C\\D\nE' }), 'summary'), 'A; B, C\\D\nE')
  t.equal(textIn(eventText({ ...event, title: '😀'.repeat(300) }), 'summary'), '😀'.repeat(limits.titleChars))
})

t.test('Only a mail address is invited, and only by a mail address', async (t) => {
  const names = (more: object) => {
    const all = read(eventText({ ...event, ...more }))[0]!.getAllProperties()
    return all.map(({ name }) => name).filter((name) => name === 'attendee' || name === 'organizer')
  }
  const [attendeeEmail, organizerEmail] = ['bea@example.org', 'ada@example.org']
  t.same(names({ attendeeEmail, organizerEmail }), ['organizer', 'attendee'])
  t.same(names({ attendeeEmail, organizerEmail: 'ada' }), ['attendee'])
  t.same(names({ organizerEmail }), [])
  for (const bad of ['bea', 'a@b\r\nX:1', '<a@b.org>', 'a b@c.org', 'a@b@c.org', ''])
    t.same(names({ attendeeEmail: bad, organizerEmail }), [], bad)
})

const times = { start: start + day, durationMinutes: 30, changeId: 'def', at: start }

t.test('A moved event keeps all but its times', async (t) => {
  const text = calendarOf(
    ...['BEGIN:VTIMEZONE', 'TZID:Here', 'END:VTIMEZONE', 'BEGIN:VEVENT', 'UID:parley-1', 'SEQUENCE:4'],
    ...[
      'DTSTART;TZID=Here:20260304T150000',
      'DURATION:PT2H',
      'LOCATION:Main St',
      'X-COLOUR;A=b:red, green',
      'STATUS:TENTATIVE',
    ],
    ...['BEGIN:VALARM', 'TRIGGER:-PT5M', 'END:VALARM', 'END:VEVENT'],
  )
  const moved = moveEvent(text, times)!
  t.equal(moved.isRepeat, false)
  const lines = moved.text.split('\r\n')
  for (const line of ['LOCATION:Main St', 'X-COLOUR;A=b:red, green', 'STATUS:TENTATIVE', 'TRIGGER:-PT5M', 'SEQUENCE:5'])
    t.ok(lines.includes(line), line)
  t.same(
    lines.filter((line) => /^(DT|DURATION)/.test(line)),
    ['DTSTAMP:20260304T150000Z', 'DTSTART:20260305T150000Z', 'DTEND:20260305T153000Z'],
  )
  t.same(moveEvent(moved.text, times), { text: moved.text, isRepeat: true }, 'a repeat changes nothing')
  t.equal(moveEvent(moved.text, { ...times, changeId: 'ghi' })!.isRepeat, false)
})

t.test('A text that is no event, or too long, is not moved', async (t) => {
  const changed = eventOf('RECURRENCE-ID:20260304T150000Z', 'DTSTART:20260304T150000Z')
  const bad = ['', 'no', 'BEGIN:VCALENDAR', calendarOf(), calendarOf('BEGIN:VTODO', 'END:VTODO'), changed]
  for (const text of [...bad, eventOf(`X:${'a'.repeat(limits.movedEventChars)}`)])
    t.equal(moveEvent(text, times), undefined, text.slice(0, 60))
  const strange = moveEvent(eventOf('SEQUENCE:many', 'DTSTART:whenever'), times)
  t.match(strange?.text, 'SEQUENCE:1', 'times that cannot be read are replaced')
})
