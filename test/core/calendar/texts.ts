/** Calendar texts for tests: events by their lines, and the multistatus in which a server answers them. */

export function calendarOf(...lines: string[]): string {
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//EN', ...lines, 'END:VCALENDAR', ''].join('\r\n')
}

export function eventOf(...lines: string[]): string {
  return calendarOf('BEGIN:VEVENT', 'UID:one', 'DTSTAMP:20260101T000000Z', ...lines, 'END:VEVENT')
}

const escaped: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' }

export function multistatusOf(...texts: string[]): Buffer {
  const responses = texts.map((text, nth) => {
    const data = text.replace(/[&<>\r]/g, (character) => escaped[character]!)
    const prop = `<d:getetag>"${nth}"</d:getetag><cal:calendar-data>${data}</cal:calendar-data>`
    const status = '<d:status>HTTP/1.1 200 OK</d:status>'
    return `<d:response><d:href>/c/${nth}.ics</d:href><d:propstat><d:prop>${prop}</d:prop>${status}</d:propstat></d:response>`
  })
  const namespaces = 'xmlns:d="DAV:" xmlns:cal="urn:ietf:params:xml:ns:caldav"'
  const xml = `<?xml version="1.0" encoding="utf-8"?>\n<d:multistatus ${namespaces}>${responses.join('\n')}</d:multistatus>`
  return Buffer.from(xml)
}
