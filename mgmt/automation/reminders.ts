/**
 * Reminders of appointments: saved with every appointment, moved and removed with it, sent once, and deleted when it
 * begins.
 */

import type { AgentDocument } from '../../core/agent/index.js'
import { type AgentIncarnation, type AgentScope, scopeOf } from '../../core/agent/scope.js'
import type { AgentRef } from '../../core/agentref.js'
import { reminderDueAt, reminderIdPrefix, reminderSubjectOf } from '../../core/automation/reminder.js'
import type { DeliveryReport } from '../../core/conversation/deliveryreport.js'
import { invalid, type Refusal, refuse } from '../../core/errors.js'
import { automation as limits } from '../../core/limits/index.js'
import { maxAttempts, retryWaitMs } from '../../core/outreach/statemachine.js'
import type { Appointment } from '../../core/people/appointment.js'
import { isTimeZone } from '../../core/zones.js'
import type { Command, CommandMeta, Tx } from '../../runtime/shard/contract.js'
import { findAgent } from '../agents/store.js'
import { type AutomationDeps, automationSections } from './deps.js'
import { scheduleTimer } from './pickuptimer.js'
import { type Reminder, reminderIdTable, reminderTable, removeReminder, saveReminder } from './store.js'

export const reminderEffect = 'appointmentReminder'
const recomputeName = 'automation.recomputeReminders'

/** One attempt at a reminder. */
export interface ReminderAttempt extends AgentIncarnation {
  readonly appointmentId: string
  readonly reminderId: string
  readonly attempt: number
}

export type ReminderOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'deferred'; readonly until: number }
  | { readonly kind: 'retry' }

export interface SaveAppointment extends AgentRef {
  readonly personId: string
  readonly appointment: Appointment
}

export function createReminders({ documents, people, timeScale }: AutomationDeps) {
  /** Creates or replaces an appointment of a person, and schedules its reminder; for commands of other areas too. */
  function saveAppointment(
    tx: Tx,
    { personId, appointment, orgId, agentId }: SaveAppointment,
    meta: CommandMeta,
  ): true | Refusal {
    const agent = { orgId, agentId }
    const loaded = documents.load(tx, agent, automationSections)
    const person = loaded && people.byId(tx, agent, personId)
    if (!person) return refuse('resource.not_found')
    if (!isTimeZone(appointment.prospectTimezone)) {
      return invalid('appointment.prospectTimezone', 'must be an IANA time zone')
    }
    people.saveAppointment(tx, agent, person.id, appointment)
    const scope = { ...agent, incarnation: loaded.agent.incarnation }
    if (!person.sandbox) scheduleReminder(tx, scope, loaded.document, person.id, appointment, meta)
    return true
  }

  const save: Command<SaveAppointment, true> = { name: 'appointments.save', decide: saveAppointment }

  /**
   * An appointment that was reminded of gets no second reminder until it moves. One booked within the lead needs none.
   */
  function scheduleReminder(
    tx: Tx,
    agent: AgentIncarnation,
    document: AgentDocument,
    personId: string,
    appointment: Appointment,
    meta: CommandMeta,
  ): void {
    const scope = scopeOf(agent)
    const { id, status, startUtc } = appointment
    const before = tx.get(reminderTable, [...scope, id])
    const reminded = reminderSubjectOf(appointment)
    if (status !== 'cancelled' && before?.reminded.startUtc === startUtc) {
      saveReminder(tx, scope, id, { ...before, personId, reminded }, before)
      return
    }
    if (before) removeReminder(tx, scope, id, before)
    const dueAt = reminderDueAt(startUtc, document.scheduling, timeScale)
    if (status === 'cancelled' || dueAt <= meta.at) return
    saveReminder(tx, scope, id, {
      id: meta.mint(reminderIdPrefix),
      personId,
      reminded,
      state: 'due',
      dueAt,
      attempts: 0,
    })
    scheduleTimer(tx, agent, dueAt)
  }

  /** A report on an attempt that is not in progress is a repeat, and changes nothing. */
  const report: Command<ReminderAttempt & { readonly outcome: ReminderOutcome }, boolean> = {
    name: 'automation.reportReminder',
    decide(tx, { appointmentId, reminderId, attempt, outcome, ...agent }, { at }) {
      const before = tx.get(reminderTable, [...scopeOf(agent), appointmentId])
      if (before?.id !== reminderId || before.attempts !== attempt || before.state !== 'sending') return false
      if (outcome.kind === 'deferred')
        defer(tx, agent, appointmentId, { ...before, attempts: attempt - 1 }, outcome.until)
      else if (outcome.kind === 'retry') retry(tx, agent, appointmentId, before, at)
      else complete(tx, agent, appointmentId, before)
      return true
    },
  }

  /** Handles reports on openers that are no sends; answers whether the report was about a reminder. */
  function onUnmatchedReport(
    tx: Tx,
    agent: AgentIncarnation,
    { sendId, state, attempt, retry: retryWhen, at }: DeliveryReport,
  ): boolean {
    if (state !== 'failed' || retryWhen !== 'later') return false
    const scope = scopeOf(agent)
    const appointmentId = tx.get(reminderIdTable, [...scope, sendId])
    const before = appointmentId === undefined ? undefined : tx.get(reminderTable, [...scope, appointmentId])
    if (before?.attempts !== attempt) return false
    retry(tx, agent, appointmentId!, before, at)
    return true
  }

  function retry(tx: Tx, agent: AgentIncarnation, appointmentId: string, before: Reminder, at: number): void {
    const { attempts } = before
    if (attempts >= maxAttempts) complete(tx, agent, appointmentId, before)
    else defer(tx, agent, appointmentId, before, at + retryWaitMs(attempts, timeScale))
  }

  /** A reminder that would come after the start of its appointment is not sent. */
  function defer(tx: Tx, agent: AgentIncarnation, appointmentId: string, reminder: Reminder, until: number): void {
    if (until >= reminder.reminded.startUtc) return complete(tx, agent, appointmentId, reminder)
    saveAndSchedule(tx, agent, appointmentId, { ...reminder, state: 'due', dueAt: until })
  }

  /** The row stays until the appointment begins, so that nothing is sent twice. */
  function complete(tx: Tx, agent: AgentIncarnation, appointmentId: string, reminder: Reminder): void {
    saveAndSchedule(tx, agent, appointmentId, { ...reminder, state: 'done', dueAt: reminder.reminded.startUtc })
  }

  function saveAndSchedule(tx: Tx, agent: AgentIncarnation, appointmentId: string, after: Reminder): void {
    saveReminder(tx, scopeOf(agent), appointmentId, after, tx.get(reminderTable, [...scopeOf(agent), appointmentId]))
    scheduleTimer(tx, agent, after.dueAt!)
  }

  /** Reschedules all reminders that are not sent yet when a change of the document sets another lead. */
  function onDocumentChanged(
    tx: Tx,
    agentRef: AgentRef,
    before: AgentDocument,
    after: AgentDocument,
    meta: CommandMeta,
  ): undefined {
    const leadMinutes = [before, after].map(({ scheduling }) => scheduling?.reminders?.leadMinutes)
    const agent = leadMinutes[0] === leadMinutes[1] ? undefined : findAgent(tx, agentRef)
    if (agent) scheduleRecompute(tx, { ...agentRef, incarnation: agent.incarnation }, meta.at)
  }

  function scheduleRecompute(tx: Tx, agent: AgentIncarnation & { readonly after?: string }, dueAt: number): void {
    tx.schedule({ name: `${recomputeName}:${agent.incarnation}`, dueAt, command: recomputeName, input: agent })
  }

  const recompute: Command<AgentIncarnation & { readonly after?: string }, true> = {
    name: recomputeName,
    decide(tx, { after, ...agent }, { at }) {
      const scope = scopeOf(agent)
      const loaded = documents.load(tx, agent, automationSections)
      if (loaded?.agent.incarnation !== agent.incarnation) return true
      const from = after === undefined ? {} : { after: [...scope, after] as const }
      const rows = [...tx.range(reminderTable, { prefix: scope, ...from, limit: limits.rowsPerSweep })]
      for (const { key, value } of rows) {
        if (value.state !== 'due' || value.attempts > 0) continue
        const dueAt = Math.max(at, reminderDueAt(value.reminded.startUtc, loaded.document.scheduling, timeScale))
        saveAndSchedule(tx, agent, key[3], { ...value, dueAt })
      }
      if (rows.length === limits.rowsPerSweep) scheduleRecompute(tx, { ...agent, after: rows.at(-1)!.key[3] }, at)
      return true
    },
  }

  return { onDocumentChanged, onUnmatchedReport, saveAppointment, commands: { save, report, recompute } }
}

/** Starts an attempt. Deletes a reminder whose appointment has begun, in any state. */
export function startAttempt(tx: Tx, agent: AgentIncarnation, appointmentId: string, at: number): void {
  const scope: AgentScope = scopeOf(agent)
  const before = tx.get(reminderTable, [...scope, appointmentId])
  if (!before) return
  if (before.state !== 'due' || at >= before.reminded.startUtc) {
    if (at >= before.reminded.startUtc) removeReminder(tx, scope, appointmentId, before)
    return
  }
  const { dueAt: _fired, ...rest } = before
  const started: Reminder = { ...rest, state: 'sending', attempts: before.attempts + 1 }
  saveReminder(tx, scope, appointmentId, started, before)
  const { orgId, agentId, incarnation } = agent
  const payload: ReminderAttempt = {
    orgId,
    agentId,
    incarnation,
    appointmentId,
    reminderId: before.id,
    attempt: started.attempts,
  }
  tx.emit({ kind: reminderEffect, destination: `automation:${appointmentId.slice(-1)}`, payload })
}
