/** Descriptor data of SMPP for the sms channel. */
import { providerForm } from '../../../core/catalogs/index.js'
import { contractVersion, type Descriptor } from '../../../core/channel/adapter.js'
import { traitsOf } from '../../../core/channel/channeltraits.js'

export const descriptor: Descriptor = {
  contract: contractVersion,
  channel: 'sms',
  provider: 'smpp',
  traits: { ...traitsOf('sms'), withoutPayloads: true },
  form: providerForm('sms', 'smpp'),
  // No webhook: everything arrives over the session.
  headers: [],
}
