/** Descriptor data of Messenger and Instagram: both use a page, with the same credentials and the same errors. */
import { providerForm } from '../../../core/catalogs/index.js'
import { contractVersion, type Descriptor } from '../../../core/channel/adapter.js'
import { traitsOf } from '../../../core/channel/channeltraits.js'
import { account, busy, person, transient, windowClosed } from '../../kit/refusals.js'
import { type GraphAuth, type Refusals, rejectedContent } from '../graph.js'
import { signatureHeader } from '../hub.js'

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

/** Errors of the Send API of Messenger and of Instagram, as Meta documents them. */
export const refusals: Refusals = {
  1: transient(),
  2: transient(),
  1200: transient(),
  4: busy,
  17: busy,
  32: busy,
  613: busy,
  80006: busy,
  3: account('The app may not use this part of the API.'),
  // Without a subcode the app lacks a permission; with a subcode the error concerns the person or the window.
  10: account(),
  '10/2018065': windowClosed(),
  '10/2018278': windowClosed(),
  '10/2534022': windowClosed(),
  '10/*': person('sendFailed'),
  102: account(),
  104: account(),
  190: account(),
  368: account(),
  458: account(),
  459: account(),
  460: account(),
  463: account(),
  464: account(),
  467: account(),
  // Codes for a person who has blocked the page or deleted the conversation.
  200: person(),
  551: person(),
  100: rejectedContent(),
  '100/2018001': person(),
  '100/2534014': person(),
  '100/2018008': rejectedContent('mediaUnreachable'),
  '100/2018109': rejectedContent('tooLarge'),
}
