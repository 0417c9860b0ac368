/** Hands messages and events to RCS Business Messaging, and says what its refusals mean. */
import type { NoResponse, ProviderResponse, SendContext, SendOutcome } from '../../../core/channel/adapter.js'
import { isRecord } from '../../../core/json.js'
import { noAnswer, readJson, unavailable, uuidFrom } from '../../kit/http.js'
import { account, content, person, type Row, toRefusal, unlistedRefusal } from '../../kit/refusals.js'
import { limitedFeatures } from './abilities.js'
import { phoneUrl, type RbmAuth } from './descriptor.js'
import type { RbmPayload } from './payload.js'
import { callWithToken } from './token.js'

/**
 * The platform takes an id of ours, which is therefore known before it answers, and ignores an id that it has seen, be it
 * of a message or of an event: a further try is safe, and ids of the two must never meet.
 *
 * A message that is not taken may be too much for the phone, which is then asked for; not for what a caller wrote
 * themselves, which nobody can write otherwise.
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
 * The canonical errors of Google, by status. What another channel may still do: the message was made for this one, and
 * this one does not reach everybody. A 401 is the account's where the platform itself says so.
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
  // A conflict can only be about the id, and only this message has it.
  if ((status >= 200 && status < 300) || status === 409) return { kind: 'sent', providerId }
  const detail = `The platform answered ${status}.`
  const row = errorWordsIn(body)
    .map((word) => (Object.hasOwn(accountRows, word) ? accountRows[word] : undefined))
    .find((each) => each !== undefined)
  if (row) return toRefusal(row, detail)
  const busy = unavailable(status, answer.header('retry-after'), now)
  return busy ?? toRefusal(refusalRows[status] ?? unlistedRefusal(status), detail)
}

/** The words by which an error is known: its status, and the reasons in its details. */
function errorWordsIn(body: string): readonly string[] {
  const answer = readJson(Buffer.from(body))
  const error = isRecord(answer) && isRecord(answer.error) ? answer.error : {}
  const details = Array.isArray(error.details) ? error.details : []
  return [error.status, ...details.map((each) => (isRecord(each) ? each.reason : undefined))].filter(
    (word) => typeof word === 'string',
  )
}
