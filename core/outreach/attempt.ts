/** One attempt at a send, and what came of it as far as whoever made it knows. */
import type { LogNote } from '../catalogs/logevents.js'
import type { TroubleName } from './machine.js'

export type AttemptOutcome =
  | { readonly kind: 'taken'; readonly messageId: string }
  | { readonly kind: 'trouble'; readonly trouble: TroubleName; readonly detail?: string }
  | { readonly kind: 'held'; readonly until: number; readonly heldFor?: 'in-conversation' }

export interface AttemptFound {
  readonly outcome: AttemptOutcome
  /** What was found out about the number on the way. */
  readonly isCapable?: boolean
  /** Lines of the log that its conversation has not written, since it took nothing. */
  readonly notes?: readonly LogNote[]
}

export interface AttemptReport extends AttemptFound {
  readonly sendId: string
  /** Counts the tries of one send, from 1. */
  readonly attempt: number
}
