/** The arguments of the scheduling tools, and the sentences for arguments and times that are refused. */
import { day, minute } from '../durations.js'
import type { Interval } from '../interval.js'
import { scheduling as limits } from '../limits/index.js'
import { boundsOfDay, localDayAt, parseDay, parseMoment } from './localtime.js'
import { type PartOfDay, partsOfDay } from './slots.js'
import { type BookingRules, earliestStart, latestEnd, type Scheduling } from './windows.js'

/** Why something is refused: one English sentence. */
export interface Refused {
  readonly refusal: string
}

export function isRefused(value: object): value is Refused {
  return 'refusal' in value
}

type Arguments = Readonly<Record<string, unknown>>

export const reasons = {
  notSetUp: 'Appointments are not set up for this agent.',
  noPersona: 'The persona of this conversation was reset or removed.',
  noStart: 'The start must be a date and time with its offset, on a full minute.',
  duration: `The duration must be 1 to ${limits.durationMaxMinutes} minutes.`,
  day: 'A day must be written as YYYY-MM-DD.',
  past: 'That time is in the past.',
  sameDay: 'Appointments cannot be made for the same day.',
  tooFar: `Appointments can be made at most ${limits.bookingWithinDays} days ahead.`,
  closed: 'That time is outside the available hours.',
  taken: 'That time is taken.',
  noRepresentative: 'There is no such representative.',
  noAppointment: 'There is no such appointment.',
  noneAhead: 'The person has no appointment ahead.',
  over: 'That appointment has begun or is over.',
  cancelled: 'That appointment is cancelled already.',
  tooMany: `A person can have at most ${limits.upcomingPerPerson} appointments ahead.`,
  tooManyChanges: 'That appointment was changed too often.',
} as const

export interface BookingRequest {
  readonly start: number
  readonly durationMinutes?: number
  readonly representativeId?: string
  readonly notes?: string
  readonly reason?: string
  readonly appointmentId?: string
}

/** The arguments of `scheduling.book` and `scheduling.reschedule`. */
export function readBooking(input: Arguments): BookingRequest | Refused {
  const start = parseMoment(textOf(input.start) ?? '')
  if (start === undefined || start % minute !== 0) return { refusal: reasons.noStart }
  const durationMinutes = readDuration(input.durationMinutes)
  if (durationMinutes === null) return { refusal: reasons.duration }
  return {
    start,
    ...(durationMinutes !== undefined && { durationMinutes }),
    ...textMembers({ representativeId: input.representativeId, appointmentId: input.appointmentId }),
    ...textMembers({ notes: input.notes }, limits.notesChars),
    ...textMembers({ reason: input.reason }, limits.reasonChars),
  }
}

/** The arguments of `scheduling.cancel`. */
export function readCancellation(input: Arguments): Pick<BookingRequest, 'appointmentId' | 'reason'> {
  return {
    ...textMembers({ appointmentId: input.appointmentId }),
    ...textMembers({ reason: input.reason }, limits.reasonChars),
  }
}

export interface AvailabilityRequest {
  readonly period: Interval
  readonly durationMinutes: number
  readonly partOfDay?: PartOfDay
  readonly representativeId?: string
}

/** The arguments of `scheduling.availability`; the period is empty when it has no time that could be booked. */
export function readAvailability(input: Arguments, rules: BookingRules): AvailabilityRequest | Refused {
  const { scheduling, personZone, now } = rules
  const [from, to] = [input.from, input.to].map((value) =>
    value === undefined ? undefined : parseDay(textOf(value) ?? ''),
  )
  const isMisspelt = (value: unknown, localDay: number | undefined) => value !== undefined && localDay === undefined
  if (isMisspelt(input.from, from) || isMisspelt(input.to, to)) return { refusal: reasons.day }
  const duration = readDuration(input.durationMinutes)
  if (duration === null) return { refusal: reasons.duration }
  const today = localDayAt(personZone, now)
  const first = Math.max(today, from ?? today)
  const last = Math.min(to ?? Infinity, first + limits.withinDays - 1)
  const partOfDay = partsOfDay.find((part) => part === input.partOfDay)
  return {
    period: periodOf(rules, first, last),
    durationMinutes: duration ?? durationOf(scheduling),
    ...(partOfDay && { partOfDay }),
    ...textMembers({ representativeId: input.representativeId }),
  }
}

function periodOf(rules: BookingRules, first: number, last: number): Interval {
  const { personZone, now } = rules
  const nothing = { from: now, to: now }
  if (last < first || first > localDayAt(personZone, latestEnd(rules))) return nothing
  const from = boundsOfDay(personZone, first)?.from ?? now
  const to = boundsOfDay(personZone, last)?.to ?? from + (last - first + 1) * day
  return { from: Math.max(from, now), to: Math.max(to, now) }
}

export function durationOf({ defaultDurationMinutes }: Scheduling): number {
  return defaultDurationMinutes ?? limits.defaultDurationMinutes
}

/** Why an appointment cannot be at that time with any representative. */
export function refusalOfTime(rules: BookingRules, { from, to }: Interval): Refused | undefined {
  if (from < rules.now) return { refusal: reasons.past }
  if (from < earliestStart(rules)) return { refusal: reasons.sameDay }
  return to > latestEnd(rules) ? { refusal: reasons.tooFar } : undefined
}

/** Null for a duration that is none. */
function readDuration(value: unknown): number | undefined | null {
  if (value === undefined) return undefined
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= limits.durationMaxMinutes
    ? Number(value)
    : null
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

/** Those of the members that are text, cut to a bound. */
function textMembers<N extends string>(
  members: Readonly<Record<N, unknown>>,
  maxChars = Infinity,
): { [K in N]?: string } {
  const entries = Object.entries(members).flatMap(([name, value]) => {
    const text = textOf(value)
    return text === undefined ? [] : [[name, text.slice(0, maxChars)] as const]
  })
  return Object.fromEntries(entries) as { [K in N]?: string }
}
