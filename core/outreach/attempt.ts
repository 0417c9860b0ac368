/** One attempt at a send, and what came of it as far as whoever made it knows. */
import type { LogNote } from '../catalogs/logevents.js'
import type { FailureName } from './statemachine.js'

export type AttemptOutcome =
  | { readonly kind: 'accepted'; readonly messageId: string }
  | { readonly kind: 'failure'; readonly failure: FailureName; readonly detail?: string }
  | { readonly kind: 'deferred'; readonly until: number; readonly deferredFor?: 'in-conversation' }

export interface AttemptResult {
  readonly outcome: AttemptOutcome
  /** What was found out about the number on the way. */
  readonly isCapable?: boolean
  /** Lines of the log that its conversation has not written, since it took nothing. */
  readonly notes?: readonly LogNote[]
}

export interface AttemptReport extends AttemptResult {
  readonly sendId: string
  /** Counts the tries of one send, from 1. */
  readonly attempt: number
}
