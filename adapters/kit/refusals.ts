/**
 * Whom a refusal of a provider is about. Each provider has one table of rows by its codes, and an answer with no code of
 * the table is never the account's: only `account` rows concern the binding.
 */
import type { SendOutcome } from '../../core/channel/adapter.js'

export type Concern = 'account' | 'person' | 'window' | 'transient' | 'content'

export interface Row {
  readonly concerns: Concern
  readonly reason: string
  readonly retry: 'later' | 'otherChannel' | 'never'
  /** What the code says, where that is worth more than its number. */
  readonly means?: string
}

export type RefusedOutcome = Extract<SendOutcome, { readonly kind: 'refused' }>

const meaning = (means: string | undefined) => (means === undefined ? {} : { means })

/** Nothing goes out for anybody before an operator has seen to the account, its credentials or its sender. */
export const account = (means?: string): Row => ({
  concerns: 'account',
  reason: 'sendFailed',
  retry: 'otherChannel',
  ...meaning(means),
})

/** This person is not reached, or not by this provider. */
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

/** The same may be taken later. */
export const transient = (reason = 'sendFailed', means?: string): Row => ({
  concerns: 'transient',
  reason,
  retry: 'later',
  ...meaning(means),
})

/** The same is never taken. */
export const content = (reason = 'invalidMessage', means?: string, retry: Row['retry'] = 'never'): Row => ({
  concerns: 'content',
  reason,
  retry,
  ...meaning(means),
})

export const busy = transient('rateLimited')

/** An answer that no row explains. Credentials that one call did not take may be taken by the next. */
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
