/** The verdict of the operator's reply rules on a message of the agent. */

/** Recorded in the agent's log with the message. */
export interface RuleVerdict {
  readonly flaggedBy?: readonly string[]
  readonly blockedBy?: string
  /** The message is the replacement of the blocked one. */
  readonly isReplaced?: true
  /** The blocking rule did not finish within the step budget of one message. */
  readonly isInconclusive?: true
}
