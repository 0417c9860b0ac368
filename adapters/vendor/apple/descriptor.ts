/** Descriptor data of Apple Messages for Business: credential form, traits and refusals. */
import { providerForm } from '../../../core/catalogs/index.js'
import { contractVersion, type Descriptor } from '../../../core/channel/adapter.js'
import { traitsOf } from '../../../core/channel/channeltraits.js'
import { withoutTrailingSlash } from '../../kit/http.js'
import { account, content, optedOut, person, type Row } from '../../kit/refusals.js'

export interface AppleAuth {
  readonly businessId: string
  /** The id of the messaging service provider: issuer of our tokens and audience of Apple's. */
  readonly mspId: string
  /** The key of the tokens in both directions. */
  readonly secret: string
  readonly apiUrl?: string
}

export const descriptor: Descriptor = {
  contract: contractVersion,
  channel: 'vendorMessages',
  provider: 'apple',
  traits: traitsOf('vendorMessages'),
  form: providerForm('vendorMessages', 'apple'),
  headers: ['authorization', 'capability-list'],
}

export function apiUrlOf({ apiUrl = 'https://mspgw.push.apple.com' }: AppleAuth): string {
  return `${withoutTrailingSlash(apiUrl)}/v1`
}

export function messageUrl(auth: AppleAuth): string {
  return `${apiUrlOf(auth)}/message`
}

/** Refusals by status, as Apple documents them: the answer has no body with details. */
export const refusals: Readonly<Record<number, Row>> = {
  400: content(),
  401: account(),
  403: account(),
  404: person(),
  410: optedOut(),
  413: content('tooLarge'),
}
