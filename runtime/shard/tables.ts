/** Tables of the engine in each shard: commit number, answers, pending effects, timers. */
import { byOwner, table } from '../store/contract.js'

/**
 * The number of the last commit with effects; it orders them independently of any clock. Only commits with effects
 * write it: the next owner continues behind all pending effects, and other commits do not touch its page.
 */
export const commitTable = table<[], number>('shard.commit')

/** Remembered answers: a second call under the same id gets the first answer. */
export const answerTable = byOwner(table<[owner: string, commandId: string], { answer: unknown }>('shard.answers'))
/** The same ids by the time of their expiry, so that they expire in order. */
export const answerExpiryTable = table<[until: number, owner: string, commandId: string], true>('shard.answerExpiries')

export interface OutboxRow {
  readonly kind: string
  readonly payload: unknown
  readonly owner: string
  readonly id: string
  readonly at: number
}
/** A lane is a kind and its destination; within it effects are in the order of their commits. */
export const outboxTable = table<[lane: string, commit: number, place: number], OutboxRow>('shard.outbox')

export interface StoredTimer {
  command: string
  input: unknown
  /** When the timer was set, if its due time is a delay. */
  setAt?: number
  /** The command that reschedules the entries of the timer's queue. */
  onClockSetBack?: string
}
export const timerTable = table<[dueAt: number, owner: string, name: string], StoredTimer>('shard.timers')
/** The latest time of day of the shard, up to some commits ago. */
export const latestTimeTable = table<[], number>('shard.latestTime')
export const timerNameTable = byOwner(table<[owner: string, name: string], number>('shard.timerNames'))
