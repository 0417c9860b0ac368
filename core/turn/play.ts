/** The play of a conversation: what a managed agent remembers of it from turn to turn, as plain data. */
import type { FlowFrame } from '../flow/contract.js'

export interface Play {
  /** The session that the rest belongs to; a new session begins with nothing of it. */
  readonly sessionId: string
  readonly startedAt: number
  /** The active playbook; absent for an agent without one. */
  readonly playbookId?: string
  /** The playbook of this session's opening: hidden in every other conversation. */
  readonly outreachId?: string
  /** Frames of the flow that runs, the innermost last; empty while none does. */
  readonly stack: readonly FlowFrame[]
  readonly goal?: { readonly id: string; readonly from: 'playbook' | 'outreach' | 'default' }
  readonly reachedGoals?: readonly string[]
  readonly hasSaidDisclaimers?: true
  /** The person has said something in this session. */
  readonly hasReplied?: true
  /** The journal has the line about the session. */
  readonly isSummarized?: true
  /** Of the session so far, for its one-line summary. */
  readonly summary: SessionSummary
}

export interface SessionSummary {
  readonly playbooks: readonly string[]
  readonly outcomes: readonly string[]
  readonly booked?: string
  readonly savedFields: readonly string[]
}
