/** What the statuses of a message center mean for a message, for the line, and for whoever runs it. */
import type { SendOutcome } from '../../../core/channel/adapter.js'

export const statuses = {
  ok: 0x00,
  badCommand: 0x03,
  wrongBind: 0x04,
  queueFull: 0x14,
  throttled: 0x58,
  /** For now; the other side tries again. */
  notTaken: 0x64,
  badLength: 0x02,
} as const

type Refused = Extract<SendOutcome, { readonly kind: 'refused' }>
type Verdict = Pick<Refused, 'reason' | 'again' | 'needsOperator'> & { readonly means: string }

const later = (means: string, reason = 'sendFailed'): Verdict => ({ means, reason, again: 'later' })
const elsewhere = (means: string, reason = 'sendFailed'): Verdict => ({ means, reason, again: 'elsewhere' })
const never = (means: string, reason = 'invalidMessage'): Verdict => ({ means, reason, again: 'never' })
const operator = (means: string): Verdict => ({ ...elsewhere(means), needsOperator: true })

const verdicts: Readonly<Record<number, Verdict>> = {
  1: never('a wrong length', 'tooLarge'),
  2: never('a wrong unit length'),
  4: later('that the line is not bound for sending'),
  5: later('that the account is bound already'),
  8: later('an error of its own'),
  10: operator('that the sender is not allowed'),
  11: elsewhere('that there is no such recipient', 'unknownRecipient'),
  13: operator('that the account may not bind'),
  14: operator('a wrong password'),
  15: operator('an unknown system id'),
  20: later('a full queue', 'rateLimited'),
  69: elsewhere('that it could not be submitted'),
  72: operator('a wrong type of the sender'),
  73: operator('a wrong numbering plan of the sender'),
  80: elsewhere('a wrong type of the recipient', 'unknownRecipient'),
  81: elsewhere('a wrong numbering plan of the recipient', 'unknownRecipient'),
  83: operator('a wrong system type'),
  88: later('that it gets too much', 'rateLimited'),
  97: never('a wrong time of delivery'),
  98: never('a wrong end of validity'),
  100: later('that it cannot take it now'),
  101: elsewhere('that it will not take it'),
  102: elsewhere('that it refuses it'),
  192: never('a wrong optional field'),
  194: never('a wrong length of an optional field'),
  196: never('a wrong value of an optional field'),
  254: elsewhere('that it cannot be delivered'),
  255: later('an error that it does not name'),
}

/** What is not in the table is the carrier's own: nobody knows whether asking again could help. */
const unlisted = elsewhere('a status of its own')

const hex = (status: number) => `0x${status.toString(16).padStart(2, '0')}`

export function refusalOf(status: number): Refused {
  const { means, ...verdict } = verdicts[status] ?? unlisted
  return { kind: 'refused', ...verdict, detail: `The message center answered ${hex(status)}: ${means}.` }
}

/** Why it would not let us bind. */
export function bindTrouble(status: number): { readonly trouble: string; readonly needsOperator: boolean } {
  const { means, needsOperator } = verdicts[status] ?? unlisted
  return {
    trouble: `The message center refused the line with ${hex(status)}: ${means}.`,
    needsOperator: needsOperator === true,
  }
}

/** It wants fewer messages, whichever they are. */
export function asksForLess(status: number): boolean {
  return status === statuses.throttled || status === statuses.queueFull
}

export function notNow(detail: string, reason = 'sendFailed'): Refused {
  return { kind: 'refused', reason, detail, again: 'later' }
}
