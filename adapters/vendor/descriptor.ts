/** Apple Messages for Business as data: what it is bound with, what it shows, and what its answers mean. */
import { providerForm } from '../../core/catalogs/index.js'
import { contractVersion, type Descriptor, type SendOutcome } from '../../core/channel/adapter.js'
import { traitsOf } from '../../core/channel/table.js'

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

export function messageUrl({ apiUrl = 'https://mspgw.push.apple.com' }: AppleAuth): string {
  return `${apiUrl.replace(/\/+$/, '')}/v1/message`
}

type Refusal = Omit<Extract<SendOutcome, { kind: 'refused' }>, 'kind' | 'detail'>

const account = { reason: 'sendFailed', again: 'elsewhere', needsOperator: true } as const

/** By status: an answer has no body that says more. */
export const refusals: Readonly<Record<number, Refusal>> = {
  400: { reason: 'invalidMessage', again: 'never' },
  401: account,
  403: account,
  404: { reason: 'unknownRecipient', again: 'elsewhere' },
  410: { reason: 'optedOut', again: 'never' },
  413: { reason: 'tooLarge', again: 'never' },
}
