/** The tokens of RCS Business Messaging: a service account signs for one, and every call carries it. */
import { createPublicKey, verify } from 'node:crypto'
import { isRecord } from '../../../core/json.js'
import { providerEmulator as limits } from '../../../core/limits.js'
import type { Account, Desk, WireAnswer, WireRequest } from '../contract.js'
import type { Loose } from '../shape.js'
import { bearer, mac, same, tokenParts } from '../sign.js'

const scope = 'https://www.googleapis.com/auth/rcsbusinessmessaging'
const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

interface RbmAuth {
  readonly agentId: string
  readonly serviceAccount: { readonly client_email: string; readonly private_key: string; readonly token_uri: string }
  readonly clientToken: string
}
export const authOf = (account: Account) => account.auth as unknown as RbmAuth

/** Tokens are not kept: each says whose it is and until when, and is signed with the account's own secret. */
function tokenFor(account: Account, until: number): string {
  const about = `${Buffer.from(account.id).toString('base64url')}.${until}`
  return `ya29.${about}.${mac('sha256', authOf(account).clientToken, `access ${about}`, 'base64url')}`
}

export function callerOf(request: WireRequest, desk: Desk): Account | undefined {
  const given = bearer(request.header('authorization'))
  const [, id = '', until = ''] = given.split('.')
  const name = Buffer.from(id, 'base64url').toString()
  const account = desk.accounts('rbm').find((each) => each.id === name)
  return account && Number(until) > desk.now() && same(given, tokenFor(account, Number(until))) ? account : undefined
}

export function mintToken(request: WireRequest, desk: Desk): WireAnswer {
  const form = new URLSearchParams(request.body.toString())
  const token = tokenParts(form.get('assertion') ?? '')
  const claims = token && isRecord(token.claims) ? token.claims : {}
  const account = desk.accounts('rbm').find((each) => authOf(each).serviceAccount.client_email === claims.iss)
  if (form.get('grant_type') !== grant) return { status: 400, body: { error: 'unsupported_grant_type' } }
  if (!token || !account || !isGoodAssertion(account, token, desk.now())) {
    return { status: 400, body: { error: 'invalid_grant', error_description: 'Invalid JWT.' } }
  }
  if (!String(claims.scope).split(' ').includes(scope)) return { status: 400, body: { error: 'invalid_scope' } }
  const body = {
    access_token: tokenFor(account, desk.now() + limits.rbm.tokenMs),
    expires_in: limits.rbm.tokenMs / 1_000 - 1,
    token_type: 'Bearer',
  }
  return { status: 200, body }
}

function isGoodAssertion(account: Account, token: NonNullable<ReturnType<typeof tokenParts>>, now: number): boolean {
  const { serviceAccount } = authOf(account)
  const { alg } = isRecord(token.header) ? token.header : {}
  const { iat, exp, aud } = token.claims as Loose
  const { tokenMs, clockSkewMs } = limits.rbm
  const isTimely =
    typeof iat === 'number' &&
    typeof exp === 'number' &&
    iat * 1_000 <= now + clockSkewMs &&
    exp * 1_000 > now - clockSkewMs &&
    exp - iat <= tokenMs / 1_000
  if (alg !== 'RS256' || aud !== serviceAccount.token_uri || !isTimely) return false
  const key = createPublicKey(serviceAccount.private_key)
  return verify('RSA-SHA256', Buffer.from(token.signed), key, Buffer.from(token.signature, 'base64url'))
}
