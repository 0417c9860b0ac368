/** Hands messages and events to RCS Business Messaging, and says what its refusals mean. */
import type { NoAnswer, ProviderAnswer, Sending, SendOutcome } from '../../core/channel/adapter.js'
import { noAnswer, unavailable, uuidFrom } from '../kit/wire.js'
import { fewerFeatures } from './abilities.js'
import { phoneUrl, type RbmAuth } from './descriptor.js'
import { callWithToken, operatorNeeded } from './token.js'
import type { RbmWire } from './wire.js'

/**
 * The platform takes an id of ours, which is therefore known before it answers, and ignores an id that it has seen, be it
 * of a message or of an event: a further try is safe, and ids of the two must never meet.
 *
 * A message that is not taken may be too much for the phone, which is then asked for; not for what a caller wrote
 * themselves, which nobody can write otherwise.
 */
export async function send(wire: RbmWire, sending: Sending<RbmAuth>): Promise<SendOutcome> {
  const isEvent = 'event' in wire
  const uuid = isEvent ? uuidFrom(`event ${sending.id}`) : uuidFrom(sending.id)
  const body = isEvent ? wire.event : 'native' in wire ? wire.native : wire.message
  const url = isEvent
    ? phoneUrl(sending.auth, sending.address, 'agentEvents', { eventId: uuid })
    : phoneUrl(sending.auth, sending.address, 'agentMessages', { messageId: uuid })
  const headers = { 'content-type': 'application/json' }
  const answer = await callWithToken(sending, { method: 'POST', url, headers, body: JSON.stringify(body) })
  const outcome = outcomeOf(answer, uuid)
  const isTooMuch = 'message' in wire && answer.kind === 'answer' && answer.status === 400
  const abilities = isTooMuch ? await fewerFeatures(sending.address, sending) : undefined
  return abilities && outcome.kind === 'refused' ? { ...outcome, abilities } : outcome
}

type Meaning = Omit<Extract<SendOutcome, { kind: 'refused' }>, 'kind'>

/** What another channel may still do: the message was made for this one, and this one does not reach everybody. */
const meanings: Readonly<Record<number, Meaning>> = {
  400: {
    reason: 'invalidMessage',
    detail: 'The platform or the phone does not take this message.',
    again: 'elsewhere',
  },
  403: {
    reason: 'sendFailed',
    detail: 'The agent may not write to this phone, or is not launched there.',
    again: 'elsewhere',
  },
  404: { reason: 'sendFailed', detail: 'RCS does not reach this phone.', again: 'elsewhere' },
  413: { reason: 'tooLarge', detail: 'The message is larger than the platform takes.', again: 'elsewhere' },
}

function outcomeOf(answer: ProviderAnswer | NoAnswer | SendOutcome, providerId: string): SendOutcome {
  if (answer.kind === 'none') return noAnswer(answer)
  if (answer.kind !== 'answer') return answer
  const { status } = answer
  // A conflict can only be about the id, and only this message has it.
  if ((status >= 200 && status < 300) || status === 409) return { kind: 'sent', providerId }
  if (status === 401) return operatorNeeded('The platform does not take the service account.')
  const meaning = meanings[status]
  if (meaning) return { kind: 'refused', ...meaning }
  const busy = unavailable(status, answer.header('retry-after'))
  return (
    busy ?? { kind: 'refused', reason: 'sendFailed', detail: `The platform answered ${status}.`, again: 'elsewhere' }
  )
}
