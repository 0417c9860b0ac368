/** The verdict of the operator's reply rules on a message of the agent. */

/** Recorded in the agent's log with the message. */
export interface RuleVerdict {
  readonly flaggedBy?: readonly string[]
  readonly blockedBy?: string
  /** The message is the replacement of the one that was blocked. */
  readonly isReplaced?: true
  /** The rule that blocks was not evaluated to its end within the steps that one message has. */
  readonly isInconclusive?: true
}
