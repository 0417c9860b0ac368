/** The API that WhatsApp, Messenger and Instagram share: where it is, how it is called, and what its refusals mean. */
import type { AuthProblem, Sending, SendOutcome } from '../../core/channel/adapter.js'
import { asNumber, isRecord, noAnswer, readJson, unavailable } from '../kit/wire.js'

/** What every binding of it has, beside the id of its number or page. */
export interface GraphAuth {
  readonly accessToken: string
  /** Signs what is sent to us. */
  readonly appSecret: string
  /** Asked for once, when the callback is set. */
  readonly verifyToken: string
  readonly apiUrl?: string
}

const home = 'https://graph.facebook.com'
const version = 'v23.0'

export function graphUrl({ apiUrl = home }: GraphAuth, path: string): string {
  return `${apiUrl.replace(/\/+$/, '')}/${version}/${path}`
}

export type Refusal = Omit<Extract<SendOutcome, { kind: 'refused' }>, 'kind' | 'detail'>

/** What a code means, by `code/subcode` where the subcode matters and by `code` otherwise. */
export type Refusals = Readonly<Record<string, Refusal>>

/** Nothing goes out before somebody has seen to the account. */
export const account: Refusal = { reason: 'sendFailed', again: 'elsewhere', needsOperator: true }

export function refusalOf(code: number, subcode: number | undefined, table: Refusals): Refusal | undefined {
  return table[`${code}/${subcode}`] ?? table[String(code)]
}

/** `idIn` finds what the provider calls the message; what has no name there, such as a signal, is called by our own id. */
export async function postGraph(
  { call }: Pick<Sending<GraphAuth>, 'call'>,
  { url, token, body }: { readonly url: string; readonly token: string; readonly body: unknown },
  table: Refusals,
  idIn: (answer: unknown) => string | undefined,
): Promise<SendOutcome> {
  const answer = await call({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  })
  if (answer.kind === 'none') return noAnswer(answer)
  const told = readJson(Buffer.from(answer.body))
  if (answer.status < 200 || answer.status > 299)
    return refused(answer.status, answer.header('retry-after'), told, table)
  const providerId = idIn(told)
  if (providerId !== undefined) return { kind: 'sent', providerId }
  return {
    kind: 'refused',
    reason: 'sendFailed',
    detail: 'The answer of the provider was not understood.',
    again: 'later',
  }
}

/** The words of an error may repeat the token that it is about, so only its numbers are told. */
function refused(status: number, retryAfter: string, told: unknown, table: Refusals): SendOutcome {
  const error = isRecord(told) && isRecord(told.error) ? told.error : {}
  const code = asNumber(error.code)
  const subcode = asNumber(error.error_subcode)
  const known = code === undefined ? undefined : refusalOf(code, subcode, table)
  if (known) return { kind: 'refused', ...known, detail: `The provider answered with code ${code}.` }
  const byStatus = status === 401 || status === 403 ? account : { reason: 'sendFailed', again: 'elsewhere' as const }
  return (
    unavailable(status, retryAfter) ?? {
      kind: 'refused',
      ...byStatus,
      detail: `The provider answered ${status}${code === undefined ? '' : ` with code ${code}`}.`,
    }
  )
}

/** Ids of numbers and pages are digits, and a token stands in a header. */
export function wrongGraphAuth(
  auth: Pick<GraphAuth, 'accessToken'>,
  field: string,
  id: string,
): AuthProblem | undefined {
  if (!/^[0-9]{1,40}$/.test(id)) return { field, message: 'must be the id in digits, not a name or a phone number' }
  return /^[\x21-\x7e]+$/.test(auth.accessToken)
    ? undefined
    : { field: 'accessToken', message: 'must not hold spaces, line breaks or letters beyond ASCII' }
}
