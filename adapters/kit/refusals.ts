/**
 * Refusal tables: whom a provider's refusal concerns. Each provider has one table of rows by error code. Only `account`
 * rows concern the binding, so a code that is not in the table never disables a binding.
 */
import type { SendOutcome } from '../../core/channel/adapter.js'

export type Concern = 'account' | 'person' | 'window' | 'transient' | 'content'

export interface Row {
  readonly concerns: Concern
  readonly reason: string
  readonly retry: 'later' | 'otherChannel' | 'never'
  /** The meaning of the code, where the number alone says too little. */
  readonly means?: string
}

export type RefusedOutcome = Extract<SendOutcome, { readonly kind: 'refused' }>

const meaning = (means: string | undefined) => (means === undefined ? {} : { means })

/** Nothing goes out over the binding until an operator has fixed the account, its credentials or its sender. */
export const account = (means?: string): Row => ({
  concerns: 'account',
  reason: 'sendFailed',
  retry: 'otherChannel',
  ...meaning(means),
})

/** This person cannot be reached, or cannot be reached over this provider. */
export const person = (reason = 'unknownRecipient', means?: string): Row => ({
  concerns: 'person',
  reason,
  retry: 'otherChannel',
  ...meaning(means),
})

export const optedOut = (means?: string): Row => ({
  concerns: 'person',
  reason: 'optedOut',
  retry: 'never',
  ...meaning(means),
})

export const windowClosed = (means?: string): Row => ({
  concerns: 'window',
  reason: 'windowClosed',
  retry: 'otherChannel',
  ...meaning(means),
})

/** The provider may accept the same message later. */
export const transient = (reason = 'sendFailed', means?: string): Row => ({
  concerns: 'transient',
  reason,
  retry: 'later',
  ...meaning(means),
})

/** The provider never accepts the same message; another channel may. */
export const content = (reason = 'invalidMessage', means?: string, retry: Row['retry'] = 'never'): Row => ({
  concerns: 'content',
  reason,
  retry,
  ...meaning(means),
})

export const busy = transient('rateLimited')

/**
 * The row for a status without a listed code. A 401 is retried, since another call may succeed with the same
 * credentials.
 */
export function unlistedRefusal(status: number): Row {
  return status === 401 ? transient() : person('sendFailed')
}

export function toRefusal(
  { concerns, reason, retry, means }: Row,
  detail: string,
  retryAfterMs?: number,
): RefusedOutcome {
  return {
    kind: 'refused',
    reason,
    detail: means ?? detail,
    retry,
    ...(retry === 'later' && retryAfterMs !== undefined && { retryAfterMs }),
    ...(concerns === 'account' && { needsOperator: true }),
  }
}
