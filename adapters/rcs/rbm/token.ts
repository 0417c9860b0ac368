/**
 * Access tokens of a service account: an assertion signed with its key is exchanged for a token, which is cached until
 * shortly before it expires. When the platform refuses a token, the cache drops it and the call is made once more.
 */
import { createPrivateKey, type KeyObject, sign as signLater } from 'node:crypto'
import { promisify } from 'node:util'
import type {
  AuthProblem,
  NoResponse,
  ProviderContext,
  ProviderRequest,
  ProviderResponse,
  SendOutcome,
} from '../../../core/channel/adapter.js'
import { second } from '../../../core/durations.js'
import { isRecord } from '../../../core/json.js'
import { tenantKeys as keys, rbm as limits } from '../../../core/limits/index.js'
import { asNumber, asText, noAnswer, readJson, unavailable } from '../../kit/http.js'
import { account, toRefusal, transient } from '../../kit/refusals.js'
import { type RbmAuth, tokenUrl } from './descriptor.js'

const scope = 'https://www.googleapis.com/auth/rcsbusinessmessaging'
/** Asynchronous, in the thread pool: a signature with the longest key takes a tenth of a second. */
const sign = promisify(signLater)

const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** The key names the service account, so that a replaced account does not inherit the token. */
function tokenCacheKey({ serviceAccount }: RbmAuth): string {
  return `token ${serviceAccount.client_email}`
}

/** The platform's answer to a call with a token, or why no token could be had. */
export async function callWithToken(
  context: ProviderContext<RbmAuth>,
  request: ProviderRequest,
): Promise<ProviderResponse | NoResponse | SendOutcome> {
  const first = await callOnce(context, request)
  if (first.kind !== 'answer' || first.status !== 401) return first
  context.cache.invalidate(tokenCacheKey(context.auth))
  return callOnce(context, request)
}

async function callOnce(
  context: ProviderContext<RbmAuth>,
  request: ProviderRequest,
): Promise<ProviderResponse | NoResponse | SendOutcome> {
  const token = await tokenOf(context)
  if (typeof token !== 'string') return token
  return context.call({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } })
}

async function tokenOf(context: ProviderContext<RbmAuth>): Promise<string | SendOutcome> {
  let refusal: SendOutcome = {
    kind: 'refused',
    reason: 'sendFailed',
    detail: 'No access token could be made.',
    retry: 'later',
  }
  const token = await context.cache.get(tokenCacheKey(context.auth), async () => {
    const created = await makeToken(context)
    if ('value' in created) return created
    refusal = created
    return undefined
  })
  return token ?? refusal
}

async function makeToken({
  auth,
  call,
  now,
}: ProviderContext<RbmAuth>): Promise<{ readonly value: string; readonly until: number } | SendOutcome> {
  const at = now()
  const key = keyOf(auth)
  if (!key) return toRefusal(account('The private key of the service account cannot be read.'), '')
  const assertion = await assertionOf(auth, key, at)
  if (assertion === undefined) return toRefusal(account('The private key of the service account signs nothing.'), '')
  const answer = await call({
    method: 'POST',
    url: tokenUrl(auth),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ grant_type: grant, assertion }).toString(),
  })
  if (answer.kind === 'none') return noAnswer(answer)
  const { status } = answer
  const busy = unavailable(status, answer.header('retry-after'), at)
  if (busy) return busy
  const body = readJson(Buffer.from(answer.body))
  const value = isRecord(body) ? asText(body.access_token) : undefined
  if (status !== 200 || !value) {
    const detail = `The service account was given no access token (${status}).`
    const errorCode = isRecord(body) ? asText(body.error) : undefined
    return toRefusal(accountErrors.includes(errorCode ?? '') ? account() : transient(), detail)
  }
  const lifeMs = (isRecord(body) ? (asNumber(body.expires_in) ?? 0) : 0) * second || limits.tokenMs
  return { value, until: at + Math.max(0, lifeMs - limits.tokenEarlyMs) }
}

/** Errors of the token endpoint (RFC 6749) that concern the account. Any other error may pass. */
const accountErrors: readonly string[] = [
  'invalid_grant',
  'invalid_client',
  'unauthorized_client',
  'invalid_scope',
  'access_denied',
  'deleted_client',
  'disabled_client',
]

/** Undefined for a key that parses and cannot sign. */
async function assertionOf(auth: RbmAuth, key: KeyObject, at: number): Promise<string | undefined> {
  const iat = Math.floor(at / second)
  const claims = {
    iss: auth.serviceAccount.client_email,
    scope,
    aud: tokenUrl(auth),
    iat,
    exp: iat + limits.tokenMs / second,
  }
  const signed = [{ alg: 'RS256', typ: 'JWT' }, claims]
    .map((each) => Buffer.from(JSON.stringify(each)).toString('base64url'))
    .join('.')
  try {
    return `${signed}.${(await sign('sha256', Buffer.from(signed), key)).toString('base64url')}`
  } catch {
    return undefined
  }
}

/** Accepts keys whose line breaks were copied out of a key file as `\n`. */
function keyOf({ serviceAccount }: RbmAuth): KeyObject | undefined {
  try {
    const key = createPrivateKey(serviceAccount.private_key.replaceAll('\\n', '\n'))
    const { modulusLength = 0 } = key.asymmetricKeyDetails ?? {}
    return key.asymmetricKeyType === 'rsa' && modulusLength <= keys.rsaBits ? key : undefined
  } catch {
    return undefined
  }
}

export function validateAuth(auth: RbmAuth): AuthProblem | undefined {
  if (keyOf(auth)) return undefined
  return {
    field: 'serviceAccount.private_key',
    message: `must be an RSA private key of at most ${keys.rsaBits} bits in PEM, as in the key file`,
  }
}
