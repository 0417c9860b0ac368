/** Twilio's error codes, for refused sends and for later failures. */
import {
  account,
  content,
  optedOut,
  person,
  type RefusedOutcome,
  type Row,
  toRefusal,
  transient,
  windowClosed,
} from '../../kit/refusals.js'

const badCredentials = 'Twilio does not take the account or its token.'
const foreignSender = 'The sender of the channel is not one that this account can send from.'

export const rows: Readonly<Record<number, Row>> = {
  20003: account(badCredentials),
  20005: account('The Twilio account is not active.'),
  20006: account(badCredentials),
  20008: account('These are test credentials.'),
  20404: account('Twilio does not know this account.'),
  21212: account(foreignSender),
  21603: account(foreignSender),
  21601: account(foreignSender),
  21660: account(foreignSender),
  21661: account(foreignSender),
  21701: account('The messaging service does not exist.'),
  21703: account('The messaging service has no sender.'),
  21704: account('The messaging service has no sender.'),
  21705: account('The messaging service does not exist.'),
  30002: account('The Twilio account is suspended.'),
  20429: transient('rateLimited', 'Too many requests.'),
  20500: transient('sendFailed', 'Twilio has a fault of its own.'),
  20503: transient('sendFailed', 'Twilio is not available.'),
  21611: transient('rateLimited', 'The queue of the sender is full.'),
  30001: transient('sendFailed', 'The queue of the sender is full.'),
  30003: { ...person('sendFailed', 'The phone is not reachable.'), retry: 'later' },
  30008: transient('sendFailed', 'The carrier did not say why.'),
  30009: transient('sendFailed', 'A part of the message was lost.'),
  30022: transient('rateLimited', 'The carrier takes no more of this sender just now.'),
  30023: transient('rateLimited', 'The carrier takes no more of this sender today.'),
  30410: transient('sendFailed', 'The carrier did not answer in time.'),
  21211: person('unknownRecipient', 'The number is not valid.'),
  21214: person('unknownRecipient', 'The number cannot be reached.'),
  21217: person('unknownRecipient', 'The number is not valid.'),
  21219: person('unknownRecipient', 'A trial account writes to verified numbers only.'),
  21265: person('unknownRecipient', 'The number is a short code.'),
  21266: person('unknownRecipient', 'The number is the sender itself.'),
  21408: person('sendFailed', 'The account does not send to this country.'),
  21608: person('unknownRecipient', 'A trial account writes to verified numbers only.'),
  21612: person('unknownRecipient', 'The number cannot be reached from this sender.'),
  21614: person('unknownRecipient', 'The number is not of a mobile phone.'),
  21635: person('unknownRecipient', 'The number is a landline.'),
  // Permissions of a sender depend on the person's country.
  21606: person('sendFailed', 'The sender cannot send to this number.'),
  21659: person('sendFailed', 'The sender cannot send to this number.'),
  30032: person('sendFailed', 'The toll-free number is not verified.'),
  30034: person('sendFailed', 'The sender is not registered with the carriers of this number.'),
  30004: person('sendFailed', 'The phone is blocked for messages.'),
  30005: person('unknownRecipient', 'The phone is not known.'),
  30006: person('unknownRecipient', 'The number is a landline or cannot be reached.'),
  21610: optedOut('The person has opted out at Twilio.'),
  63016: windowClosed('The messaging window is closed.'),
  14103: content('invalidMessage', 'The message is empty or too long for Twilio.'),
  21602: content('invalidMessage', 'The message is empty.'),
  21605: content('tooLarge', 'The message is too long for Twilio.'),
  21609: content('sendFailed', 'Twilio does not take the address for receipts.', 'otherChannel'),
  21617: content('tooLarge', 'The message is too long for Twilio.'),
  21619: content('invalidMessage', 'The message is empty.'),
  21620: content('mediaUnreachable', 'Twilio does not take the address of the media.', 'otherChannel'),
  21623: content('invalidMessage', 'The message has too many media.'),
  30007: content('sendFailed', 'A filter of the carrier or of Twilio held it back.'),
  30010: content('sendFailed', 'The message costs more than was allowed for it.'),
  30019: content('tooLarge', 'The media is too large.', 'otherChannel'),
}

/** The code is a number in JSON, and digits in a form. */
export function rowOf(code: unknown): Row | undefined {
  return typeof code === 'number' || typeof code === 'string' ? rows[Number(code)] : undefined
}

export function refusalOf(code: unknown, retryAfterMs?: number): RefusedOutcome | undefined {
  const row = rowOf(code)
  return row && toRefusal(row, 'Twilio could not send it.', retryAfterMs)
}
