/** Moments in messages: ISO 8601 with an offset, a date that exists, and a time zone that exists. */
import { LRUCache } from 'lru-cache'
import { amf as limits } from '../limits/index.js'
import { isTimeZone } from '../zones.js'

export interface ParsedMoment {
  /** Milliseconds since 1970. */
  readonly at: number
  /** Minutes east of Greenwich. Absent for `Z`, which gives the instant and no local time. */
  readonly offsetMinutes?: number
}

const iso = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:Z|([+-])(\d{2}):(\d{2}))$/
const maxOffsetMinutes = 14 * 60

/** Returns the fault as a sentence when the text is no moment. */
export function parseMoment(text: string): ParsedMoment | string {
  const match = iso.exec(text)
  if (!match) {
    return 'must be a date and time of ISO-8601 with its offset, such as 2030-05-17T14:30:00+02:00'
  }
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((digits) => Number(digits ?? 0)) as MomentParts
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return 'must be a day that exists'
  if (hour > 23 || minute > 59 || second > 59) return 'must be a time of day that exists'
  const at = Date.parse(text)
  if (match[7] === undefined) return { at }
  const offset = Number(match[8]) * 60 + Number(match[9])
  if (Number(match[9]) > 59 || offset > maxOffsetMinutes) return 'must have an offset that exists'
  return { at, offsetMinutes: match[7] === '-' ? -offset : offset }
}

type MomentParts = [number, number, number, number, number, number]

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

const zoneCache = new LRUCache<string, true>({ max: limits.cachedZones })

export function isZone(name: string): boolean {
  if (zoneCache.get(name)) return true
  if (!isTimeZone(name)) return false
  // Cached by spelling: zone names are valid in any case of their letters.
  zoneCache.set(name, true)
  return true
}
