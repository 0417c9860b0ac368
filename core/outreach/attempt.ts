/** One attempt at a send, and its outcome as far as the caller knows it. */
import type { LogNote } from '../catalogs/logevents.js'
import type { FailureName } from './statemachine.js'

export type AttemptOutcome =
  | { readonly kind: 'accepted'; readonly messageId: string }
  | { readonly kind: 'failure'; readonly failure: FailureName; readonly detail?: string }
  | { readonly kind: 'deferred'; readonly until: number; readonly deferredFor?: 'in-conversation' }

export interface AttemptResult {
  readonly outcome: AttemptOutcome
  /** Whether the number is capable, if the attempt found out. */
  readonly isCapable?: boolean
  /** Log notes that its conversation has not written, since it did not accept the opener. */
  readonly notes?: readonly LogNote[]
}

export interface AttemptReport extends AttemptResult {
  readonly sendId: string
  /** Counts the attempts of one send, from 1. */
  readonly attempt: number
}
