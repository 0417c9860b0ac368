/** Why a message is not taken, in the words of the contract. */
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

/** Reasons that are decisions: a person's, the operator's or the loop breaker's. The same message would meet them again. */
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
