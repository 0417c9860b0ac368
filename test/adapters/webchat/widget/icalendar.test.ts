/** Calendar files as RFC 5545 asks for them. */
import fc from 'fast-check'
import t from 'tap'
import { calendarFile } from '../../../../adapters/webchat/widget/icalendar.js'
import { escapeText, foldLine } from '../../../../adapters/webchat/widget/textfile.js'

const now = new Date('2026-03-01T12:00:00Z')
const event = {
  title: 'Dinner; for two, at "Harbor"',
  start: { iso: '2026-03-29T19:30:00+02:00', tz: 'Europe/Berlin' },
  end: { iso: '2026-03-29T21:00:00+02:00', tz: 'Europe/Berlin' },
  description: 'First line\nsecond \\ line',
  place: { label: 'Harbor', address: 'Quay 1, Berlin', latitude: 52.5, longitude: 13.4 },
}

const unfold = (text: string) => text.replace(/\r\n[ \t]/g, '')
const asWritten = (text: string) =>
  text.replace(/\\(n|N|[\\;,])/g, (_, character) => (/n/i.test(character) ? '\n' : character))

t.test('An event is written in UTC, with every text escaped', async (t) => {
  t.same(unfold(calendarFile(event, 'm1-0@parley', now)).split('\r\n'), [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Parley//Web chat//EN',
    'BEGIN:VEVENT',
    'UID:m1-0@parley',
    'DTSTAMP:20260301T120000Z',
    'DTSTART:20260329T173000Z',
    'DTEND:20260329T190000Z',
    'SUMMARY:Dinner\\; for two\\, at "Harbor"',
    'DESCRIPTION:First line\\nsecond \\\\ line',
    'LOCATION:Harbor\\, Quay 1\\, Berlin',
    'GEO:52.5;13.4',
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ])
})

t.test('No line has more than 75 octets, and folding loses nothing', async (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (text) => {
      const line = text.replace(/[\r\n]/g, '')
      const lines = foldLine(line).split('\r\n')
      t.ok(lines.every((each) => Buffer.byteLength(each) <= 75))
      t.ok(lines.slice(1).every((each) => each.startsWith(' ')))
      t.equal(unfold(foldLine(line)), line)
    }),
  )
})

t.test('What was escaped reads as it was written', async (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they have no place in a calendar file
      const written = text.replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '')
      t.equal(asWritten(escapeText(text)), written)
      t.notMatch(escapeText(text), /[\r\n]/, 'no text begins a property of its own')
    }),
  )
})
