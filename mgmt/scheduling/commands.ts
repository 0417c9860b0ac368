/**
 * Commands that book, move and cancel appointments. The appointment, its reminder, the time that it takes, the line in
 * the journal and what is to be sent are one commit. A repeat of a call changes nothing and answers what there is.
 */
import { hash } from 'node:crypto'
import { isRefusal } from '../../core/errors.js'
import { scheduling as limits } from '../../core/limits/index.js'
import type { Appointment } from '../../core/people/appointment.js'
import type { Person } from '../../core/people/person.js'
import {
  appointmentResult,
  appointmentsAhead,
  bookAppointment,
  cancelAppointment,
  changedByCall,
  counterpartOf,
  describeChoice,
  intervalOf,
  moveAppointment,
} from '../../core/scheduling/appointment.js'
import { journalLine } from '../../core/scheduling/mail.js'
import {
  durationOf,
  isRefused,
  type Refused,
  readBooking,
  readCancellation,
  reasons,
} from '../../core/scheduling/request.js'
import type { CapturedEffect, ToolOutcome } from '../../core/tools/contract.js'
import type { Command, CommandMeta, Tx } from '../../runtime/shard/contract.js'
import { type Announcement, announce } from './announce.js'
import type { SchedulingCall, SchedulingDeps } from './deps.js'
import { putBooking, removeBooking } from './store.js'
import { chooseCandidate, loadSubject, type Subject } from './subject.js'
import { scheduleSweep } from './sweep.js'

export interface SchedulingAnswer {
  /** `ok` with an `AppointmentResult`, or `refused`. */
  readonly outcome: ToolOutcome
  /** In the sandbox: what would have left. */
  readonly effects: readonly CapturedEffect[]
}

export function createSchedulingCommands(deps: SchedulingDeps) {
  const { people, automation } = deps

  /** The person of the call, created when they are not known yet. */
  function ensurePerson(tx: Tx, { agent, person }: Subject, call: SchedulingCall, meta: CommandMeta): Person {
    const { orgId, agentId, asid, channel, address } = call
    if (person?.identities.some((identity) => identity.asid === asid)) return person
    people.commands.identityEvent.decide(
      tx,
      { orgId, agentId, asid, channel, address, at: meta.at, kind: 'seen' },
      meta,
    )
    const created = people.byAsid(tx, agent, asid)
    if (!created) throw new Error('a person who was seen is known')
    return created
  }

  function save(tx: Tx, subject: Subject, change: Omit<Announcement, 'at'>, meta: CommandMeta): SchedulingAnswer {
    const { agent, schedule } = subject
    const { person, appointment, before } = change
    const refusal = automation.saveAppointment(tx, { ...agent, personId: person.id, appointment }, meta)
    if (isRefusal(refusal)) throw new Error(`an appointment was not saved: ${refusal.refused}`)
    if (before) removeBooking(tx, schedule, before)
    if (appointment.status !== 'cancelled') {
      putBooking(tx, schedule, appointment)
      scheduleSweep(tx, agent)
    }
    people.note(tx, agent, person.id, journalLine(change), meta)
    return ok(appointment, announce(tx, deps, subject, { ...change, at: meta.at }))
  }

  const book: Command<SchedulingCall, SchedulingAnswer> = {
    name: 'scheduling.book',
    decide(tx, call, meta) {
      const subject = loadSubject(tx, deps, call, meta.at)
      if (isRefused(subject)) return refused(subject)
      const request = readBooking(call.arguments)
      if (isRefused(request)) return refused(request)
      const { rules, agent } = subject
      const { scheduling, personZone: zone } = rules
      const existing = subject.person ? people.appointmentsOf(tx, agent, subject.person.id) : []
      const repeated = changedByCall(existing, call.callId)
      if (repeated) return ok(repeated)
      if (appointmentsAhead(existing, meta.at).length >= limits.upcomingPerPerson)
        return refused({ refusal: reasons.tooMany })
      const { start: startUtc, durationMinutes = durationOf(scheduling), representativeId, notes } = request
      const candidate = chooseCandidate(tx, subject, {
        appointment: intervalOf({ startUtc, durationMinutes }),
        ...(representativeId && { representativeId }),
      })
      if (isRefused(candidate)) return refused(candidate)
      const appointment = bookAppointment({
        unique: hash('sha256', JSON.stringify([call.asid, call.callId]), 'hex'),
        startUtc,
        durationMinutes,
        zone,
        counterpart: counterpartOf(scheduling, candidate.representative),
        ...(notes && { notes }),
        at: meta.at,
        callId: call.callId,
      })
      const person = ensurePerson(tx, subject, call, meta)
      return save(tx, subject, { change: 'booked', person, appointment }, meta)
    },
  }

  const reschedule: Command<SchedulingCall, SchedulingAnswer> = {
    name: 'scheduling.reschedule',
    decide(tx, call, meta) {
      const request = readBooking(call.arguments)
      if (isRefused(request)) return refused(request)
      const found = findAppointment(tx, call, request.appointmentId, meta)
      if (isRefused(found)) return refused(found)
      const { subject, person, appointment: before } = found
      if (found.isRepeat) return ok(before)
      const { start: startUtc, representativeId, reason } = request
      const { scheduling, personZone: zone } = subject.rules
      const isSame =
        startUtc === before.startUtc && (representativeId ?? before.representativeId) === before.representativeId
      if (isSame) return ok(before)
      if (before.history.length >= limits.changesPerAppointment) return refused({ refusal: reasons.tooManyChanges })
      const candidate = chooseCandidate(tx, subject, {
        appointment: intervalOf({ startUtc, durationMinutes: before.durationMinutes }),
        moving: before,
        ...(representativeId && { representativeId }),
      })
      if (isRefused(candidate)) return refused(candidate)
      const counterpart = counterpartOf(scheduling, candidate.representative)
      const cause = { at: meta.at, callId: call.callId, ...(reason && { reason }) }
      const appointment = moveAppointment(before, { startUtc, zone, counterpart, ...cause })
      const change = { change: 'moved', previousStart: before.startUtc, ...(reason && { reason }) } as const
      return save(tx, subject, { ...change, person, appointment, before }, meta)
    },
  }

  const cancel: Command<SchedulingCall, SchedulingAnswer> = {
    name: 'scheduling.cancel',
    decide(tx, call, meta) {
      const { appointmentId, reason } = readCancellation(call.arguments)
      const found = findAppointment(tx, call, appointmentId, meta)
      if (isRefused(found)) return refused(found)
      const { subject, person, appointment: before } = found
      if (found.isRepeat) return ok(before)
      const why = reason ? { reason } : {}
      const appointment = cancelAppointment(before, { at: meta.at, callId: call.callId, ...why })
      return save(tx, subject, { change: 'cancelled', person, appointment, before, ...why }, meta)
    },
  }

  interface Found {
    readonly subject: Subject
    readonly person: Person
    readonly appointment: Appointment
    /** The call has changed it already. */
    readonly isRepeat: boolean
  }

  /** The appointment of that id, or the only one that the person has ahead. */
  function findAppointment(tx: Tx, call: SchedulingCall, id: string | undefined, meta: CommandMeta): Found | Refused {
    const subject = loadSubject(tx, deps, call, meta.at)
    if (isRefused(subject)) return subject
    const { person, agent, rules } = subject
    if (!person) return { refusal: reasons.noneAhead }
    const appointments = people.appointmentsOf(tx, agent, person.id)
    const repeated = changedByCall(appointments, call.callId)
    if (repeated) return { subject, person, appointment: repeated, isRepeat: true }
    const ahead = appointmentsAhead(appointments, meta.at)
    if (id === undefined && ahead.length > 1) return { refusal: describeChoice(ahead, rules.personZone) }
    const appointment = id === undefined ? ahead[0] : appointments.find((each) => each.id === id)
    if (!appointment) return { refusal: id === undefined ? reasons.noneAhead : reasons.noAppointment }
    if (appointment.status === 'cancelled') return { refusal: reasons.cancelled }
    if (appointment.startUtc <= meta.at) return { refusal: reasons.over }
    return { subject, person, appointment, isRepeat: false }
  }

  return { book, reschedule, cancel }
}

function ok(appointment: Appointment, effects: readonly CapturedEffect[] = []): SchedulingAnswer {
  return { outcome: { state: 'ok', result: appointmentResult(appointment) }, effects }
}

function refused({ refusal: reason }: Refused): SchedulingAnswer {
  return { outcome: { state: 'refused', reason }, effects: [] }
}
