/**
 * The time zone of a moment that AML gives with an offset alone. A reader must see the local time that was written: the
 * zone of the conversation is used if it has that offset at that moment, otherwise a zone that has. `Z` gives an
 * instant without a local time, so it is read in the zone of the conversation.
 */
import { LRUCache } from 'lru-cache'
import { isZone, type ParsedMoment } from '../amf/moments.js'
import { aml as limits } from '../limits/index.js'

/** Zones with offsets that are not whole hours. The first that fits the moment is used. */
const partialHourZones = [
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Asia/Kabul',
  'Asia/Tehran',
  'Asia/Yangon',
  'Australia/Darwin',
  'Australia/Adelaide',
  'Australia/Eucla',
  'Australia/Lord_Howe',
  'America/St_Johns',
  'Pacific/Chatham',
  'Pacific/Marquesas',
]

/** Undefined when no zone has the offset at that moment. */
export function zoneOf({ at, offsetMinutes }: ParsedMoment, preferred: string): string | undefined {
  const preferredZone = isZone(preferred) ? preferred : 'UTC'
  if (offsetMinutes === undefined || offsetOf(preferredZone, at) === offsetMinutes) return preferredZone
  if (offsetMinutes === 0) return 'UTC'
  if (offsetMinutes % 60 !== 0) return partialHourZones.find((zone) => offsetOf(zone, at) === offsetMinutes)
  const hours = offsetMinutes / 60
  // The signs of these names are inverted: east of Greenwich is minus.
  const fixed = hours > 0 ? `Etc/GMT-${hours}` : `Etc/GMT+${-hours}`
  return isZone(fixed) ? fixed : undefined
}

const formatCache = new LRUCache<string, Intl.DateTimeFormat>({ max: limits.cachedZoneFormats })

/** Minutes east of Greenwich. */
export function offsetOf(zone: string, at: number): number {
  let format = formatCache.get(zone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
    formatCache.set(zone, format)
  }
  const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign, hours, minutes] = /^GMT([+-])(\d{2}):(\d{2})/.exec(name) ?? []
  if (sign === undefined) return 0
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}
