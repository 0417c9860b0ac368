/** Descriptor data of RCS Business Messaging: credential form, traits and URLs. */
import { providerForm } from '../../../core/catalogs/index.js'
import { contractVersion, type Descriptor } from '../../../core/channel/adapter.js'
import { traitsOf } from '../../../core/channel/channeltraits.js'
import { withoutTrailingSlash } from '../../kit/http.js'

export interface RbmAuth {
  readonly agentId: string
  readonly serviceAccount: {
    readonly client_email: string
    readonly private_key: string
    readonly token_uri?: string
  }
  /** The key of the signatures of incoming events. */
  readonly clientToken: string
  /** Added to every message that has no `messageTrafficType` of its own. */
  readonly messageTrafficType?: string
  readonly apiUrl?: string
}

export const signatureHeader = 'x-goog-signature'

export const descriptor: Descriptor = {
  contract: contractVersion,
  channel: 'rcs',
  provider: 'rbm',
  traits: traitsOf('rcs'),
  form: providerForm('rcs', 'rbm'),
  headers: [signatureHeader],
}

const defaultUrls = {
  api: 'https://rcsbusinessmessaging.googleapis.com',
  token: 'https://oauth2.googleapis.com/token',
} as const

export function tokenUrl({ serviceAccount: { token_uri = defaultUrls.token } }: RbmAuth): string {
  return token_uri
}

export type PhoneResource = 'agentMessages' | 'agentEvents' | 'capabilities' | `agentMessages/${string}`

/** The URL of a resource of one phone. The plus sign of the number is not encoded. */
export function phoneUrl(
  auth: RbmAuth,
  address: string,
  resource: PhoneResource,
  query: Readonly<Record<string, string>>,
): string {
  const phone = encodeURIComponent(address).replaceAll('%2B', '+')
  const parameters = new URLSearchParams({ ...query, agentId: auth.agentId })
  return `${apiUrl(auth)}/v1/phones/${phone}/${resource}?${parameters}`
}

export function batchUrl(auth: RbmAuth): string {
  return `${apiUrl(auth)}/v1/users:batchGet`
}

function apiUrl({ apiUrl: url = defaultUrls.api }: RbmAuth): string {
  return withoutTrailingSlash(url)
}
