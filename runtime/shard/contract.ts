/**
 * The door through which all state changes. A change is a command to the owner of its key: a name, an input that can
 * travel as data, and a synchronous decision over a transaction.
 */
import type { Actor } from '../../core/access.js'
import type { Refusal } from '../../core/errors.js'
import type { Key, Reader, Table } from '../store/contract.js'

/** What a decision is told besides its input: the only time and the only randomness it may use. */
export interface Told {
  readonly commandId: string
  readonly at: number
  /** Who asked, for attribution; absent when the house itself did. */
  readonly by?: Actor
  /** A new id, the same one each time this command is decided again. */
  mint(prefix: string): string
}

/** Work to be done once the commit is durable: performed at least once, always under the same id. */
export interface Effect {
  readonly kind: string
  readonly payload: unknown
}

/** A command that the house gives itself at a later time. A timer of the same name on the same owner is replaced. */
export interface Timer {
  readonly name: string
  readonly dueAt: number
  readonly command: string
  readonly input: unknown
}

/** Reads see this command's own writes. All writes, effects and timers of a command become durable together. */
export interface Tx extends Reader {
  put<K extends Key, V>(table: Table<K, V>, key: K, value: V): void
  remove<K extends Key, V>(table: Table<K, V>, key: K): void
  effect(effect: Effect): void
  schedule(timer: Timer): void
  unschedule(name: string): void
}

export interface Command<I, R> {
  readonly name: string
  /** A refusal, or an exception, leaves no trace: nothing it wrote is kept and nobody else's command is touched. */
  decide(tx: Tx, input: I, told: Told): R | Refusal
}

export interface AskOptions {
  /** A second ask under an id already committed within the day returns the first answer and changes nothing. */
  readonly id?: string
  readonly by?: Actor
}

/**
 * Commands of one owner are decided one after another in the order they were asked. `ask` resolves after the commit is
 * durable. A full mailbox answers `service.unavailable` at once; nothing waits without bound.
 */
export interface Shards {
  ask<I, R>(owner: string, command: Command<I, R>, input: I, options?: AskOptions): Promise<R | Refusal>
  /** Committed state of that owner; never waits. */
  view(owner: string): Reader
}

/** Told of every durable change of one table, before the command that made it is answered. */
export interface Watch {
  watch<K extends Key, V>(table: Table<K, V>, seen: (key: K, value: V | undefined) => void): void
}

/**
 * Performs one kind of effect. Its id is owner, command and place, and no other effect ever has it. It may be called
 * again with the same id after a crash, so its receiver drops repeats.
 */
export type Performer = (payload: never, effectId: string) => Promise<void>
