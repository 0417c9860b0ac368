/** Apple Messages for Business as data: what it is bound with, what it shows, and what its answers mean. */
import { providerForm } from '../../../core/catalogs/index.js'
import { contractVersion, type Descriptor } from '../../../core/channel/adapter.js'
import { traitsOf } from '../../../core/channel/channeltraits.js'
import { account, content, optedOut, person, type Row } from '../../kit/refusals.js'

export interface AppleAuth {
  readonly businessId: string
  /** The messaging service provider: who calls, and whom calls are for. */
  readonly mspId: string
  /** Signs the tokens in both directions. */
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
  return `${apiUrl.replace(/\/+$/, '')}/v1`
}

export function messageUrl(auth: AppleAuth): string {
  return `${apiUrlOf(auth)}/message`
}

/** By status, as Apple documents them: an answer has no body that says more. */
export const refusals: Readonly<Record<number, Row>> = {
  400: content(),
  401: account(),
  403: account(),
  404: person(),
  410: optedOut(),
  413: content('tooLarge'),
}
