/**
 * Hands messages to Twilio. It takes no id of ours, so what is tried again after a call that nobody answered may arrive
 * twice; what it is called there is known from the answer alone.
 */
import type { ProviderAnswer, Sending, SendOutcome } from '../../../core/channel/adapter.js'
import { asText, isRecord, noAnswer, readJson, unavailable } from '../../kit/wire.js'
import { basicOf, messagesUrl, type TwilioAuth } from './descriptor.js'
import { meaningOf } from './refusals.js'
import type { TwilioWire } from './render.js'

export async function send(wire: TwilioWire, sending: Sending<TwilioAuth>): Promise<SendOutcome> {
  const { auth, call } = sending
  const answer = await call({
    method: 'POST',
    url: messagesUrl(auth),
    headers: { authorization: basicOf(auth), 'content-type': 'application/x-www-form-urlencoded' },
    body: formOf(wire, sending).toString(),
  })
  return answer.kind === 'none' ? noAnswer(answer) : outcomeOf(answer)
}

/** Who sends, to whom, and who hears of it is not for a message to say. */
function formOf(wire: TwilioWire, { auth, address, ingressUrl }: Sending<TwilioAuth>): URLSearchParams {
  const { from = '', messagingServiceSid } = auth
  const sender = messagingServiceSid ? { MessagingServiceSid: messagingServiceSid } : { From: from }
  const ours = { To: address, ...sender, StatusCallback: ingressUrl }
  const { From: _from, MessagingServiceSid: _service, ...said } = wire
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...said, ...ours })) {
    for (const each of typeof value === 'string' ? [value] : value) form.append(name, each)
  }
  return form
}

const failedStates: readonly unknown[] = ['failed', 'undelivered', 'canceled']

function outcomeOf({ status, header, body: text }: ProviderAnswer): SendOutcome {
  const busy = unavailable(status, header('retry-after'))
  if (busy) return busy
  const body = readJson(Buffer.from(text))
  const answer = isRecord(body) ? body : {}
  if (status >= 200 && status < 300) return takenOf(answer)
  const meaning = meaningOf(answer.code)
  if (meaning) return { kind: 'refused', ...meaning }
  const needsOperator = status === 401 || status === 403 || status === 404
  const detail = needsOperator ? 'Twilio does not take the account or its token.' : `Twilio answered ${status}.`
  return { kind: 'refused', reason: 'sendFailed', detail, again: 'elsewhere', ...(needsOperator && { needsOperator }) }
}

/** Some messages are taken only to be told at once that they have failed. */
function takenOf({ sid, status, error_code: code }: Readonly<Record<string, unknown>>): SendOutcome {
  const providerId = asText(sid)
  if (!providerId || !/^[A-Za-z0-9]{1,64}$/.test(providerId))
    return { kind: 'refused', reason: 'sendFailed', detail: 'Twilio gave no id.', again: 'later' }
  if (!failedStates.includes(status)) return { kind: 'sent', providerId }
  const meaning = meaningOf(code) ?? { reason: 'sendFailed', detail: 'Twilio could not send it.', again: 'elsewhere' }
  return { kind: 'refused', ...meaning }
}
