/** Moments as messages write them: ISO-8601 with an offset, of a day that exists, in a zone that exists. */
import { LRUCache } from 'lru-cache'
import { amf as limits } from '../limits.js'
import { isTimeZone } from '../zones.js'

export interface ReadMoment {
  /** Milliseconds since 1970. */
  readonly at: number
  /** Minutes east of Greenwich. Absent for `Z`, which tells the instant and leaves the local time open. */
  readonly offsetMinutes?: number
}

const iso = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:Z|([+-])(\d{2}):(\d{2}))$/
const mostOffsetMinutes = 14 * 60

/** A sentence when it is no moment. */
export function readMoment(text: string): ReadMoment | string {
  const found = iso.exec(text)
  if (!found) {
    return 'must be a date and time of ISO-8601 with its offset, such as 2030-05-17T14:30:00+02:00'
  }
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map((digits) => Number(digits ?? 0)) as Six
  if (month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) return 'must be a day that exists'
  if (hour > 23 || minute > 59 || second > 59) return 'must be a time of day that exists'
  const at = Date.parse(text)
  if (found[7] === undefined) return { at }
  const offset = Number(found[8]) * 60 + Number(found[9])
  if (Number(found[9]) > 59 || offset > mostOffsetMinutes) return 'must have an offset that exists'
  return { at, offsetMinutes: found[7] === '-' ? -offset : offset }
}

type Six = [number, number, number, number, number, number]

function daysOf(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

const knownZones = new LRUCache<string, true>({ max: limits.zonesRemembered })

export function isZone(name: string): boolean {
  if (knownZones.get(name)) return true
  if (!isTimeZone(name)) return false
  // Zones are found whatever the case of their letters, so the spellings of one are many.
  knownZones.set(name, true)
  return true
}
