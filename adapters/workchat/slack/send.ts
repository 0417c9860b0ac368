/** Sends one message to Slack, which answers with status 200 even when it refuses; the body decides. */
import type { SendContext, SendOutcome } from '../../../core/channel/adapter.js'
import { isRecord } from '../../../core/json.js'
import { adapter as limits } from '../../../core/limits/index.js'
import { asText, readJson, retryAfterMsIn, unavailable, unknownAnswer } from '../../kit/http.js'
import { toRefusal, unlistedRefusal } from '../../kit/refusals.js'
import { methodUrl, refusals, type SlackAuth } from './descriptor.js'
import type { SlackPayload } from './render.js'

export async function send({ body }: SlackPayload, { auth, call, now }: SendContext<SlackAuth>): Promise<SendOutcome> {
  const answer = await call({
    method: 'POST',
    url: methodUrl(auth, 'chat.postMessage'),
    headers: { authorization: `Bearer ${auth.botToken}`, 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(body),
  })
  if (answer.kind === 'none') return unknownAnswer(answer)
  const answerBody = readJson(Buffer.from(answer.body))
  const isAnswered = answer.status >= 200 && answer.status <= 299 && isRecord(answerBody)
  if (isAnswered && answerBody.ok === true) return sentOutcome(answerBody)
  const errorCode = isRecord(answerBody) ? (asText(answerBody.error) ?? '') : ''
  const retryAfter = answer.header('retry-after')
  if (Object.hasOwn(refusals, errorCode))
    return toRefusal(refusals[errorCode]!, `Slack answered ${errorCode}.`, retryAfterMsIn(retryAfter, now()))
  const byStatus = unavailable(answer.status, retryAfter, now())
  if (byStatus) return byStatus
  // Unlisted error words are repeated only when they look like Slack's; any other text is not.
  const detail = /^[a-z_]{1,60}$/.test(errorCode) ? `Slack answered ${errorCode}.` : `Slack answered ${answer.status}.`
  if (isAnswered || answer.status > 299) return toRefusal(unlistedRefusal(answer.status), detail)
  return { kind: 'refused', reason: 'sendFailed', retry: 'later', detail, isUnknown: true }
}

/** Channel and timestamp identify a message. */
function sentOutcome({ channel, ts }: Readonly<Record<string, unknown>>): SendOutcome {
  const [channelId, time] = [asText(channel), asText(ts)]
  const providerId = `${channelId}:${time}`
  if (channelId && time && /^\S+$/.test(providerId) && providerId.length <= limits.idChars)
    return { kind: 'sent', providerId }
  const detail = 'The answer of Slack was not understood.'
  return { kind: 'refused', reason: 'sendFailed', retry: 'later', detail, isUnknown: true }
}
