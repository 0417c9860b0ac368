/** Meaning of SMPP statuses for a message, for the session and for its operator. */
import { account, content, person, type RefusedOutcome, type Row, toRefusal, transient } from '../../kit/refusals.js'

export const statuses = {
  ok: 0x00,
  badCommand: 0x03,
  wrongBind: 0x04,
  queueFull: 0x14,
  throttled: 0x58,
  /** Not accepted now: the other side sends the PDU again. */
  notTaken: 0x64,
  /** Rejected for good: the other side drops the PDU, or notifies its sender. */
  rejected: 0x65,
  badLength: 0x02,
} as const

export const rows: Readonly<Record<number, Row>> = {
  1: content('tooLarge', 'a wrong length'),
  2: content('invalidMessage', 'a wrong unit length'),
  4: transient('sendFailed', 'that the line is not bound for sending'),
  5: transient('sendFailed', 'that the account is bound already'),
  8: transient('sendFailed', 'an error of its own'),
  // Carriers allow senders by the country of the recipient.
  10: person('sendFailed', 'that the sender is not allowed'),
  11: person('unknownRecipient', 'that there is no such recipient'),
  13: account('that the account may not bind'),
  14: account('a wrong password'),
  15: account('an unknown system id'),
  20: transient('rateLimited', 'a full queue'),
  69: person('sendFailed', 'that it could not be submitted'),
  72: account('a wrong type of the sender'),
  73: account('a wrong numbering plan of the sender'),
  80: person('unknownRecipient', 'a wrong type of the recipient'),
  81: person('unknownRecipient', 'a wrong numbering plan of the recipient'),
  83: account('a wrong system type'),
  88: transient('rateLimited', 'that it gets too much'),
  97: content('invalidMessage', 'a wrong time of delivery'),
  98: content('invalidMessage', 'a wrong end of validity'),
  100: transient('sendFailed', 'that it cannot take it now'),
  101: person('sendFailed', 'that it will not take it'),
  102: person('sendFailed', 'that it refuses it'),
  192: content('invalidMessage', 'a wrong optional field'),
  194: content('invalidMessage', 'a wrong length of an optional field'),
  196: content('invalidMessage', 'a wrong value of an optional field'),
  254: person('sendFailed', 'that it cannot be delivered'),
  255: transient('sendFailed', 'an error that it does not name'),
}

/** An unlisted status is the carrier's own; its meaning is unknown. */
const unlisted = person('sendFailed', 'a status of its own')

const hex = (status: number) => `0x${status.toString(16).padStart(2, '0')}`

export function refusalOf(status: number): RefusedOutcome {
  const { means, ...row } = rows[status] ?? unlisted
  return toRefusal(row, `The message center answered ${hex(status)}: ${means}.`)
}

/** Describes why the message center refused the bind. */
export function describeBindRefusal(status: number): { readonly problem: string; readonly needsOperator: boolean } {
  const { means, concerns } = rows[status] ?? unlisted
  return {
    problem: `The message center refused the line with ${hex(status)}: ${means}.`,
    needsOperator: concerns === 'account',
  }
}

/** True for statuses that ask for fewer messages. */
export function isThrottle(status: number): boolean {
  return status === statuses.throttled || status === statuses.queueFull
}

export function retryLater(detail: string, reason = 'sendFailed'): RefusedOutcome {
  return { kind: 'refused', reason, detail, retry: 'later' }
}
