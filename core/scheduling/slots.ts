/** Free slots: the times that are offered for an appointment, and their ids. */
import { day, hour, minute } from '../durations.js'
import { type Interval, isWithin } from '../interval.js'
import { amf, scheduling as limits } from '../limits/index.js'
import type { Steps } from '../steps.js'
import { type Candidate, createLeastBooked, freeIntervals } from './candidates.js'
import type { Slot } from './contract.js'
import { createLocalClock, isoIn } from './localtime.js'
import { type BookingRules, createOpenTimes, type OpenTimes } from './windows.js'

export const partsOfDay = ['morning', 'afternoon', 'evening'] as const
export type PartOfDay = (typeof partsOfDay)[number]

export interface SlotSearch {
  readonly rules: BookingRules
  /** Slots begin within it. */
  readonly period: Interval
  readonly durationMinutes: number
  /** In the person's zone. */
  readonly partOfDay?: PartOfDay
  readonly candidates: readonly Candidate[]
}

/** Earliest first; one candidate per step. */
export function* findSlots({ rules, period, durationMinutes, partOfDay, candidates }: SlotSearch): Steps<Slot[]> {
  const durationMs = durationMinutes * minute
  const { personZone, scheduling } = rules
  const around = { from: period.from, to: period.to + durationMs }
  const openTimesOf = createOpenTimes(rules, around)
  const localTimeAt = createLocalClock(personZone, around)
  const freeByCandidate = new Map<Candidate, readonly Interval[]>()
  const starts = new Set<number>()
  for (const candidate of candidates) {
    const openTimes = openTimesOf(candidate.representative)
    const free = freeIntervals(openTimes.intervals, candidate)
    freeByCandidate.set(candidate, free)
    for (const start of startsIn(openTimes, free, durationMs)) if (start < period.to) starts.add(start)
    yield
  }
  const wanted = [...starts]
    .filter((start) => isInPart(partOfDay, localTimeAt(start)))
    .sort((one, other) => one - other)
  const leastBooked = createLeastBooked(rules, around)
  return spread(wanted, (start) => Math.floor(localTimeAt(start) / day)).map((start) => {
    const slot = { from: start, to: start + durationMs }
    const free = candidates.filter((each) => isWithin(freeByCandidate.get(each)!, slot))
    const { representative } = leastBooked(free, start)!
    const name = representative?.name ?? scheduling.defaultRepresentativeIdentity
    return {
      id: formatSlotId(start, representative?.id),
      startUtc: start,
      start: isoIn(personZone, start),
      durationMinutes,
      ...(representative && { representativeId: representative.id }),
      ...(name && { representativeName: name }),
    }
  })
}

/** Every free time, counted in steps of the grid from the start of each window. */
function* startsIn({ windows }: OpenTimes, free: readonly Interval[], durationMs: number): Generator<number> {
  const gridMs = Math.max(limits.gridMinMinutes * minute, Math.min(limits.gridMinutes * minute, durationMs))
  for (const { from, to, anchor } of windows) {
    const first = anchor + Math.ceil((from - anchor) / gridMs) * gridMs
    for (let start = first; start < to; start += gridMs) {
      if (isWithin(free, { from: start, to: start + durationMs })) yield start
    }
  }
}

const noon = 12 * hour
const eveningFrom = 17 * hour

function isInPart(part: PartOfDay | undefined, localTime: number): boolean {
  const time = localTime - Math.floor(localTime / day) * day
  if (part === 'morning') return time < noon
  if (part === 'afternoon') return time >= noon && time < eveningFrom
  return part === undefined || time >= eveningFrom
}

/**
 * As many of the times, which are in order, as are offered: a few of each day, spread over the day, and more of a day
 * only when there are too few days.
 */
function spread(times: readonly number[], dayOf: (time: number) => number): number[] {
  const days: { readonly times: number[]; share: number }[] = []
  let lastDay: number | undefined
  for (const time of times) {
    if (dayOf(time) !== lastDay) days.push({ times: [], share: 0 })
    lastDay = dayOf(time)
    days.at(-1)!.times.push(time)
  }
  let left: number = limits.offered
  const grow = (one: (typeof days)[number], most: number) => {
    const added = Math.min(most, one.times.length - one.share, left)
    one.share += added
    left -= added
    return added > 0
  }
  for (const one of days) grow(one, limits.offeredPerDay)
  for (let hasGrown = true; hasGrown && left > 0; ) hasGrown = days.map((one) => grow(one, 1)).some(Boolean)
  return days.flatMap(({ times: all, share }) =>
    Array.from({ length: share }, (_, index) => all[Math.floor((index * all.length) / share)]!),
  )
}

/** Start in minutes since 1970, and the representative; an id too long for a message is left out. */
export function formatSlotId(startUtc: number, representativeId?: string): string {
  const start = (startUtc / minute).toString(36)
  const id = representativeId === undefined ? start : `${start}.${representativeId}`
  return id.length <= amf.idChars ? id : start
}

/** Undefined for text that is no such id. */
export function parseSlotId(id: string): { readonly startUtc: number; readonly representativeId?: string } | undefined {
  const [, start, representativeId] = /^([0-9a-z]{1,9})(?:\.(.+))?$/.exec(id) ?? []
  if (start === undefined) return undefined
  return { startUtc: Number.parseInt(start, 36) * minute, ...(representativeId !== undefined && { representativeId }) }
}
