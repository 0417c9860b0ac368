/** Hours of the day in which conversations may be opened, in their own time zone, and the next time they open. */
import { LRUCache } from 'lru-cache'
import { hour, minute } from '../durations.js'
import { outreachSend as limits } from '../limits/index.js'

export interface Hours {
  /** The first hour that is open. */
  readonly startHour: number
  /** The first hour that is closed; before the start it is one of the next day. The same as the start: always open. */
  readonly endHour: number
  readonly timeZone: string
}

/** Every current time zone changes its clocks, and starts its hours, at a quarter of an hour of UTC. */
const searchStepMs = 15 * minute

const hourFormats = new LRUCache<string, Intl.DateTimeFormat>({ max: limits.cachedClocks })

export function hourIn(timeZone: string, at: number): number {
  let hourFormat = hourFormats.get(timeZone)
  if (!hourFormat) {
    hourFormat = new Intl.DateTimeFormat('en', { timeZone, hour: 'numeric', hourCycle: 'h23' })
    hourFormats.set(timeZone, hourFormat)
  }
  return Number(hourFormat.format(at))
}

export function isOpen({ startHour, endHour, timeZone }: Hours, at: number): boolean {
  if (startHour === endHour) return true
  const now = hourIn(timeZone, at)
  return startHour < endHour ? now >= startHour && now < endHour : now >= startHour || now < endHour
}

/** The first moment from `at` on at which all of them are open; undefined when there is none within days. */
export function nextOpenTime(windows: readonly Hours[], at: number): number | undefined {
  const areOpen = (candidate: number) => windows.every((each) => isOpen(each, candidate))
  if (areOpen(at)) return at
  const end = at + limits.openingWithinDays * 24 * hour
  for (let candidate = (Math.floor(at / searchStepMs) + 1) * searchStepMs; candidate <= end; candidate += searchStepMs)
    if (areOpen(candidate)) return candidate
  return undefined
}
