/**
 * Meta's Graph API, as WhatsApp, Messenger and Instagram share it: its URL, one POST, and the meaning of its refusals.
 */
import type { AuthProblem, ProviderResponse, SendContext, SendOutcome } from '../../core/channel/adapter.js'
import { isRecord } from '../../core/json.js'
import { asNumber, readJson, retryAfterMsIn, unavailable, unknownAnswer, withoutTrailingSlash } from '../kit/http.js'
import { content, type Row, toRefusal, unlistedRefusal } from '../kit/refusals.js'

/** Credentials of every binding, beside the id of its number or page. */
export interface GraphAuth {
  readonly accessToken: string
  /** The key of the signatures of incoming calls. */
  readonly appSecret: string
  /** The provider asks for it once, when the callback is set. */
  readonly verifyToken: string
  readonly apiUrl?: string
}

const defaultApiUrl = 'https://graph.facebook.com'
const version = 'v23.0'

export function graphUrl({ apiUrl = defaultApiUrl }: GraphAuth, path: string): string {
  return `${withoutTrailingSlash(apiUrl)}/${version}/${path}`
}

/**
 * Rows by `code/subcode` where the subcode matters, by `code/*` for every other subcode, and by `code`. A code that the
 * API also answers about one person concerns the account only without a subcode.
 */
export type Refusals = Readonly<Record<string, Row>>

/** The content of the message is refused; another channel may take it. */
export const rejectedContent = (reason?: string): Row => content(reason, undefined, 'otherChannel')

export function refusalOf(code: number, subcode: number | undefined, table: Refusals): Row | undefined {
  const anyOther = subcode === undefined ? undefined : table[`${code}/*`]
  return table[`${code}/${subcode}`] ?? anyOther ?? table[String(code)]
}

/** `idIn` finds the provider's id in the answer; a payload without one, such as a signal, keeps our own id. */
export async function postGraph(
  { call, now }: Pick<SendContext<GraphAuth>, 'call' | 'now'>,
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
  if (answer.kind === 'none') return unknownAnswer(answer)
  const answerBody = readJson(Buffer.from(answer.body))
  if (answer.status < 200 || answer.status > 299) return refusalFrom(answer, answerBody, table, now())
  const providerId = idIn(answerBody)
  if (providerId !== undefined) return { kind: 'sent', providerId }
  return {
    kind: 'refused',
    reason: 'sendFailed',
    detail: 'The answer of the provider was not understood.',
    retry: 'later',
    isUnknown: true,
  }
}

/** The text of an error may contain the token, so the outcome has only its codes. */
function refusalFrom(
  { status, header }: ProviderResponse,
  answerBody: unknown,
  table: Refusals,
  now: number,
): SendOutcome {
  const error = isRecord(answerBody) && isRecord(answerBody.error) ? answerBody.error : {}
  const code = asNumber(error.code)
  const row = code === undefined ? undefined : refusalOf(code, asNumber(error.error_subcode), table)
  const retryAfter = header('retry-after')
  if (row) return toRefusal(row, `The provider answered with code ${code}.`, retryAfterMsIn(retryAfter, now))
  const detail = `The provider answered ${status}${code === undefined ? '' : ` with code ${code}`}.`
  return unavailable(status, retryAfter, now) ?? toRefusal(unlistedRefusal(status), detail)
}

/** Ids of numbers and pages must be digits, and the token must fit into a header. */
export function graphAuthError(
  auth: Pick<GraphAuth, 'accessToken'>,
  field: string,
  id: string,
): AuthProblem | undefined {
  if (!/^[0-9]{1,40}$/.test(id)) return { field, message: 'must be the id in digits, not a name or a phone number' }
  return /^[\x21-\x7e]+$/.test(auth.accessToken)
    ? undefined
    : { field: 'accessToken', message: 'must not hold spaces, line breaks or letters beyond ASCII' }
}
