/** What the engine itself keeps: commands already answered, effects still owed, timers still to come. */
import { table } from '../store/contract.js'

/** Answers of commands that carried their own id, so that a second ask gets the first answer. */
export const answeredTable = table<[owner: string, commandId: string], { at: number; answer: unknown }>(
  'shard.answered',
)
/** The same ids by time, so that old ones can be forgotten in order. */
export const answeredAtTable = table<[at: number, owner: string, commandId: string], true>('shard.answeredAt')

export interface OwedEffect {
  kind: string
  payload: unknown
}
export const outboxTable = table<[owner: string, commandId: string, index: number], OwedEffect>('shard.outbox')

export interface StoredTimer {
  command: string
  input: unknown
}
export const timerTable = table<[dueAt: number, owner: string, name: string], StoredTimer>('shard.timers')
export const timerNameTable = table<[owner: string, name: string], number>('shard.timerNames')
