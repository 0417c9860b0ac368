/** Busy times of a calendar: what counts as taken, over changes of clocks, and whatever a calendar holds. */
import fc from 'fast-check'
import t from 'tap'
import { busyIntervals } from '../../../core/calendar/busytimes.js'
import { calendar as limits } from '../../../core/limits/index.js'
import { calendarOf, eventOf, multistatusOf } from './texts.js'

const from = Date.parse('2026-03-23T00:00:00Z')
const to = Date.parse('2026-04-06T00:00:00Z')
const window = { from, to, bufferMinutes: 0, zone: 'Europe/Berlin' }

function read(texts: string[], options: Partial<typeof window> = {}) {
  return busyIntervals({ xml: multistatusOf(...texts), ...window, ...options })!
}

function show({ busy }: ReturnType<typeof read>): string[] {
  return busy.map(({ from, to }) => [from, to].map((at) => new Date(at).toISOString().slice(0, 16)).join(' '))
}

const busyOf = (...texts: string[]) => show(read(texts))

t.test('Decision 21: an event takes its time, and the buffer before and after it', async (t) => {
  const text = eventOf('DTSTART:20260325T100000Z', 'DTEND:20260325T110000Z', 'SUMMARY:Fish & <chips>')
  t.same(busyOf(text), ['2026-03-25T10:00 2026-03-25T11:00'])
  t.same(show(read([text], { bufferMinutes: 15 })), ['2026-03-25T09:45 2026-03-25T11:15'])
  const late = eventOf('DTSTART:20260325T100000Z', 'DURATION:PT90M')
  t.same(busyOf(late), ['2026-03-25T10:00 2026-03-25T11:30'])
  t.same(busyOf(text, late), ['2026-03-25T10:00 2026-03-25T11:30'], 'events that overlap are one')
  t.same(busyOf(eventOf('DTSTART:20260325T100000Z')), [], 'an event without an end takes no time')
})

t.test('An event at the edge of the window counts as far as it is in the window', async (t) => {
  t.same(busyOf(eventOf('DTSTART:20260322T230000Z', 'DTEND:20260323T010000Z')), ['2026-03-23T00:00 2026-03-23T01:00'])
  t.same(busyOf(eventOf('DTSTART:20260406T000000Z', 'DTEND:20260406T010000Z')), [])
  const outside = eventOf('DTSTART:20260322T220000Z', 'DTEND:20260322T235000Z')
  t.same(busyOf(outside), [])
  t.same(show(read([outside], { bufferMinutes: 30 })), ['2026-03-23T00:00 2026-03-23T00:20'])
})

t.test('An all-day event takes whole days in the zone of the calendar', async (t) => {
  const day = eventOf('DTSTART;VALUE=DATE:20260329', 'DTEND;VALUE=DATE:20260330')
  t.same(busyOf(day), ['2026-03-28T23:00 2026-03-29T22:00'], 'the day on which clocks change has 23 hours')
  t.same(show(read([day], { zone: 'America/New_York' })), ['2026-03-29T04:00 2026-03-30T04:00'])
  t.same(
    busyOf(eventOf('DTSTART;VALUE=DATE:20260401')),
    ['2026-03-31T22:00 2026-04-01T22:00'],
    'one day without an end',
  )
})

t.test('The zone that the calendar names replaces the one that is given', async (t) => {
  const xml = multistatusOf(eventOf('DTSTART;VALUE=DATE:20260401'))
  const definition = calendarOf('BEGIN:VTIMEZONE', 'TZID:/vendor.example/1/Asia/Tokyo', 'END:VTIMEZONE')
  const answerOf = (prop: string) =>
    `<multistatus xmlns="DAV:"><response><propstat><prop>${prop}</prop></propstat></response></multistatus>`
  const byDefinition = answerOf(`<C:calendar-timezone xmlns:C="x"><![CDATA[${definition}]]></C:calendar-timezone>`)
  const result = busyIntervals({ xml, zoneXml: Buffer.from(byDefinition), ...window })!
  t.equal(result.zone, 'Asia/Tokyo')
  t.same(show(result), ['2026-03-31T15:00 2026-04-01T15:00'])
  const byName = answerOf('<calendar-timezone-id>America/New_York</calendar-timezone-id>')
  t.equal(busyIntervals({ xml, zoneXml: Buffer.from(byName), ...window })!.zone, 'America/New_York')
  for (const zoneXml of ['', 'no', answerOf(''), answerOf('<calendar-timezone-id>Mars/Base</calendar-timezone-id>')])
    t.equal(busyIntervals({ xml, zoneXml: Buffer.from(zoneXml), ...window })!.zone, 'Europe/Berlin', zoneXml)
})

t.test('A recurring event keeps its local time over a change of clocks', async (t) => {
  const weekly = eventOf(
    'DTSTART;TZID=Europe/Berlin:20200106T090000',
    'DTEND;TZID=Europe/Berlin:20200106T093000',
    'RRULE:FREQ=WEEKLY;BYDAY=MO',
  )
  t.same(busyOf(weekly), ['2026-03-23T08:00 2026-03-23T08:30', '2026-03-30T07:00 2026-03-30T07:30'])
})

t.test('A definition in the calendar says what a zone without a name of its own means', async (t) => {
  const part = (name: string, start: string, month: number, week: string, from: string, to: string) => [
    ...[`BEGIN:${name}`, `DTSTART:${start}`, `TZOFFSETFROM:${from}`, `TZOFFSETTO:${to}`],
    ...[`RRULE:FREQ=YEARLY;BYDAY=${week};BYMONTH=${month}`, `END:${name}`],
  ]
  const definition = [
    ...['BEGIN:VTIMEZONE', 'TZID:W. Europe Standard Time'],
    ...part('STANDARD', '16010101T030000', 10, '-1SU', '+0200', '+0100'),
    ...part('DAYLIGHT', '16010101T020000', 3, '-1SU', '+0100', '+0200'),
    'END:VTIMEZONE',
  ]
  const zone = ';TZID="W. Europe Standard Time"'
  const event = ['BEGIN:VEVENT', 'UID:a', `DTSTART${zone}:20260327T090000`, `DTEND${zone}:20260327T100000`]
  const daily = calendarOf(...definition, ...event, 'RRULE:FREQ=DAILY;COUNT=4', 'END:VEVENT')
  t.same(show(read([daily], { zone: 'Asia/Tokyo' })), [
    '2026-03-27T08:00 2026-03-27T09:00',
    '2026-03-28T08:00 2026-03-28T09:00',
    '2026-03-29T07:00 2026-03-29T08:00',
    '2026-03-30T07:00 2026-03-30T08:00',
  ])
  const unknown = eventOf('DTSTART;TZID=Nowhere:20260325T100000', 'DTEND;TZID=Nowhere:20260325T110000')
  t.same(busyOf(unknown), ['2026-03-25T09:00 2026-03-25T10:00'], 'without one, the zone of the calendar')
})

t.test('Exceptions, further dates and changed occurrences of a series', async (t) => {
  const berlin = ';TZID=Europe/Berlin'
  const series = (...lines: string[]) => [
    ...['BEGIN:VEVENT', 'UID:s', `DTSTART${berlin}:20260323T100000`, 'DURATION:PT1H', ...lines, 'END:VEVENT'],
  ]
  const rule = 'RRULE:FREQ=DAILY;UNTIL=20260326T090000Z'
  t.same(busyOf(calendarOf(...series(rule))).length, 4, 'the end is a moment, and the occurrence at it counts')
  t.same(busyOf(calendarOf(...series(rule, `EXDATE${berlin}:20260324T100000`, 'EXDATE:20260325T090000Z'))), [
    '2026-03-23T09:00 2026-03-23T10:00',
    '2026-03-26T09:00 2026-03-26T10:00',
  ])
  t.same(busyOf(calendarOf(...series(`RDATE${berlin}:20260401T100000`, 'RDATE;VALUE=PERIOD:20260402T080000Z/PT30M'))), [
    '2026-03-23T09:00 2026-03-23T10:00',
    '2026-04-01T08:00 2026-04-01T09:00',
    '2026-04-02T08:00 2026-04-02T08:30',
  ])
  const changed = (recurrence: string, ...lines: string[]) => [
    ...['BEGIN:VEVENT', 'UID:s', `RECURRENCE-ID${recurrence}`, ...lines, 'END:VEVENT'],
  ]
  const moved = changed(`${berlin}:20260324T100000`, 'DTSTART:20260324T150000Z', 'DTEND:20260324T160000Z')
  const cancelled = changed(':20260325T090000Z', 'DTSTART:20260325T090000Z', 'DURATION:PT1H', 'STATUS:CANCELLED')
  t.same(busyOf(calendarOf(...series(rule), ...moved, ...cancelled)), [
    '2026-03-23T09:00 2026-03-23T10:00',
    '2026-03-24T15:00 2026-03-24T16:00',
    '2026-03-26T09:00 2026-03-26T10:00',
  ])
  t.same(busyOf(calendarOf(...moved)), ['2026-03-24T15:00 2026-03-24T16:00'], 'invited to one occurrence alone')
})

t.test('Cancelled and transparent events do not count', async (t) => {
  const times = ['DTSTART:20260325T100000Z', 'DTEND:20260325T110000Z']
  t.same(busyOf(eventOf(...times, 'STATUS:CANCELLED')), [])
  t.same(busyOf(eventOf(...times, 'TRANSP:TRANSPARENT')), [])
  t.same(busyOf(eventOf(...times, 'STATUS:TENTATIVE', 'TRANSP:OPAQUE')).length, 1)
})

t.test('A VFREEBUSY counts but for its free times', async (t) => {
  const text = calendarOf(
    ...['BEGIN:VFREEBUSY', 'FREEBUSY:20260325T100000Z/PT1H,20260326T100000Z/20260326T120000Z'],
    ...['FREEBUSY;FBTYPE=FREE:20260327T100000Z/PT1H', 'FREEBUSY;FBTYPE=BUSY-TENTATIVE:20260328T100000Z/PT1H'],
    'END:VFREEBUSY',
  )
  t.same(busyOf(text), [
    '2026-03-25T10:00 2026-03-25T11:00',
    '2026-03-26T10:00 2026-03-26T12:00',
    '2026-03-28T10:00 2026-03-28T11:00',
  ])
})

t.test('An appointment of one representative is shown as theirs', async (t) => {
  const of = (id: string) =>
    eventOf(`X-PARLEY-REPRESENTATIVE:${id}`, 'DTSTART:20260325T100000Z', 'DTEND:20260325T110000Z')
  const { busy } = read([of('ada'), of('bob'), eventOf('DTSTART:20260326T100000Z', 'DTEND:20260326T110000Z')])
  t.same(busy.map(({ representativeId }) => representativeId).sort(), ['ada', 'bob', undefined])
})

t.test('An event that cannot be read is counted, and the others still take their time', async (t) => {
  const good = eventOf('DTSTART:20260325T100000Z', 'DTEND:20260325T110000Z')
  const bad = [
    'no calendar at all',
    'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n',
    eventOf('DTSTART:yesterday', 'DTEND:20260325T110000Z'),
    eventOf('DTSTART:20260230T100000Z', 'DTEND:20260325T110000Z'),
    eventOf('DTSTART:20260325T100000Z', 'DTEND:whenever'),
    eventOf('DTSTART:20260325T100000Z', 'DURATION:soon'),
    eventOf('SUMMARY:no times'),
    eventOf(`DTSTART:20260325T100000Z`, `EXDATE:${'20260325T100000Z,'.repeat(2_000)}`),
    eventOf('DTSTART:20260325T100000Z', ...Array(limits.timesChars / 16).fill('EXDATE:20260325T100000Z')),
  ]
  for (const text of bad) {
    const result = read([text, good])
    t.same(show(result), ['2026-03-25T10:00 2026-03-25T11:00'])
    t.equal(result.unreadable, 1, text.slice(0, 200))
  }
})

t.test('A long description does not hide an event', async (t) => {
  const html = `X-ALT-DESC;FMTTYPE=text/html:${'<p>Hello;a=b</p>'.repeat(20_000)}`
  t.same(busyOf(eventOf(html, 'DTSTART:20260325T100000Z', 'DTEND:20260325T110000Z')), [
    '2026-03-25T10:00 2026-03-25T11:00',
  ])
})

t.test('More busy times than are listed: the rest of the window is taken', async (t) => {
  const often = eventOf('DTSTART:20260323T000000Z', 'DURATION:PT5M', 'RRULE:FREQ=MINUTELY;INTERVAL=10')
  const { busy } = read([often])
  t.equal(busy.length, limits.intervals + 1)
  t.equal(busy.at(-1)!.to, to)
})

t.test('An answer that is no multistatus, or that the server cut short, is not read', async (t) => {
  const entities = Array.from({ length: 9 }, (_, nth) => `<!ENTITY l${nth + 1} "${`&l${nth};`.repeat(10)}">`).join('')
  const laughs = `<!DOCTYPE lolz [<!ENTITY l0 "lol">${entities}]>`
  const full = '<response><href>/c/</href><status>HTTP/1.1 507 Insufficient Storage</status></response>'
  const answers = [
    ...['', 'no', '<html><body>Sign in</body></html>', '<multistatus', '{"a":1}', '<multistatus>text</multistatus>'],
    `<?xml version="1.0"?>${laughs}<multistatus>&l9;</multistatus>`,
    `<?xml version="1.0"?><!DOCTYPE x SYSTEM "file:///etc/passwd"><multistatus/>`,
    `<multistatus>${full}</multistatus>`,
    `<multistatus>${'<a>'.repeat(1_000)}`,
    `<multistatus>${'x'.repeat(10_000_000)}</multistatus>`,
  ]
  for (const xml of answers) t.equal(busyIntervals({ xml: Buffer.from(xml), ...window }), undefined, xml.slice(0, 100))
  for (const xml of ['<multistatus/>', '<d:multistatus xmlns:d="DAV:">\n</d:multistatus>'])
    t.same(busyIntervals({ xml: Buffer.from(xml), ...window })!.busy, [])
  t.same(busyOf(), [], 'an empty calendar is free')
})

t.test('Resources without the data of a calendar are passed over', async (t) => {
  const broken =
    '<response><propstat><prop><calendar-data/></prop><status>HTTP/1.1 404 Not Found</status></propstat></response>'
  const xml = Buffer.from(`<multistatus>${broken}<response/><response>x</response></multistatus>`)
  t.same(busyIntervals({ xml, ...window }), {
    ...{ busy: [], zone: 'Europe/Berlin', unreadable: 0 },
  })
})

t.test('Whatever a calendar holds, its busy times are in the window, in order and without overlaps', async (t) => {
  const moment = fc.constantFrom(
    ...['20260325T100000Z', '20260325T100000', '20260329', '99991231T235959Z', '00010101', '20260325T992599'],
    ...['', 'x', '20260325T100000Z/PT1H', '20260325T100000Z/-PT1H', 'P1D', '-P9W', 'P999999999W', 'PT', '-1', '0'],
  )
  const zone = fc.constantFrom(
    '',
    '',
    ';TZID=Europe/Berlin',
    ';TZID=Here',
    ';TZID=/a/b',
    ';VALUE=DATE',
    ';VALUE=PERIOD',
  )
  const name = fc.constantFrom('DTSTART', 'DTEND', 'DURATION', 'EXDATE', 'RDATE', 'RECURRENCE-ID', 'FREEBUSY')
  const dated = fc.tuple(name, zone, moment).map(([name, zone, value]) => `${name}${zone}:${value}`)
  const other = fc.constantFrom(
    ...[
      'RRULE:FREQ=DAILY',
      'RRULE:FREQ=DAILY;COUNT=-1',
      'RRULE:FREQ=WEEKLY;UNTIL=x',
      'RRULE:',
      'RRULE:FREQ=DAILY;BYDAY=9MO',
    ],
    ...[
      'RRULE:FREQ=MONTHLY;BYMONTHDAY=31;UNTIL=20260401',
      'BEGIN:VEVENT',
      'END:VEVENT',
      'BEGIN:VFREEBUSY',
      'END:VFREEBUSY',
    ],
    ...['BEGIN:VTIMEZONE', 'TZID:Here', 'BEGIN:STANDARD', 'TZOFFSETFROM:+0100', 'TZOFFSETTO:+0200', 'TZOFFSETTO:x'],
    ...[
      'END:STANDARD',
      'END:VTIMEZONE',
      'UID:one',
      'UID:two',
      'STATUS:',
      'TRANSP',
      'X-PARLEY-REPRESENTATIVE:a',
      ':',
      '',
    ],
  )
  const lines = fc.array(fc.oneof(dated, dated, other), { maxLength: 25 })
  const property = fc.property(lines, fc.boolean(), (all, isWhole) => {
    const texts = [calendarOf(...all), eventOf('DTSTART:20260324T100000Z', ...all)]
    const { busy } = read(texts, { bufferMinutes: isWhole ? 0 : 30 })
    return busy.every((one, nth) => {
      const others = busy.slice(0, nth).filter((each) => each.representativeId === one.representativeId)
      const isInWindow = one.from < one.to && one.from >= from && one.to <= to
      return isInWindow && others.every((each) => each.to < one.from)
    })
  })
  fc.assert(property, { numRuns: 2_000 })
  t.pass()
})
