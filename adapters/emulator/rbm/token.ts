/** Access tokens of RCS Business Messaging: a service account signs a request for one, and every call carries it. */
import { createPublicKey, verify } from 'node:crypto'
import { isRecord } from '../../../core/json.js'
import { providerEmulator as limits } from '../../../core/limits/index.js'
import type { Account, EmulatorAnswer, EmulatorContext, EmulatorRequest } from '../contract.js'
import type { JsonObject } from '../shape.js'
import { bearer, hmac, safeEqual, tokenParts } from '../signature.js'

const scope = 'https://www.googleapis.com/auth/rcsbusinessmessaging'
const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

interface RbmAuth {
  readonly agentId: string
  readonly serviceAccount: { readonly client_email: string; readonly private_key: string; readonly token_uri: string }
  readonly clientToken: string
}
export const authOf = (account: Account) => account.auth as unknown as RbmAuth

/** Tokens are stateless: each names its account and its expiry, and is signed with the account's own secret. */
function tokenFor(account: Account, until: number): string {
  const claims = `${Buffer.from(account.id).toString('base64url')}.${until}`
  return `ya29.${claims}.${hmac('sha256', authOf(account).clientToken, `access ${claims}`, 'base64url')}`
}

export function callerOf(request: EmulatorRequest, context: EmulatorContext): Account | undefined {
  const token = bearer(request.header('authorization'))
  const [, id = '', until = ''] = token.split('.')
  const name = Buffer.from(id, 'base64url').toString()
  const account = context.accounts('rbm').find((each) => each.id === name)
  return account && Number(until) > context.now() && safeEqual(token, tokenFor(account, Number(until)))
    ? account
    : undefined
}

export function mintToken(request: EmulatorRequest, context: EmulatorContext): EmulatorAnswer {
  const form = new URLSearchParams(request.body.toString())
  const token = tokenParts(form.get('assertion') ?? '')
  const claims = token && isRecord(token.claims) ? token.claims : {}
  const account = context.accounts('rbm').find((each) => authOf(each).serviceAccount.client_email === claims.iss)
  if (form.get('grant_type') !== grant) return { status: 400, body: { error: 'unsupported_grant_type' } }
  if (!token || !account || !isValidAssertion(account, token, context.now())) {
    return { status: 400, body: { error: 'invalid_grant', error_description: 'Invalid JWT.' } }
  }
  if (!String(claims.scope).split(' ').includes(scope)) return { status: 400, body: { error: 'invalid_scope' } }
  const body = {
    access_token: tokenFor(account, context.now() + limits.rbm.tokenMs),
    expires_in: limits.rbm.tokenMs / 1_000 - 1,
    token_type: 'Bearer',
  }
  return { status: 200, body }
}

function isValidAssertion(account: Account, token: NonNullable<ReturnType<typeof tokenParts>>, now: number): boolean {
  const { serviceAccount } = authOf(account)
  const { alg } = isRecord(token.header) ? token.header : {}
  const { iat, exp, aud } = token.claims as JsonObject
  const { tokenMs, clockSkewMs } = limits.rbm
  const isCurrent =
    typeof iat === 'number' &&
    typeof exp === 'number' &&
    iat * 1_000 <= now + clockSkewMs &&
    exp * 1_000 > now - clockSkewMs &&
    exp - iat <= tokenMs / 1_000
  if (alg !== 'RS256' || aud !== serviceAccount.token_uri || !isCurrent) return false
  const key = createPublicKey(serviceAccount.private_key)
  return verify('RSA-SHA256', Buffer.from(token.signed), key, Buffer.from(token.signature, 'base64url'))
}
