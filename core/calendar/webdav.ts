/** Bodies of WebDAV and CalDAV requests, and what their answers say. */
import { XMLParser } from 'fast-xml-parser'
import { isRecord } from '../json.js'
import { calendar as limits } from '../limits/index.js'

const namespaces = 'xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"'
const xmlHead = '<?xml version="1.0" encoding="utf-8"?>\n'

/** Asks for all events that have an occurrence in the window. */
export function reportBody(from: number, to: number): string {
  return (
    `${xmlHead}<C:calendar-query ${namespaces}><D:prop><C:calendar-data/></D:prop><C:filter>` +
    `<C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT">` +
    `<C:time-range start="${stampOf(from)}" end="${stampOf(to)}"/>` +
    `</C:comp-filter></C:comp-filter></C:filter></C:calendar-query>`
  )
}

/** Asks for the time zone of a calendar. */
export const zoneRequestBody =
  `${xmlHead}<D:propfind ${namespaces}><D:prop>` +
  `<C:calendar-timezone/><C:calendar-timezone-id/></D:prop></D:propfind>`

function stampOf(at: number): string {
  return new Date(at).toISOString().replace(/[-:]|\.\d+/g, '')
}

const listNames = new Set(['response', 'propstat'])

const xmlParser = new XMLParser({
  ignoreAttributes: true,
  removeNSPrefix: true,
  parseTagValue: false,
  trimValues: false,
  isArray: (name) => listNames.has(name),
  // Numeric references stand in the answers of many servers; an answer that declares entities is not read at all.
  htmlEntities: true,
  processEntities: { enabled: true, maxEntityCount: 1, maxEntitySize: 1, maxExpandedLength: limits.answerBytes },
})

type Properties = Readonly<Record<string, unknown>>

/** The properties of each resource; undefined for a text that is no multistatus, or that the server cut short. */
function readResources(xml: string): Properties[] | undefined {
  const prolog = xml.slice(0, Math.max(0, xml.search(/<[A-Za-z_]/)))
  if (xml.length > limits.answerBytes || /<!/.test(prolog.replace(/<!--/g, ''))) return undefined
  let root: unknown
  try {
    root = (xmlParser.parse(xml) as Properties).multistatus
  } catch {
    return undefined
  }
  // An empty element is a text.
  if (typeof root === 'string') return root.trim() === '' ? [] : undefined
  if (!isRecord(root)) return undefined
  const resources: Properties[] = []
  for (const response of listOf(root.response)) {
    if (statusOf(response.status) === insufficientStorage) return undefined
    for (const { status, prop } of listOf(response.propstat))
      if (isRecord(prop) && (statusOf(status) ?? 200) === 200) resources.push(prop)
  }
  return resources
}

/** The status by which a server says that there are more matches than it lists. */
const insufficientStorage = 507

function statusOf(line: unknown): number | undefined {
  const status = typeof line === 'string' ? /^\s*HTTP\/\S+ (\d{3})/.exec(line)?.[1] : undefined
  return status === undefined ? undefined : Number(status)
}

function listOf(value: unknown): Properties[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

/** The iCalendar text of each resource; undefined for an answer that cannot be read. */
export function readCalendarData(xml: string): string[] | undefined {
  return readResources(xml)?.flatMap((resource) => textOf(resource['calendar-data']) ?? [])
}

/** What the calendar says of its time zone: a name, and the text of a definition. */
export function readZoneProperties(xml: string): { readonly id?: string; readonly definition?: string } {
  const [resource = {}] = readResources(xml) ?? []
  const [id, definition] = [textOf(resource['calendar-timezone-id']), textOf(resource['calendar-timezone'])]
  return { ...(id !== undefined && { id }), ...(definition !== undefined && { definition }) }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}
