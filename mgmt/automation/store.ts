/**
 * Where rules, their rows and reminders are kept, beside their agent in its shard. Keys hold the agent's serial, and rows
 * the key of their rule, which is never used again: whoever comes after under an old id sees nothing of what was before.
 */
import type { AgentScope, ScopedKey } from '../../core/agent/scope.js'
import type { ReminderSubject } from '../../core/automation/reminder.js'
import type { Rule, Trigger } from '../../core/automation/rule.js'
import { isActive, isUndecided, type RuleRun } from '../../core/automation/run.js'
import type { Tx } from '../../runtime/shard/contract.js'
import { cacheWrites, type Key, type Reader, type Table, table } from '../../runtime/store/contract.js'

/** As much of a rule as everybody who is kept is held against. */
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
  /** Another one each time the appointment moves, so that conversations take each once. */
  readonly id: string
  readonly personId: string
  readonly reminded: ReminderSubject
  /** `due` until it is picked up, `sending` until its attempt is reported, `over` until the appointment begins. */
  readonly state: 'due' | 'sending' | 'done'
  /** Where it stands in the queue, while it does. */
  readonly dueAt?: number
  readonly attempts: number
}

/** In the order of their making. */
export const entryTable = cacheWrites(table<ScopedKey<[]>, readonly RuleEntry[]>('automation.entries'))
export const ruleTable = table<ScopedKey<[ruleKey: string]>, Rule>('automation.rules')
export const runTable = table<ScopedKey<[ruleKey: string, personId: string]>, RuleRun>('automation.runs')
/** Which rule is about to send that outreach to that person: one at a time, and none after they received it. */
export const claimTable = table<ScopedKey<[outreachId: string, personId: string]>, string>('automation.claims')
/** Leads from a send that is on its way to the row it came from. */
export const sendTable = table<ScopedKey<[sendId: string]>, readonly [ruleKey: string, personId: string]>(
  'automation.sends',
)
export const reminderTable = table<ScopedKey<[appointmentId: string]>, Reminder>('automation.reminders')
/** Leads from the id under which a conversation knows a reminder to its appointment. */
export const reminderIdTable = table<ScopedKey<[reminderId: string]>, string>('automation.reminderids')
/** What is due when: a row under its rule and person, a reminder under its appointment. */
export const queueTable = table<
  ScopedKey<[dueAt: number, what: 'run' | 'reminder', id: string, personId: string]>,
  true
>('automation.queue')
/** When the timer of the agent rings, so that none is set that is not sooner. */
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

/** When somebody has to see to a row: to decide it, or to forget it. Nobody has to while its send is on its way. */
export function runDueAt(run: RuleRun): number | undefined {
  return isUndecided(run) ? run.dueAt : run.deleteAt
}

/** Keeps a row with its claim and its place in the queue; `isInProgress`: somebody is looking at it. */
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

/** A row and all that leads to it. */
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

/** Keeps a reminder and its place in the queue. */
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
