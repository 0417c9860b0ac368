/** The representatives that an appointment may be with, and the choice among those who are free. */
import { day } from '../durations.js'
import { type Interval, isWithin, mergeIntervals, subtractIntervals } from '../interval.js'
import { scheduling as limits } from '../limits/index.js'
import type { Person } from '../people/person.js'
import { createLocalClock } from './localtime.js'
import { type BookingRules, createOpenTimes, type Representative, type Scheduling } from './windows.js'

/** A representative, or nobody in particular: then the appointment is with the agent's default identity. */
export interface Candidate {
  readonly representative?: Representative
  /** Times of their appointments, in order. */
  readonly bookings: readonly Interval[]
  /** Times that are taken in their calendar. */
  readonly busy?: readonly Interval[]
}

export interface CandidateRequest {
  readonly representativeId?: string
  readonly person?: Person
  /** Of the person; decides which representatives are considered when there are more than a search considers. */
  readonly asid: string
}

/**
 * The one that is asked for, else the one assigned to the person, else all, in their order. Undefined when the one that
 * is asked for does not exist.
 */
export function candidatesFor(
  { representatives }: Scheduling,
  { representativeId, person, asid }: CandidateRequest,
): readonly (Representative | undefined)[] | undefined {
  const byId = (id: string | undefined) => representatives.find((each) => each.id === id)
  const requested = byId(representativeId)
  if (representativeId !== undefined) return requested && [requested]
  const assigned = byId(person?.assignedRepresentativeId)
  if (assigned) return [assigned]
  if (representatives.length === 0) return [undefined]
  const { representativesPerSearch: most } = limits
  if (representatives.length <= most) return representatives
  const start = seedOf(asid) % representatives.length
  return [...representatives.slice(start), ...representatives.slice(0, start)].slice(0, most)
}

/** The same for the same text, and spread over all numbers for different texts. */
function seedOf(text: string): number {
  let seed = 0
  for (let at = 0; at < text.length; at++) seed = (Math.imul(seed, 31) + text.charCodeAt(at)) >>> 0
  return seed
}

/** The first of those with the fewest appointments on the day of that moment, in the agent's zone. */
export function createLeastBooked({ agentZone }: BookingRules, period: Interval) {
  const localTimeAt = createLocalClock(agentZone, period)
  const countsByCandidate = new Map<Candidate, ReadonlyMap<number, number>>()
  const dayAt = (at: number) => Math.floor(localTimeAt(at) / day)

  function countsOf(candidate: Candidate): ReadonlyMap<number, number> {
    const known = countsByCandidate.get(candidate)
    if (known) return known
    const counts = new Map<number, number>()
    for (const { from } of candidate.bookings) counts.set(dayAt(from), (counts.get(dayAt(from)) ?? 0) + 1)
    countsByCandidate.set(candidate, counts)
    return counts
  }

  return (candidates: readonly Candidate[], at: number): Candidate | undefined => {
    const localDay = dayAt(at)
    const countOf = (candidate: Candidate) => countsOf(candidate).get(localDay) ?? 0
    let best = candidates[0]
    for (const each of candidates) if (countOf(each) < countOf(best!)) best = each
    return best
  }
}

/** When a candidate can be booked: open, and not taken. */
export function freeIntervals(intervals: readonly Interval[], { bookings, busy = [] }: Candidate): Interval[] {
  return subtractIntervals(intervals, mergeIntervals([...bookings, ...busy]))
}

/**
 * With whom an appointment can be at that time: the preferred one if they are free, else the least booked. `closed`
 * when the time is in nobody's hours, `taken` when all who work then have an appointment.
 */
export function chooseFree(
  rules: BookingRules,
  candidates: readonly Candidate[],
  appointment: Interval,
  preferredId?: string,
): Candidate | 'closed' | 'taken' {
  const openTimesOf = createOpenTimes(rules, appointment)
  const open = candidates.filter(({ representative }) => isWithin(openTimesOf(representative).intervals, appointment))
  if (open.length === 0) return 'closed'
  const free = open.filter((each) => isWithin(freeIntervals([appointment], each), appointment))
  const preferred = free.find(({ representative }) => preferredId !== undefined && representative?.id === preferredId)
  return preferred ?? createLeastBooked(rules, appointment)(free, appointment.from) ?? 'taken'
}
