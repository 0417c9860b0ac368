/** Sends one message to Apple, under an id by which Apple recognizes a retry. */
import type { SendContext, SendOutcome } from '../../../core/channel/adapter.js'
import { noAnswer, unavailable, uuidFrom } from '../../kit/http.js'
import { toRefusal, unlistedRefusal } from '../../kit/refusals.js'
import { type AppleAuth, messageUrl, refusals } from './descriptor.js'
import type { ApplePayload } from './render.js'
import { makeToken } from './token.js'

export async function send({ message }: ApplePayload, context: SendContext<AppleAuth>): Promise<SendOutcome> {
  const { auth, address, call, now } = context
  const id = uuidFrom(context.id)
  const answer = await call({
    method: 'POST',
    url: messageUrl(auth),
    headers: {
      authorization: `Bearer ${makeToken(auth, now())}`,
      'content-type': 'application/json',
      id,
      'source-id': auth.businessId,
      'destination-id': address,
      'auto-reply': 'true',
    },
    body: JSON.stringify({ ...message, id, sourceId: auth.businessId, destinationId: address }),
  })
  if (answer.kind === 'none') return noAnswer(answer)
  if (answer.status >= 200 && answer.status <= 299) return { kind: 'sent', providerId: id }
  const { status } = answer
  const byStatus = unavailable(status, answer.header('retry-after'), now())
  return byStatus ?? toRefusal(refusals[status] ?? unlistedRefusal(status), `Answered ${status}.`)
}
