/** Messenger and Instagram as data: both are reached through a page, with the same credentials and the same errors. */
import { providerForm } from '../../core/catalogs/index.js'
import { contractVersion, type Descriptor } from '../../core/channel/adapter.js'
import { traitsOf } from '../../core/channel/table.js'
import { account, type GraphAuth, type Refusals } from './graph.js'
import { signatureHeader } from './hub.js'

export interface PageAuth extends GraphAuth {
  readonly pageId: string
}

export type PageChannel = 'messengerB' | 'socialC'

export function descriptorOf(channel: PageChannel, provider: string): Descriptor {
  return {
    contract: contractVersion,
    channel,
    provider,
    traits: traitsOf(channel),
    form: providerForm(channel, provider),
    headers: [signatureHeader],
  }
}

const busy = { reason: 'rateLimited', again: 'later' } as const
const nobody = { reason: 'unknownRecipient', again: 'elsewhere' } as const

export const refusals: Refusals = {
  1: { reason: 'sendFailed', again: 'later' },
  2: { reason: 'sendFailed', again: 'later' },
  4: busy,
  10: account,
  '10/2018278': { reason: 'windowClosed', again: 'elsewhere' },
  100: { reason: 'invalidMessage', again: 'never' },
  '100/2018001': nobody,
  190: account,
  200: account,
  551: nobody,
  613: busy,
}
