/**
 * Sends messages to Twilio. Twilio takes no id of ours: after a call without an answer, `find` searches its list of
 * messages, and the status callback URL carries our id, so receipts match without Twilio's id.
 */
import type { ProviderResponse, SendContext, SendOutcome } from '../../../core/channel/adapter.js'
import { isRecord } from '../../../core/json.js'
import { asText, readJson, retryAfterMsIn, unavailable, unknownAnswer } from '../../kit/http.js'
import { person, toRefusal, transient, unlistedRefusal } from '../../kit/refusals.js'
import { basicAuth, messagesUrl, receiptsUrl, type TwilioAuth } from './descriptor.js'
import { refusalOf } from './refusals.js'
import type { TwilioPayload } from './render.js'

export async function send(payload: TwilioPayload, context: SendContext<TwilioAuth>): Promise<SendOutcome> {
  const { auth, call, now } = context
  const answer = await call({
    method: 'POST',
    url: messagesUrl(auth),
    headers: { authorization: basicAuth(auth), 'content-type': 'application/x-www-form-urlencoded' },
    body: formOf(payload, context).toString(),
  })
  return answer.kind === 'none' ? unknownAnswer(answer) : outcomeOf(answer, now())
}

/** A native payload never sets sender, recipient or status callback. */
function formOf(payload: TwilioPayload, { auth, address, id, ingressUrl }: SendContext<TwilioAuth>): URLSearchParams {
  const { from = '', messagingServiceSid } = auth
  const sender = messagingServiceSid ? { MessagingServiceSid: messagingServiceSid } : { From: from }
  const ownParameters = { To: address, ...sender, StatusCallback: receiptsUrl(ingressUrl, id) }
  const { From: _from, MessagingServiceSid: _service, ...parameters } = payload
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...parameters, ...ownParameters })) {
    for (const each of typeof value === 'string' ? [value] : value) form.append(name, each)
  }
  return form
}

const failedStates: readonly unknown[] = ['failed', 'undelivered', 'canceled']

function outcomeOf({ status, header, body: text }: ProviderResponse, now: number): SendOutcome {
  const body = readJson(Buffer.from(text))
  const answer = isRecord(body) ? body : {}
  if (status >= 200 && status < 300) return acceptedOutcome(answer)
  const retryAfter = header('retry-after')
  const refusal = refusalOf(answer.code, retryAfterMsIn(retryAfter, now))
  if (refusal) return refusal
  // Twilio never answers 403 or 404 about a recipient, so such a status may be a fault that the next call does not
  // meet.
  const row = status === 403 || status === 404 ? transient() : unlistedRefusal(status)
  return unavailable(status, retryAfter, now) ?? toRefusal(row, `Twilio answered ${status}.`)
}

/** Twilio accepts some messages with a state of failure in the same answer. */
function acceptedOutcome({ sid, status, error_code: code }: Readonly<Record<string, unknown>>): SendOutcome {
  const providerId = asText(sid)
  if (!providerId || !/^[A-Za-z0-9]{1,64}$/.test(providerId))
    return { kind: 'refused', reason: 'sendFailed', detail: 'Twilio gave no id.', retry: 'later', isUnknown: true }
  if (!failedStates.includes(status)) return { kind: 'sent', providerId }
  return refusalOf(code) ?? toRefusal(person('sendFailed'), 'Twilio could not send it.')
}
