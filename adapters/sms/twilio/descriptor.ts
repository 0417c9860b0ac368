/** Descriptor data of Twilio: credential form, traits and URLs. */
import { providerForm } from '../../../core/catalogs/index.js'
import { type AuthProblem, contractVersion, type Descriptor } from '../../../core/channel/adapter.js'
import { traitsOf } from '../../../core/channel/channeltraits.js'
import { withoutTrailingSlash } from '../../kit/http.js'

/** Has a sender, a messaging service, or both; with both, the service chooses the sender. */
export interface TwilioAuth {
  readonly accountSid: string
  /** Authenticates our requests, and signs Twilio's calls. */
  readonly authToken: string
  readonly from?: string
  readonly messagingServiceSid?: string
  readonly apiUrl?: string
}

export const signatureHeader = 'x-twilio-signature'

export const descriptor: Descriptor = {
  contract: contractVersion,
  channel: 'sms',
  provider: 'twilio',
  traits: traitsOf('sms'),
  form: providerForm('sms', 'twilio'),
  headers: [signatureHeader],
}

export function messagesUrl({ accountSid, apiUrl = 'https://api.twilio.com' }: TwilioAuth): string {
  return `${withoutTrailingSlash(apiUrl)}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`
}

const payloadIdParameter = 'piece'

/** The status callback URL of one message. */
export function receiptsUrl(ingressUrl: string, id: string): string {
  return `${ingressUrl}?${new URLSearchParams({ [payloadIdParameter]: id })}`
}

/** Our message id in a status callback URL. */
export function payloadIdIn(url: string): string | undefined {
  return URL.canParse(url) ? (new URL(url).searchParams.get(payloadIdParameter) ?? undefined) : undefined
}

/** The Authorization header of the account. */
export function basicAuth({ accountSid, authToken }: TwilioAuth): string {
  return `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`
}

/** Ids of different resources look alike and differ in their prefix. */
export function validateAuth({ accountSid, messagingServiceSid = 'MG' }: TwilioAuth): AuthProblem | undefined {
  if (!accountSid.startsWith('AC')) return { field: 'accountSid', message: 'must begin with AC' }
  if (!messagingServiceSid.startsWith('MG')) return { field: 'messagingServiceSid', message: 'must begin with MG' }
  return undefined
}
