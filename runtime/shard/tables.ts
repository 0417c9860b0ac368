/** What an engine itself keeps in each shard: how far it is, commands answered, effects owed, timers to come. */
import { byOwner, table } from '../store/contract.js'

/**
 * Counts the commits of a shard, so that what they leave behind has an order that no clock can disturb. It is written with
 * those that owe something: whoever opens the shard goes on behind all that is owed, and no other commit changes its page.
 */
export const commitTable = table<[], number>('shard.commit')

/** Answers that are remembered, so that a second ask under the same id gets the first answer. */
export const answerTable = byOwner(table<[owner: string, commandId: string], { answer: unknown }>('shard.answers'))
/** The same ids by the time until which they are remembered, so that they can be forgotten in order. */
export const answerExpiryTable = table<[until: number, owner: string, commandId: string], true>('shard.answerExpiries')

export interface OutboxRow {
  readonly kind: string
  readonly payload: unknown
  readonly owner: string
  readonly id: string
  readonly at: number
}
/** A lane is a kind and its destination; within it effects stand in the order of their commits. */
export const outboxTable = table<[lane: string, commit: number, place: number], OutboxRow>('shard.outbox')

export interface StoredTimer {
  command: string
  input: unknown
  /** When it was set, of a timer whose due time is a delay. */
  setAt?: number
  /** The command that dates the entries of its queue anew, of a timer that stands for one. */
  onClockSetBack?: string
}
export const timerTable = table<[dueAt: number, owner: string, name: string], StoredTimer>('shard.timers')
/** The latest time of day that the shard had, some commits ago at most. */
export const latestTimeTable = table<[], number>('shard.latestTime')
export const timerNameTable = byOwner(table<[owner: string, name: string], number>('shard.timerNames'))
