/**
 * Counts of a campaign's recipients by status, updated with every change of one of them, so that a report reads no
 * rows.
 */
import {
  type Exclusion,
  exclusions,
  type RecipientReason,
  type RecipientState,
  type RecipientStatus,
  reasonOfExclusion,
  recipientStates,
} from './recipient.js'

export interface RecipientTally {
  readonly states: Readonly<Partial<Record<RecipientState, number>>>
  readonly reasons: Readonly<Partial<Record<RecipientReason, number>>>
}

/** The result of staging: everyone in the audience, counted once. */
export interface Counts {
  readonly total: number
  readonly sendable: number
  readonly exclusions: Readonly<Record<Exclusion, number>>
}

export const emptyCounts: Counts = {
  total: 0,
  sendable: 0,
  exclusions: Object.fromEntries(exclusions.map((name) => [name, 0])) as Record<Exclusion, number>,
}

export const emptyTally: RecipientTally = { states: {}, reasons: {} }

export function tallyOf(counts: Counts): RecipientTally {
  return exclusions.reduce<RecipientTally>(
    (tally, name) => addCount(tally, { state: 'excluded', reason: reasonOfExclusion[name] }, counts.exclusions[name]),
    addCount(emptyTally, { state: 'pending' }, counts.sendable),
  )
}

/** Adds `by` recipients to a status; a negative number removes them. */
export function addCount(tally: RecipientTally, { state, reason }: RecipientStatus, by: number): RecipientTally {
  if (by === 0) return tally
  const states = { ...tally.states, [state]: countOf(tally, state) + by }
  const { reasons } = tally
  return { states, reasons: reason ? { ...reasons, [reason]: (reasons[reason] ?? 0) + by } : reasons }
}

/** Moves recipients from one status to another. Returns the same object when both are equal. */
export function moveCount(tally: RecipientTally, from: RecipientStatus, to: RecipientStatus, by = 1): RecipientTally {
  if (from.state === to.state && from.reason === to.reason) return tally
  return addCount(addCount(tally, from, -by), to, by)
}

export function countOf({ states }: RecipientTally, state: RecipientState): number {
  return states[state] ?? 0
}

/** Recipients to whom a message may still go out. */
export function openCount(tally: RecipientTally): number {
  return countOf(tally, 'pending') + countOf(tally, 'queued') + countOf(tally, 'sending')
}

/** Every state with its count, and the reasons with a count. */
export function tallyView(tally: RecipientTally) {
  const states = Object.fromEntries(recipientStates.map((state) => [state, countOf(tally, state)]))
  const reasons = Object.fromEntries(Object.entries(tally.reasons).filter(([, count]) => count > 0))
  return {
    states: states as Record<RecipientState, number>,
    reasons: reasons as Record<string, number>,
    total: Object.values(states).reduce((sum, count) => sum + count, 0),
  }
}
