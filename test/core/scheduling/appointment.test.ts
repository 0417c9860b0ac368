/** R45: what a booking, a move and a cancellation make of an appointment, and what the team reads of it. */
import t from 'tap'
import { hour, minute } from '../../../core/durations.js'
import { appointmentView } from '../../../core/people/view.js'
import {
  appointmentIdAt,
  appointmentResult,
  appointmentsAhead,
  bookAppointment,
  cancelAppointment,
  changedByCall,
  counterpartOf,
  describeChoice,
  moveAppointment,
} from '../../../core/scheduling/appointment.js'
import { calendarEntry, hasCalendar } from '../../../core/scheduling/calendar.js'
import { journalLine, lifecycleMail } from '../../../core/scheduling/mail.js'
import { schedulingOf } from './arbitraries.js'

const start = Date.parse('2026-06-16T14:00:00Z')
const booked = bookAppointment({
  unique: '0123456789abcdef',
  startUtc: start,
  durationMinutes: 30,
  zone: 'America/New_York',
  counterpart: { representativeId: 'r1', representativeName: 'Ada', representativeTitle: 'Broker' },
  notes: 'The house by the lake',
  at: 1_000,
  callId: 'c1',
})
const moved = moveAppointment(booked, {
  startUtc: start + hour,
  zone: 'Europe/Lisbon',
  counterpart: { representativeName: 'The office' },
  reason: 'a train',
  at: 2_000,
  callId: 'c2',
})
const cancelled = cancelAppointment(moved, { at: 3_000, callId: 'c3' })

t.test('R45: status and history tell what was done, when, from and to which time, and why', async (t) => {
  t.strictSame(appointmentView(cancelled), {
    id: booked.id,
    startUtc: '2026-06-16T15:00:00.000Z',
    durationMinutes: 30,
    prospectTimezone: 'Europe/Lisbon',
    status: 'cancelled',
    representativeName: 'The office',
    notes: 'The house by the lake',
    history: [
      { at: '1970-01-01T00:00:01.000Z', action: 'scheduled', to: '2026-06-16T14:00:00.000Z' },
      {
        at: '1970-01-01T00:00:02.000Z',
        action: 'rescheduled',
        from: '2026-06-16T14:00:00.000Z',
        to: '2026-06-16T15:00:00.000Z',
        reason: 'a train',
      },
      { at: '1970-01-01T00:00:03.000Z', action: 'cancelled', from: '2026-06-16T15:00:00.000Z' },
    ],
    createdAt: '1970-01-01T00:00:01.000Z',
  })
  t.equal(booked.status, 'scheduled')
  t.equal(moved.status, 'rescheduled')
  t.equal(moved.representativeId, undefined)
})

t.test('Ids of appointments are in the order of the times for which they were booked', async (t) => {
  const times = [0, minute, start, start + 1, 2 ** 45]
  const ids = times.map((at) => appointmentIdAt(at, 'zzzz0123456789abcdef'))
  t.same(ids.toSorted(), ids)
  t.match(ids[0], /^ap_[0-9a-z]{26}$/)
})

t.test('R44: an appointment is with a representative, or with the agent’s default identity', async (t) => {
  const scheduling = schedulingOf({ defaultRepresentativeIdentity: 'The office' })
  t.same(counterpartOf(scheduling, { id: 'r', name: 'Ada' }), { representativeId: 'r', representativeName: 'Ada' })
  t.same(counterpartOf(scheduling, undefined), { representativeName: 'The office' })
  t.same(counterpartOf(schedulingOf(), undefined), {})
})

t.test('Ahead are those that have not begun and are not cancelled; a call is found by what it changed', async (t) => {
  t.same(appointmentsAhead([moved, cancelled, booked], start - 1), [booked, moved])
  t.same(appointmentsAhead([moved, booked], start), [moved])
  t.equal(changedByCall([booked, moved], 'c2'), moved)
  t.equal(changedByCall([booked, moved], 'c9'), undefined)
  t.match(describeChoice([booked, moved], 'UTC'), /ap_\w+ on Tuesday,? 16 June 2026 at 14:00 \(UTC\); ap_/)
})

t.test('R45: the result has the time in the person’s zone', async (t) => {
  t.same(appointmentResult(booked), {
    appointmentId: booked.id,
    start: '2026-06-16T10:00:00-04:00',
    startUtc: start,
    zone: 'America/New_York',
    durationMinutes: 30,
    representativeName: 'Ada',
  })
})

const person = { firstName: 'Ann', lastName: 'Berg', phone: '+14155550100', email: 'ann@example.com' }

t.test('Decision 22: the mail names person, both times, representative and reason', async (t) => {
  const agent = { agentName: 'Harbor', agentZone: 'Europe/Lisbon' }
  const mail = lifecycleMail({ ...agent, change: 'booked', appointment: booked, person })
  t.match(mail.subject, /^Appointment booked: Ann Berg, Tuesday,? 16 June 2026 at 15:00 \(Europe\/Lisbon\)$/)
  for (const line of [
    'An appointment of Harbor was booked.',
    'Person: Ann Berg',
    'Phone: +14155550100',
    'Email: ann@example.com',
    /Time: .* at 15:00 \(Europe\/Lisbon\)/,
    /Time of the person: .* at 10:00 \(America\/New_York\)/,
    'Duration: 30 minutes',
    'With: Ada, Broker',
    'Notes: The house by the lake',
  ])
    t.match(mail.text, line)
  const notice = {
    ...agent,
    change: 'moved',
    appointment: moved,
    previousStart: start,
    reason: 'a train',
    person,
  } as const
  const { text } = lifecycleMail(notice)
  t.match(text, /Time before: .* at 15:00/)
  t.match(text, 'Reason: a train')
  t.notMatch(text, 'Time of the person', 'one time is enough where both are the same')
  t.match(lifecycleMail({ ...agent, change: 'cancelled', appointment: booked, person: {} }).subject, 'without a name')
})

t.test('Decision 22: no text of a person or an operator adds a line to a mail, and none a header', async (t) => {
  const hostile = 'Ann\r\nBcc: all@example.com\n\nhello\u0000'
  const notice = { change: 'booked', appointment: booked, agentName: hostile, agentZone: 'UTC' } as const
  const count = lifecycleMail({ ...notice, agentName: 'x', person: { fullName: 'x' } }).text.split('\n').length
  const { subject, text } = lifecycleMail({ ...notice, person: { fullName: hostile } })
  t.notMatch(subject, /\p{Cc}/u)
  t.equal(text.split('\n').length, count)
})

t.test('R45: the journal has a line for each change, in the person’s zone', async (t) => {
  t.match(
    journalLine({ change: 'booked', appointment: booked }),
    /^Booked an appointment with Ada: .* 10:00 \(America\/New_York\), 30 minutes\.$/,
  )
  const line = journalLine({ change: 'moved', appointment: moved, previousStart: start, reason: 'a train' })
  t.match(
    line,
    /^Moved the appointment with The office: from .* 15:00 .* to .* 16:00 \(Europe\/Lisbon\)\. Reason: a train$/,
  )
  t.match(
    journalLine({ change: 'cancelled', appointment: cancelled }),
    /^Cancelled the appointment with The office: .*\.$/,
  )
})

t.test('R46: an event in the calendar names the person and how to reach them', async (t) => {
  t.same(calendarEntry(booked, person), {
    title: 'Ann Berg with Ada',
    description: '+14155550100\nann@example.com\nThe house by the lake',
  })
  const toolId = '@svc/tool.calendar'
  t.ok(hasCalendar({ toolBindings: [{ toolId, config: {} }] }))
  t.notOk(hasCalendar({ toolBindings: [{ toolId, config: {}, enabled: false }] }))
  t.notOk(hasCalendar({ toolBindings: [] }))
})
