/** Descriptor data of the WhatsApp Cloud API: credential form, traits and error codes. */
import { providerForm } from '../../../core/catalogs/index.js'
import { contractVersion, type Descriptor } from '../../../core/channel/adapter.js'
import { traitsOf } from '../../../core/channel/channeltraits.js'
import { account, busy, optedOut, person, transient, windowClosed } from '../../kit/refusals.js'
import { type GraphAuth, type Refusals, rejectedContent } from '../graph.js'
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
  // The throughput of a new number, in both directions together.
  bulkPerSecond: 80,
}

const rejectedTemplate = rejectedContent()

/** Errors of the Cloud API, as Meta documents them. The same codes come in answers and in receipts of a failure. */
export const refusals: Refusals = {
  0: account(),
  3: account(),
  10: account(),
  33: account(),
  190: account(),
  200: account(),
  368: account(),
  131005: account(),
  131031: account(),
  131037: account(),
  131042: account(),
  131045: account(),
  133010: account(),
  1: transient(),
  2: transient(),
  4: busy,
  80007: busy,
  130429: busy,
  131056: busy,
  131000: transient(),
  131016: transient(),
  131057: transient(),
  133004: transient(),
  // Meta withholds the message, or people reported too many: an early retry makes it worse.
  131048: person('sendFailed'),
  131049: person('sendFailed'),
  130472: person('sendFailed'),
  // Meta does not deliver to people of that country.
  130497: person('sendFailed'),
  131021: person(),
  131026: person(),
  131030: person(),
  131050: optedOut(),
  131047: windowClosed(),
  100: rejectedContent(),
  131008: rejectedContent(),
  131009: rejectedContent(),
  131051: rejectedContent('unsupportedPart'),
  131052: rejectedContent('mediaUnreachable'),
  131053: rejectedContent('mediaUnreachable'),
  132000: rejectedTemplate,
  132001: rejectedTemplate,
  132005: rejectedTemplate,
  132007: rejectedTemplate,
  132012: rejectedTemplate,
  132015: rejectedTemplate,
  132016: rejectedTemplate,
  135000: rejectedContent(),
}
