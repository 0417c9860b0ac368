/**
 * Tables of the times that are taken, in the agent's shard. No two bookings of one representative overlap: a command
 * checks it, and the shard decides one command at a time.
 */
import type { AgentScope, ScopedKey } from '../../core/agent/scope.js'
import { day, minute } from '../../core/durations.js'
import type { Interval } from '../../core/interval.js'
import { scheduling as limits } from '../../core/limits/index.js'
import type { Appointment } from '../../core/people/appointment.js'
import { intervalOf } from '../../core/scheduling/appointment.js'
import type { Tx } from '../../runtime/shard/contract.js'
import { type Key, type Reader, type Table, table } from '../../runtime/store/contract.js'

/** Bookings of personas block each other, and nobody else. */
export type Partition = 'live' | 'sandbox'

export interface Schedule {
  readonly scope: AgentScope
  readonly partition: Partition
}

const week = 7 * day

/**
 * The bookings of one representative that start in one week, counted from 1970: a search reads few rows. Start, in
 * minutes of the week, and duration alternate, in order of time. An empty representative stands for the agent itself.
 */
export const bookingTable = table<
  ScopedKey<[partition: Partition, representativeId: string, week: number]>,
  readonly number[]
>('scheduling.bookings')
/** The appointment of each booking, in the order in which they end. */
export const endTable = table<
  ScopedKey<[endsAt: number, partition: Partition, representativeId: string, startUtc: number]>,
  string
>('scheduling.ends')

export const allTables = [bookingTable, endTable] as unknown as readonly Table<Key, unknown>[]

/** With whom and when: no two bookings have the same. */
type Place = Pick<Appointment, 'representativeId' | 'startUtc'>

/** In order of time. An appointment that is about to move does not count. */
export function bookingsIn(
  reader: Reader,
  schedule: Schedule,
  representativeId: string | undefined,
  { from, to }: Interval,
  moving?: Appointment,
): Interval[] {
  const { scope, partition } = schedule
  const bookings: Interval[] = []
  const ofMoving = moving && moving.representativeId === representativeId && isBooked(reader, schedule, moving)
  const last = Math.floor(to / week)
  for (let number = Math.floor((from - limits.durationMaxMinutes * minute) / week); number <= last; number++) {
    const row = reader.get(bookingTable, [...scope, partition, representativeId ?? '', number]) ?? []
    for (let at = 0; at < row.length; at += 2) {
      const start = number * week + row[at]! * minute
      const booking = { from: start, to: start + row[at + 1]! * minute }
      const isMoving = ofMoving && start === moving.startUtc
      if (!isMoving && booking.from < to && booking.to > from) bookings.push(booking)
    }
  }
  return bookings
}

export function putBooking(tx: Tx, schedule: Schedule, appointment: Appointment): void {
  const { key, startMinute } = positionOf(schedule, appointment)
  const row = tx.get(bookingTable, key) ?? []
  const at = row.findIndex((value, index) => index % 2 === 0 && value > startMinute)
  const before = at < 0 ? row.length : at
  tx.put(bookingTable, key, row.toSpliced(before, 0, startMinute, appointment.durationMinutes))
  tx.put(endTable, endKeyOf(schedule, appointment), appointment.id)
}

/** Removes the booking of the appointment, if it has one. */
export function removeBooking(tx: Tx, schedule: Schedule, appointment: Appointment): void {
  if (!isBooked(tx, schedule, appointment)) return
  removeTime(tx, schedule, appointment)
  tx.remove(endTable, endKeyOf(schedule, appointment))
}

function isBooked(reader: Reader, schedule: Schedule, appointment: Appointment): boolean {
  return reader.get(endTable, endKeyOf(schedule, appointment)) === appointment.id
}

/** Removes the time of a booking, and not what is known of its end. */
export function removeTime(tx: Tx, schedule: Schedule, place: Place): void {
  const { key, startMinute } = positionOf(schedule, place)
  const row = tx.get(bookingTable, key) ?? []
  const at = row.findIndex((value, index) => index % 2 === 0 && value === startMinute)
  if (at < 0) return
  if (row.length === 2) tx.remove(bookingTable, key)
  else tx.put(bookingTable, key, row.toSpliced(at, 2))
}

function positionOf({ scope, partition }: Schedule, { representativeId = '', startUtc }: Place) {
  const number = Math.floor(startUtc / week)
  const key = [...scope, partition, representativeId, number] as const
  return { key, startMinute: (startUtc - number * week) / minute }
}

function endKeyOf({ scope, partition }: Schedule, appointment: Appointment) {
  const { representativeId = '', startUtc } = appointment
  return [...scope, intervalOf(appointment).to, partition, representativeId, startUtc] as const
}
