/** What Meta's messengers share: errors, tokens, messaging windows, and the signature over the raw body. */
import { providerEmulator as limits } from '../../../core/limits/index.js'
import type {
  Account,
  Call,
  EmulatorAnswer,
  EmulatorContext,
  EmulatorRequest,
  Mint,
  ServerAddresses,
  WebhookCall,
} from '../contract.js'
import { bearer, hmac, safeEqual } from '../signature.js'

interface GraphAuth {
  readonly accessToken: string
  readonly appSecret: string
  readonly verifyToken: string
}
const graphAuthOf = (account: Account) => account.auth as unknown as GraphAuth

export function graphFailure(status: number, code: number, message: string, more: object = {}): EmulatorAnswer {
  const type = code === 190 ? 'OAuthException' : 'GraphMethodException'
  return { status, body: { error: { message, type, code, ...more, fbtrace_id: 'AEmulated' } } }
}

export const badToken = graphFailure(401, 190, 'Invalid OAuth access token')

/** The answer of a fault. The API has a code of its own for each cause. */
export function graphRefusal(rateCode: number) {
  return (status: number, retryAfter?: number): EmulatorAnswer => {
    if (status === 401) return badToken
    const answer = graphFailure(status, status === 429 ? rateCode : 2, 'A fault of the emulator refuses this')
    return retryAfter === undefined ? answer : { ...answer, headers: { 'retry-after': String(retryAfter) } }
  }
}

/** Credentials that every app of this provider has, beside the ids of its own channel. */
export function appCredentials(mint: Mint, { httpUrl }: ServerAddresses, tokenPrefix: string) {
  return {
    accessToken: `${tokenPrefix}${mint('accessToken', 60)}`,
    appSecret: mint('appSecret', 32, '0123456789abcdef'),
    verifyToken: mint('verifyToken', 24),
    apiUrl: `${httpUrl}/graph`,
  }
}

/** The token is in the header, or in the query as pages still send it. */
export function hasToken(request: EmulatorRequest, account: Account): boolean {
  const token = bearer(request.header('authorization')) || (request.query.get('access_token') ?? '')
  return safeEqual(token, graphAuthOf(account).accessToken)
}

/** The node of `POST /{version}/{node}/messages`. */
export function nodeOf({ method, path }: EmulatorRequest): string | undefined {
  return method === 'POST' ? /^\/v\d+\.\d+\/(\w+)\/messages$/.exec(path)?.[1] : undefined
}

export function isWindowOpen(account: Account, address: string, context: EmulatorContext): boolean {
  const lastActiveAt = context.lastActiveAt(account, address)
  return lastActiveAt !== undefined && context.now() - lastActiveAt <= limits.windowMs
}

export function signedCallback(account: Account, content: object): Call {
  const body = JSON.stringify(content)
  const headers = {
    'content-type': 'application/json',
    'x-hub-signature-256': `sha256=${hmac('sha256', graphAuthOf(account).appSecret, body, 'hex')}`,
  }
  return { method: 'POST', url: account.ingressUrl ?? '', headers, body }
}

export function hubGreeting(account: Account, context: EmulatorContext): { call: WebhookCall; answer: string } {
  const challenge = String(Number.parseInt(context.newId(4), 16))
  const query = new URLSearchParams({
    'hub.mode': 'subscribe',
    'hub.verify_token': graphAuthOf(account).verifyToken,
    'hub.challenge': challenge,
  })
  return { call: { method: 'GET', url: `${account.ingressUrl}?${query}`, headers: {}, body: '' }, answer: challenge }
}
