/** Reasons for rejecting a message, in the words of the contract. */
export const rejectionReasons = [
  'optedOut',
  'windowClosed',
  'mediaUnreachable',
  'unsupportedPart',
  'invalidMessage',
  'unknownRecipient',
  'noBinding',
  'bindingNotReady',
  'tooLarge',
  'invalidSignal',
  'loopDetected',
  'blockedByRule',
] as const

export type RejectionReason = (typeof rejectionReasons)[number]

/**
 * Reasons that are decisions: of a person, the operator or the loop breaker. The same message would be rejected again.
 */
const finalReasons: readonly RejectionReason[] = ['optedOut', 'blockedByRule', 'loopDetected']

export function isFinalRejection({ reason }: Rejection): boolean {
  return finalReasons.includes(reason)
}

export interface Rejection {
  readonly reason: RejectionReason
  readonly detail?: string
}

export function reject(reason: RejectionReason, detail?: string): Rejection {
  return { reason, ...(detail && { detail }) }
}
