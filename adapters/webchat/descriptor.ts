/** Descriptor data of web chat. The gateway is the provider, so there is no webhook and no account. */
import { form } from '../../core/catalogs/forms.js'
import { contractVersion, type Descriptor } from '../../core/channel/adapter.js'
import { traitsOf } from '../../core/channel/channeltraits.js'

export const descriptor: Descriptor = {
  contract: contractVersion,
  channel: 'webchat',
  provider: 'webchat',
  traits: traitsOf('webchat'),
  form: {
    provider: 'webchat',
    name: 'Web chat',
    description: 'The web chat of this installation, which every agent has from the start.',
    steps: [],
    credentials: form({}, []),
  },
  headers: [],
  bulkPerSecond: 'unlimited',
}
