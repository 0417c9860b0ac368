/** The sms channel over a line of one's own to a message center. */
import { providerForm } from '../../../core/catalogs/index.js'
import { contractVersion, type Descriptor } from '../../../core/channel/adapter.js'
import { traitsOf } from '../../../core/channel/channeltraits.js'

export const descriptor: Descriptor = {
  contract: contractVersion,
  channel: 'sms',
  provider: 'smpp',
  traits: { ...traitsOf('sms'), withoutPayloads: true },
  form: providerForm('sms', 'smpp'),
  // Nobody calls in: everything comes over the line.
  headers: [],
}
