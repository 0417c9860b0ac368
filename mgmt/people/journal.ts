/** Journal and appointments of people. */
import type { AgentScope } from '../../core/agent/scope.js'
import { person as limits } from '../../core/limits/index.js'
import type { Appointment } from '../../core/people/appointment.js'
import type { JournalEntry } from '../../core/people/view.js'
import type { Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { appointmentTable, journalTable } from './store.js'

/** Appends an entry; at the limit the oldest entry is removed. */
export function append(tx: Tx, scope: AgentScope, personId: string, entry: JournalEntry): void {
  const [newest] = tx.range(journalTable, { prefix: [...scope, personId], reverse: true, limit: 1 })
  const number = (newest?.key[4] ?? 0) + 1
  const text = entry.text.slice(0, limits.journalChars)
  tx.put(journalTable, [...scope, personId, number], { ...entry, text })
  if (number > limits.retainedJournalEntries)
    tx.remove(journalTable, [...scope, personId, number - limits.retainedJournalEntries])
}

/** Appends the entry unless the newest entry has the same text. */
export function noteOnce(tx: Tx, scope: AgentScope, personId: string, entry: JournalEntry): void {
  if (journalOf(tx, scope, personId, 1)[0]?.text !== entry.text) append(tx, scope, personId, entry)
}

/** Newest first. */
export function journalOf(reader: Reader, scope: AgentScope, personId: string, limit: number): JournalEntry[] {
  const rows = reader.range(journalTable, { prefix: [...scope, personId], reverse: true, limit })
  return Array.from(rows, ({ value }) => value)
}

/** Newest first, because appointment ids are in order of time. */
export function appointmentsOf(reader: Reader, scope: AgentScope, personId: string): Appointment[] {
  const options = { prefix: [...scope, personId], reverse: true, limit: limits.appointmentsShown }
  return Array.from(reader.range(appointmentTable, options), ({ value }) => value)
}

export function deleteJournal(tx: Tx, scope: AgentScope, personId: string): void {
  for (const { key } of tx.range(journalTable, { prefix: [...scope, personId] })) tx.remove(journalTable, key)
  for (const { key } of tx.range(appointmentTable, { prefix: [...scope, personId] })) tx.remove(appointmentTable, key)
}

/** Moves journal and appointments of one person to another and merges them by time. */
export function moveJournal(tx: Tx, scope: AgentScope, from: string, to: string): void {
  const both = [from, to].flatMap((id) => journalOf(tx, scope, id, limits.retainedJournalEntries).reverse())
  const entries = both.sort((one, other) => one.at - other.at).slice(-limits.retainedJournalEntries)
  const appointments = [from, to].flatMap((id) =>
    Array.from(tx.range(appointmentTable, { prefix: [...scope, id] }), ({ value }) => value),
  )
  for (const id of [from, to]) deleteJournal(tx, scope, id)
  for (const [index, entry] of entries.entries()) tx.put(journalTable, [...scope, to, index + 1], entry)
  for (const each of appointments) tx.put(appointmentTable, [...scope, to, each.id], each)
}
