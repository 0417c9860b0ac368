/** Reminders of appointments: kept with every appointment, moved and dropped with it, sent once, and gone when it begins. */

import type { AgentDocument } from '../../core/agent/index.js'
import { type AgentIncarnation, type AgentScope, scopeOf } from '../../core/agent/scope.js'
import type { AgentPlace } from '../../core/agentkey.js'
import { remindAt, remindedOf } from '../../core/automation/reminder.js'
import type { SendNews } from '../../core/conversation/sendnews.js'
import { invalid, refuse } from '../../core/errors.js'
import { automation as limits } from '../../core/limits.js'
import { mostAttempts, retryWaitMs } from '../../core/outreach/machine.js'
import type { Appointment } from '../../core/people/appointment.js'
import { isTimeZone } from '../../core/zones.js'
import type { Command, Told, Tx } from '../../runtime/shard/contract.js'
import { findAgent } from '../agents/store.js'
import { type AutomationDeps, automationSections } from './deps.js'
import { dropReminder, keepReminder, type Reminder, reminderIdTable, reminderTable } from './store.js'
import { scheduleTimer } from './timer.js'

export const remindEffect = 'appointmentReminder'
const redateName = 'automation.redate'

/** One attempt at a reminder. */
export interface Reminding extends AgentIncarnation {
  readonly appointmentId: string
  readonly reminderId: string
  readonly attempt: number
}

export type RemindOutcome =
  | { readonly kind: 'over' }
  | { readonly kind: 'held'; readonly until: number }
  | { readonly kind: 'again' }

export interface KeepAppointment extends AgentPlace {
  readonly personId: string
  readonly appointment: Appointment
}

export function createReminders({ documents, people, timeScale }: AutomationDeps) {
  /** Makes or replaces an appointment of a person, and sees to its reminder. */
  const keep: Command<KeepAppointment, true> = {
    name: 'appointments.keep',
    decide(tx, { personId, appointment, orgId, agentId }, told) {
      const place = { orgId, agentId }
      const known = documents.load(tx, place, automationSections)
      const person = known && people.byId(tx, place, personId)
      if (!person) return refuse('resource.not_found')
      if (!isTimeZone(appointment.prospectTimezone)) {
        return invalid('appointment.prospectTimezone', 'must be an IANA time zone')
      }
      people.keepAppointment(tx, place, person.id, appointment)
      const scope = { ...place, serial: known.agent.serial }
      if (!person.sandbox) remind(tx, scope, known.document, person.id, appointment, told)
      return true
    },
  }

  /** One that has been reminded of stays so until it moves. What is booked within the lead needs no reminder. */
  function remind(
    tx: Tx,
    place: AgentIncarnation,
    document: AgentDocument,
    personId: string,
    appointment: Appointment,
    told: Told,
  ): void {
    const scope = scopeOf(place)
    const { id, status, startUtc } = appointment
    const before = tx.get(reminderTable, [...scope, id])
    const reminded = remindedOf(appointment)
    if (status !== 'cancelled' && before?.reminded.startUtc === startUtc) {
      keepReminder(tx, scope, id, { ...before, personId, reminded }, before)
      return
    }
    if (before) dropReminder(tx, scope, id, before)
    const dueAt = remindAt(startUtc, document.scheduling, timeScale)
    if (status === 'cancelled' || dueAt <= told.at) return
    keepReminder(tx, scope, id, { id: told.mint('rm'), personId, reminded, state: 'due', dueAt, attempts: 0 })
    scheduleTimer(tx, place, dueAt)
  }

  /** A report on an attempt that is no longer under way is a repeat, and changes nothing. */
  const report: Command<Reminding & { readonly outcome: RemindOutcome }, boolean> = {
    name: 'automation.reported',
    decide(tx, { appointmentId, reminderId, attempt, outcome, ...place }, { at }) {
      const before = tx.get(reminderTable, [...scopeOf(place), appointmentId])
      if (before?.id !== reminderId || before.attempts !== attempt || before.state !== 'sending') return false
      if (outcome.kind === 'held') waits(tx, place, appointmentId, { ...before, attempts: attempt - 1 }, outcome.until)
      else if (outcome.kind === 'again') again(tx, place, appointmentId, before, at)
      else over(tx, place, appointmentId, before)
      return true
    },
  }

  /** For reports on openings that are no sends; whether it was about a reminder. */
  function onUnmatchedReport(
    tx: Tx,
    place: AgentIncarnation,
    { sendId, state, attempt, again: when, at }: SendNews,
  ): boolean {
    if (state !== 'failed' || when !== 'later') return false
    const scope = scopeOf(place)
    const appointmentId = tx.get(reminderIdTable, [...scope, sendId])
    const before = appointmentId === undefined ? undefined : tx.get(reminderTable, [...scope, appointmentId])
    if (before?.attempts !== attempt) return false
    again(tx, place, appointmentId!, before, at)
    return true
  }

  function again(tx: Tx, place: AgentIncarnation, appointmentId: string, before: Reminder, at: number): void {
    const { attempts } = before
    if (attempts >= mostAttempts) over(tx, place, appointmentId, before)
    else waits(tx, place, appointmentId, before, at + retryWaitMs(attempts, timeScale))
  }

  /** What would come too late does not come. */
  function waits(tx: Tx, place: AgentIncarnation, appointmentId: string, reminder: Reminder, until: number): void {
    if (until >= reminder.reminded.startUtc) return over(tx, place, appointmentId, reminder)
    put(tx, place, appointmentId, { ...reminder, state: 'due', dueAt: until })
  }

  /** It is remembered until the appointment begins, so that nobody is reminded twice. */
  function over(tx: Tx, place: AgentIncarnation, appointmentId: string, reminder: Reminder): void {
    put(tx, place, appointmentId, { ...reminder, state: 'over', dueAt: reminder.reminded.startUtc })
  }

  function put(tx: Tx, place: AgentIncarnation, appointmentId: string, after: Reminder): void {
    keepReminder(tx, scopeOf(place), appointmentId, after, tx.get(reminderTable, [...scopeOf(place), appointmentId]))
    scheduleTimer(tx, place, after.dueAt!)
  }

  /** Gives all reminders that are to come another time where a change of the document sets another lead. */
  function onDocumentChanged(
    tx: Tx,
    place: AgentPlace,
    before: AgentDocument,
    after: AgentDocument,
    told: Told,
  ): undefined {
    const leads = [before, after].map(({ scheduling }) => scheduling?.reminders?.leadMinutes)
    const agent = leads[0] === leads[1] ? undefined : findAgent(tx, place)
    if (agent) redateFrom(tx, { ...place, serial: agent.serial }, told.at)
  }

  function redateFrom(tx: Tx, place: AgentIncarnation & { readonly after?: string }, dueAt: number): void {
    tx.schedule({ name: `${redateName}:${place.serial}`, dueAt, command: redateName, input: place })
  }

  const redate: Command<AgentIncarnation & { readonly after?: string }, true> = {
    name: redateName,
    decide(tx, { after, ...place }, { at }) {
      const scope = scopeOf(place)
      const known = documents.load(tx, place, automationSections)
      if (known?.agent.serial !== place.serial) return true
      const from = after === undefined ? {} : { after: [...scope, after] as const }
      const rows = [...tx.range(reminderTable, { prefix: scope, ...from, limit: limits.rowsPerSweep })]
      for (const { key, value } of rows) {
        if (value.state !== 'due' || value.attempts > 0) continue
        const dueAt = Math.max(at, remindAt(value.reminded.startUtc, known.document.scheduling, timeScale))
        put(tx, place, key[3], { ...value, dueAt })
      }
      if (rows.length === limits.rowsPerSweep) redateFrom(tx, { ...place, after: rows.at(-1)!.key[3] }, at)
      return true
    },
  }

  return { onDocumentChanged, onUnmatchedReport, commands: { keep, report, redate } }
}

/** Picks a reminder up. One whose appointment has begun goes, whatever became of it. */
export function beginReminder(tx: Tx, place: AgentIncarnation, appointmentId: string, at: number): void {
  const scope: AgentScope = scopeOf(place)
  const before = tx.get(reminderTable, [...scope, appointmentId])
  if (!before) return
  if (before.state !== 'due' || at >= before.reminded.startUtc) {
    if (at >= before.reminded.startUtc) dropReminder(tx, scope, appointmentId, before)
    return
  }
  const { dueAt: _fired, ...rest } = before
  const begun: Reminder = { ...rest, state: 'sending', attempts: before.attempts + 1 }
  keepReminder(tx, scope, appointmentId, begun, before)
  const { orgId, agentId, serial } = place
  const payload: Reminding = { orgId, agentId, serial, appointmentId, reminderId: before.id, attempt: begun.attempts }
  tx.effect({ kind: remindEffect, destination: `automation:${appointmentId.slice(-1)}`, payload })
}
