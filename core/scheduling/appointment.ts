/** What a booking, a move and a cancellation make of an appointment. */
import { minute } from '../durations.js'
import type { Interval } from '../interval.js'
import type { Appointment, AppointmentStep } from '../people/appointment.js'
import { timeText } from '../people/ids.js'
import type { AppointmentResult } from './contract.js'
import { describeMoment, isoIn } from './localtime.js'
import type { Representative, Scheduling } from './windows.js'

/** The call that asked for a change, and when. */
export interface ChangeCause {
  readonly at: number
  readonly callId: string
}

export interface Booking extends ChangeCause {
  /** Ends in sixteen characters that are the same for a repeat of the call, and for no other call. */
  readonly unique: string
  readonly startUtc: number
  readonly durationMinutes: number
  readonly zone: string
  readonly counterpart: Counterpart
  readonly notes?: string
}

export interface Move extends ChangeCause {
  readonly startUtc: number
  readonly zone: string
  readonly counterpart: Counterpart
  readonly reason?: string
}

/** With whom it is. */
export type Counterpart = Pick<Appointment, 'representativeId' | 'representativeName' | 'representativeTitle'>

/** A representative, or else the agent's default identity. */
export function counterpartOf(scheduling: Scheduling, representative: Representative | undefined): Counterpart {
  if (!representative) {
    const { defaultRepresentativeIdentity: name } = scheduling
    return name ? { representativeName: name } : {}
  }
  const { id, name, title } = representative
  return { representativeId: id, representativeName: name, ...(title && { representativeTitle: title }) }
}

/** Ids begin with the time for which the appointment was booked, so they are in that order. */
export function appointmentIdAt(startUtc: number, unique: string): string {
  return `ap_${timeText(startUtc)}${unique.slice(-16)}`
}

export function bookAppointment({
  unique,
  startUtc,
  durationMinutes,
  zone,
  counterpart,
  notes,
  at,
  callId,
}: Booking): Appointment {
  return {
    id: appointmentIdAt(startUtc, unique),
    startUtc,
    durationMinutes,
    prospectTimezone: zone,
    status: 'scheduled',
    ...counterpart,
    ...(notes !== undefined && { notes }),
    history: [{ at, action: 'scheduled', to: iso(startUtc), callId }],
    createdAt: at,
  }
}

export function moveAppointment(
  before: Appointment,
  { startUtc, zone, counterpart, reason, at, callId }: Move,
): Appointment {
  const { representativeId: _id, representativeName: _name, representativeTitle: _title, ...rest } = before
  const step = {
    at,
    action: 'rescheduled',
    from: iso(before.startUtc),
    to: iso(startUtc),
    ...withReason(reason),
    callId,
  }
  return {
    ...rest,
    ...counterpart,
    startUtc,
    prospectTimezone: zone,
    status: 'rescheduled',
    history: [...before.history, step],
  }
}

export function cancelAppointment(
  before: Appointment,
  { at, callId, reason }: ChangeCause & { readonly reason?: string },
): Appointment {
  const step: AppointmentStep = { at, action: 'cancelled', from: iso(before.startUtc), ...withReason(reason), callId }
  return { ...before, status: 'cancelled', history: [...before.history, step] }
}

const iso = (at: number) => new Date(at).toISOString()
const withReason = (reason: string | undefined) => (reason === undefined ? {} : { reason })

export function intervalOf({ startUtc, durationMinutes }: Pick<Appointment, 'startUtc' | 'durationMinutes'>): Interval {
  return { from: startUtc, to: startUtc + durationMinutes * minute }
}

/** Those that are still to come and are not cancelled, earliest first. */
export function appointmentsAhead(appointments: readonly Appointment[], at: number): Appointment[] {
  return appointments
    .filter(({ status, startUtc }) => status !== 'cancelled' && startUtc > at)
    .sort((one, other) => one.startUtc - other.startUtc)
}

/** The one that the call has changed already. */
export function changedByCall(appointments: readonly Appointment[], callId: string): Appointment | undefined {
  return appointments.find(({ history }) => history.some((step) => step.callId === callId))
}

export function appointmentResult(appointment: Appointment): AppointmentResult {
  const { id, startUtc, durationMinutes, prospectTimezone: zone, representativeName } = appointment
  return {
    appointmentId: id,
    start: isoIn(zone, startUtc),
    startUtc,
    zone,
    durationMinutes,
    ...(representativeName !== undefined && { representativeName }),
  }
}

/** For a person who has several and did not say which. */
export function describeChoice(appointments: readonly Appointment[], zone: string): string {
  const listed = appointments.map(({ id, startUtc }) => `${id} on ${describeMoment(zone, startUtc)}`)
  return `The person has several appointments, and it was not said which one is meant: ${listed.join('; ')}.`
}
