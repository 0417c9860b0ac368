/** What the error codes of Twilio mean, for a send that is refused at once and for one that fails later. */
import type { SendOutcome } from '../../../core/channel/adapter.js'

export type Meaning = Omit<Extract<SendOutcome, { kind: 'refused' }>, 'kind' | 'detail'> & { readonly detail: string }

const meanings: Readonly<Record<number, Meaning>> = {
  14103: { reason: 'invalidMessage', detail: 'The message is empty or too long for Twilio.', again: 'never' },
  20429: { reason: 'rateLimited', detail: 'Too many requests.', again: 'later' },
  21211: { reason: 'unknownRecipient', detail: 'The number is not valid.', again: 'elsewhere' },
  21610: { reason: 'optedOut', detail: 'The person has opted out at Twilio.', again: 'never' },
  21614: { reason: 'unknownRecipient', detail: 'The number is not of a mobile phone.', again: 'elsewhere' },
  30001: { reason: 'sendFailed', detail: 'The queue of the sender is full.', again: 'later' },
  30003: { reason: 'sendFailed', detail: 'The phone is not reachable.', again: 'later' },
  30005: { reason: 'unknownRecipient', detail: 'The phone is not known.', again: 'elsewhere' },
  30006: { reason: 'unknownRecipient', detail: 'The number is a landline or cannot be reached.', again: 'elsewhere' },
  30007: { reason: 'sendFailed', detail: 'A filter of the carrier or of Twilio held it back.', again: 'never' },
  30008: { reason: 'sendFailed', detail: 'The carrier did not say why.', again: 'later' },
  30034: {
    reason: 'sendFailed',
    detail: 'The sender is not registered with the carriers.',
    again: 'elsewhere',
    needsOperator: true,
  },
  63016: { reason: 'windowClosed', detail: 'The messaging window is closed.', again: 'elsewhere' },
}

/** A code comes as a number, or as its digits in a form. */
export function meaningOf(code: unknown): Meaning | undefined {
  return typeof code === 'number' || typeof code === 'string' ? meanings[Number(code)] : undefined
}
