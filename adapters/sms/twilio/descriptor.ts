/** Twilio as data: what it is bound with, and where it is reached. */
import { providerForm } from '../../../core/catalogs/index.js'
import { type AuthProblem, contractVersion, type Descriptor } from '../../../core/channel/adapter.js'
import { traitsOf } from '../../../core/channel/channeltraits.js'

/** A sender or a messaging service is there; where both are, the service chooses the sender. */
export interface TwilioAuth {
  readonly accountSid: string
  /** Proves us to Twilio, and Twilio to us. */
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
  return `${apiUrl.replace(/\/+$/, '')}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`
}

const pieceParameter = 'piece'

/** Where Twilio tells what became of one message. */
export function receiptsUrl(ingressUrl: string, id: string): string {
  return `${ingressUrl}?${new URLSearchParams({ [pieceParameter]: id })}`
}

/** Our id of the message that a call to such an address is about. */
export function pieceIn(url: string): string | undefined {
  return URL.canParse(url) ? (new URL(url).searchParams.get(pieceParameter) ?? undefined) : undefined
}

/** How the account proves itself. */
export function basicAuth({ accountSid, authToken }: TwilioAuth): string {
  return `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`
}

/** Keys and other ids look alike; what they begin with tells them apart. */
export function validateAuth({ accountSid, messagingServiceSid = 'MG' }: TwilioAuth): AuthProblem | undefined {
  if (!accountSid.startsWith('AC')) return { field: 'accountSid', message: 'must begin with AC' }
  if (!messagingServiceSid.startsWith('MG')) return { field: 'messagingServiceSid', message: 'must begin with MG' }
  return undefined
}
