/**
 * Tables of rules, runs and reminders, in the agent's shard. Keys contain the agent's incarnation, and those of runs
 * the key of their rule, which is never used again: a later agent or rule of the same id sees none of the earlier rows.
 */
import type { AgentScope, ScopedKey } from '../../core/agent/scope.js'
import type { ReminderSubject } from '../../core/automation/reminder.js'
import type { Rule, Trigger } from '../../core/automation/rule.js'
import { isActive, isUndecided, type RuleRun } from '../../core/automation/run.js'
import type { Tx } from '../../runtime/shard/contract.js'
import { cacheWrites, type Key, type Reader, type Table, table } from '../../runtime/store/contract.js'

/** The part of a rule that every changed person is checked against. */
export interface RuleEntry {
  readonly id: string
  readonly key: string
  readonly name: string
  readonly outreachId: string
  readonly enabled: boolean
  readonly trigger: Trigger
}

/** The reminder of one appointment. */
export interface Reminder {
  /** Changes each time the appointment moves, so that a conversation accepts each reminder once. */
  readonly id: string
  readonly personId: string
  readonly reminded: ReminderSubject
  /** `due` until it is picked up, `sending` until its attempt is reported, `done` until the appointment begins. */
  readonly state: 'due' | 'sending' | 'done'
  /** Its position in the queue; absent while it is not queued. */
  readonly dueAt?: number
  readonly attempts: number
}

/** In the order of creation. */
export const entryTable = cacheWrites(table<ScopedKey<[]>, readonly RuleEntry[]>('automation.entries'))
export const ruleTable = table<ScopedKey<[ruleKey: string]>, Rule>('automation.rules')
export const runTable = table<ScopedKey<[ruleKey: string, personId: string]>, RuleRun>('automation.runs')
/**
 * The rule that is about to send that outreach to that person: one at a time, and none after the person received it.
 */
export const claimTable = table<ScopedKey<[outreachId: string, personId: string]>, string>('automation.claims')
/** Index from a send in progress to its run. */
export const sendTable = table<ScopedKey<[sendId: string]>, readonly [ruleKey: string, personId: string]>(
  'automation.sends',
)
export const reminderTable = table<ScopedKey<[appointmentId: string]>, Reminder>('automation.reminders')
/** Index from the id under which a conversation knows a reminder to its appointment. */
export const reminderIdTable = table<ScopedKey<[reminderId: string]>, string>('automation.reminderids')
/** Queue by due time: a run by its rule and person, a reminder by its appointment. */
export const queueTable = table<
  ScopedKey<[dueAt: number, what: 'run' | 'reminder', id: string, personId: string]>,
  true
>('automation.queue')
/** When the agent's timer is due, so that a later timer does not replace it. */
export const timerTable = cacheWrites(table<ScopedKey<[]>, { readonly pickupAt: number }>('automation.timer'))

export const allTables = [
  entryTable,
  ruleTable,
  runTable,
  claimTable,
  sendTable,
  reminderTable,
  reminderIdTable,
  queueTable,
  timerTable,
] as unknown as readonly Table<Key, unknown>[]

export function entriesOf(reader: Reader, scope: AgentScope): readonly RuleEntry[] {
  return reader.get(entryTable, scope) ?? []
}

export function getRun(reader: Reader, scope: AgentScope, ruleKey: string, personId: string): RuleRun | undefined {
  return reader.get(runTable, [...scope, ruleKey, personId])
}

/** When a run must be evaluated, or deleted once it has ended. Undefined while its send is in progress. */
export function runDueAt(run: RuleRun): number | undefined {
  return isUndecided(run) ? run.dueAt : run.deleteAt
}

/**
 * Writes a run with its claim and its queue row. `isInProgress`: an evaluation is under way, so the run is not queued.
 */
export function saveRun(
  tx: Tx,
  scope: AgentScope,
  [ruleKey, personId]: readonly [string, string],
  run: RuleRun,
  before?: RuleRun,
  isInProgress = false,
): void {
  const previousDueAt = before && runDueAt(before)
  const nextDueAt = isInProgress ? undefined : runDueAt(run)
  if (previousDueAt !== undefined) tx.remove(queueTable, [...scope, previousDueAt, 'run', ruleKey, personId])
  if (nextDueAt !== undefined) tx.put(queueTable, [...scope, nextDueAt, 'run', ruleKey, personId], true)
  tx.put(runTable, [...scope, ruleKey, personId], run)
  const claim = [...scope, run.outreachId, personId] as const
  if (isActive(run)) tx.put(claimTable, claim, ruleKey)
  else if (tx.get(claimTable, claim) === ruleKey) tx.remove(claimTable, claim)
}

/** Removes a run and all rows that refer to it. */
export function removeRun(
  tx: Tx,
  scope: AgentScope,
  [ruleKey, personId]: readonly [string, string],
  run: RuleRun,
): void {
  const previousDueAt = runDueAt(run)
  if (previousDueAt !== undefined) tx.remove(queueTable, [...scope, previousDueAt, 'run', ruleKey, personId])
  const claim = [...scope, run.outreachId, personId] as const
  if (tx.get(claimTable, claim) === ruleKey) tx.remove(claimTable, claim)
  if (run.sendId !== undefined) tx.remove(sendTable, [...scope, run.sendId])
  tx.remove(runTable, [...scope, ruleKey, personId])
}

/** Writes a reminder and its queue row. */
export function saveReminder(
  tx: Tx,
  scope: AgentScope,
  appointmentId: string,
  after: Reminder,
  before?: Reminder,
): void {
  if (before?.dueAt !== after.dueAt) {
    if (before?.dueAt !== undefined) tx.remove(queueTable, [...scope, before.dueAt, 'reminder', appointmentId, ''])
    if (after.dueAt !== undefined) tx.put(queueTable, [...scope, after.dueAt, 'reminder', appointmentId, ''], true)
  }
  if (!before) tx.put(reminderIdTable, [...scope, after.id], appointmentId)
  tx.put(reminderTable, [...scope, appointmentId], after)
}

export function removeReminder(tx: Tx, scope: AgentScope, appointmentId: string, { id, dueAt }: Reminder): void {
  if (dueAt !== undefined) tx.remove(queueTable, [...scope, dueAt, 'reminder', appointmentId, ''])
  tx.remove(reminderIdTable, [...scope, id])
  tx.remove(reminderTable, [...scope, appointmentId])
}
