/**
 * Hands messages to Twilio. It takes no id of ours: after a call that was not answered its list of messages is asked, and
 * the address for receipts carries our id, so that receipts are known whatever the message is called there.
 */
import type { ProviderAnswer, Sending, SendOutcome } from '../../../core/channel/adapter.js'
import { isRecord } from '../../../core/json.js'
import { person, refusedBy, transient, unlisted } from '../../kit/refusals.js'
import { asText, readJson, retryAfterMsIn, unavailable, unknownAnswer } from '../../kit/wire.js'
import { basicOf, messagesUrl, receiptsUrl, type TwilioAuth } from './descriptor.js'
import { refusalOf } from './refusals.js'
import type { TwilioWire } from './render.js'

export async function send(wire: TwilioWire, sending: Sending<TwilioAuth>): Promise<SendOutcome> {
  const { auth, call, now } = sending
  const answer = await call({
    method: 'POST',
    url: messagesUrl(auth),
    headers: { authorization: basicOf(auth), 'content-type': 'application/x-www-form-urlencoded' },
    body: formOf(wire, sending).toString(),
  })
  return answer.kind === 'none' ? unknownAnswer(answer) : outcomeOf(answer, now())
}

/** Who sends, to whom, and who hears of it is not for a message to say. */
function formOf(wire: TwilioWire, { auth, address, id, ingressUrl }: Sending<TwilioAuth>): URLSearchParams {
  const { from = '', messagingServiceSid } = auth
  const sender = messagingServiceSid ? { MessagingServiceSid: messagingServiceSid } : { From: from }
  const ours = { To: address, ...sender, StatusCallback: receiptsUrl(ingressUrl, id) }
  const { From: _from, MessagingServiceSid: _service, ...said } = wire
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...said, ...ours })) {
    for (const each of typeof value === 'string' ? [value] : value) form.append(name, each)
  }
  return form
}

const failedStates: readonly unknown[] = ['failed', 'undelivered', 'canceled']

function outcomeOf({ status, header, body: text }: ProviderAnswer, now: number): SendOutcome {
  const body = readJson(Buffer.from(text))
  const answer = isRecord(body) ? body : {}
  if (status >= 200 && status < 300) return takenOf(answer)
  const retryAfter = header('retry-after')
  const known = refusalOf(answer.code, retryAfterMsIn(retryAfter, now))
  if (known) return known
  // Whom a message is for is never answered with these: one of them may be a fault that the next call does not meet.
  const row = status === 403 || status === 404 ? transient() : unlisted(status)
  return unavailable(status, retryAfter, now) ?? refusedBy(row, `Twilio answered ${status}.`)
}

/** Some messages are taken only to be told at once that they have failed. */
function takenOf({ sid, status, error_code: code }: Readonly<Record<string, unknown>>): SendOutcome {
  const providerId = asText(sid)
  if (!providerId || !/^[A-Za-z0-9]{1,64}$/.test(providerId))
    return { kind: 'refused', reason: 'sendFailed', detail: 'Twilio gave no id.', again: 'later', isUnknown: true }
  if (!failedStates.includes(status)) return { kind: 'sent', providerId }
  return refusalOf(code) ?? refusedBy(person('sendFailed'), 'Twilio could not send it.')
}
