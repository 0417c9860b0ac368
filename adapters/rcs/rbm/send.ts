/** Sends messages and events to RCS Business Messaging, and maps its refusals. */
import type { NoResponse, ProviderResponse, SendContext, SendOutcome } from '../../../core/channel/adapter.js'
import { isRecord } from '../../../core/json.js'
import { noAnswer, readJson, unavailable, uuidFrom } from '../../kit/http.js'
import { account, content, person, type Row, toRefusal, unlistedRefusal } from '../../kit/refusals.js'
import { limitedFeatures } from './capabilities.js'
import { phoneUrl, type RbmAuth } from './descriptor.js'
import type { RbmPayload } from './payload.js'
import { callWithToken } from './token.js'

/**
 * The platform takes our id, so the id is known before the answer, and it ignores a used id, of a message or of an
 * event. A retry is therefore safe, and ids of messages and events must never collide.
 *
 * A refused message may exceed the phone, so `send` checks the phone's capabilities; not for a native payload, which
 * cannot be rendered again.
 */
export async function send(payload: RbmPayload, context: SendContext<RbmAuth>): Promise<SendOutcome> {
  const isEvent = 'event' in payload
  const uuid = isEvent ? uuidFrom(`event ${context.id}`) : uuidFrom(context.id)
  const body = isEvent
    ? payload.event
    : withTrafficType('native' in payload ? payload.native : payload.message, context.auth)
  const url = isEvent
    ? phoneUrl(context.auth, context.address, 'agentEvents', { eventId: uuid })
    : phoneUrl(context.auth, context.address, 'agentMessages', { messageId: uuid })
  const headers = { 'content-type': 'application/json' }
  const answer = await callWithToken(context, { method: 'POST', url, headers, body: JSON.stringify(body) })
  const outcome = outcomeOf(answer, uuid, context.now())
  const isTooMuch = 'message' in payload && answer.kind === 'answer' && answer.status === 400
  const deviceCapabilities = isTooMuch ? await limitedFeatures(context.address, context) : undefined
  return deviceCapabilities && outcome.kind === 'refused' ? { ...outcome, deviceCapabilities } : outcome
}

function withTrafficType(message: unknown, { messageTrafficType }: RbmAuth): unknown {
  return messageTrafficType !== undefined && isRecord(message) ? { messageTrafficType, ...message } : message
}

/**
 * Google's canonical errors, by status. The message was rendered for RCS, and RCS does not reach every phone, so
 * another channel may take it. A 401 concerns the account only where the platform's error words say so.
 */
export const refusalRows: Readonly<Record<number, Row>> = {
  400: content('invalidMessage', 'The platform or the phone does not take this message.', 'otherChannel'),
  403: person('sendFailed', 'The agent may not write to this phone, or is not launched there.'),
  404: person('sendFailed', 'RCS does not reach this phone.'),
  413: content('tooLarge', 'The message is larger than the platform takes.', 'otherChannel'),
}
export const accountRows: Readonly<Record<string, Row>> = {
  UNAUTHENTICATED: account('The platform does not take the service account.'),
  SERVICE_DISABLED: account('The API is not enabled for the project of the service account.'),
  CONSUMER_INVALID: account('The project of the service account is gone.'),
}

function outcomeOf(answer: ProviderResponse | NoResponse | SendOutcome, providerId: string, now: number): SendOutcome {
  if (answer.kind === 'none') return noAnswer(answer)
  if (answer.kind !== 'answer') return answer
  const { status, body } = answer
  // A 409 can only mean that this very message has the id already.
  if ((status >= 200 && status < 300) || status === 409) return { kind: 'sent', providerId }
  const detail = `The platform answered ${status}.`
  const row = errorCodesIn(body)
    .map((code) => (Object.hasOwn(accountRows, code) ? accountRows[code] : undefined))
    .find((each) => each !== undefined)
  if (row) return toRefusal(row, detail)
  const busy = unavailable(status, answer.header('retry-after'), now)
  return busy ?? toRefusal(refusalRows[status] ?? unlistedRefusal(status), detail)
}

/** The words that identify an error: its status, and the reasons in its details. */
function errorCodesIn(body: string): readonly string[] {
  const answer = readJson(Buffer.from(body))
  const error = isRecord(answer) && isRecord(answer.error) ? answer.error : {}
  const details = Array.isArray(error.details) ? error.details : []
  return [error.status, ...details.map((each) => (isRecord(each) ? each.reason : undefined))].filter(
    (code) => typeof code === 'string',
  )
}
