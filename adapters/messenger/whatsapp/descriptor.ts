/** The WhatsApp Cloud API as data: what it is bound with, what it shows, and what its error codes mean. */
import { providerForm } from '../../../core/catalogs/index.js'
import { contractVersion, type Descriptor } from '../../../core/channel/adapter.js'
import { traitsOf } from '../../../core/channel/table.js'
import { account, type GraphAuth, type Refusals } from '../graph.js'
import { signatureHeader } from '../hub.js'

export interface WhatsappAuth extends GraphAuth {
  readonly phoneNumberId: string
}

export const descriptor: Descriptor = {
  contract: contractVersion,
  channel: 'messengerA',
  provider: 'whatsapp',
  traits: traitsOf('messengerA'),
  form: providerForm('messengerA', 'whatsapp'),
  headers: [signatureHeader],
  // A number has this much in both directions before it is given more.
  bulkPerSecond: 80,
}

const busy = { reason: 'rateLimited', again: 'later' } as const
const wrong = { reason: 'invalidMessage', again: 'never' } as const

/** The same codes stand in answers to a send and in receipts that tell of a failure. */
export const refusals: Refusals = {
  100: wrong,
  190: account,
  130429: busy,
  131009: wrong,
  131026: { reason: 'unknownRecipient', again: 'elsewhere' },
  131031: account,
  131042: account,
  131047: { reason: 'windowClosed', again: 'elsewhere' },
  // Withheld by the provider, or too much of it was reported: asking again soon makes it worse.
  131048: { reason: 'sendFailed', again: 'elsewhere' },
  131049: { reason: 'sendFailed', again: 'elsewhere' },
  131050: { reason: 'optedOut', again: 'never' },
  131051: { reason: 'unsupportedPart', again: 'never' },
  131053: { reason: 'mediaUnreachable', again: 'elsewhere' },
  131056: busy,
  132001: wrong,
}
