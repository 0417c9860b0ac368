/**
 * Finds a message at Twilio after an unknown outcome: lists messages to the number, newest first, and compares text and
 * time.
 */
import type { FindContext, FindOutcome } from '../../../core/channel/adapter.js'
import { isRecord } from '../../../core/json.js'
import { twilio as limits } from '../../../core/limits/index.js'
import { asText, readJson } from '../../kit/http.js'
import { basicAuth, messagesUrl, type TwilioAuth } from './descriptor.js'
import type { TwilioPayload } from './render.js'

type ListedMessage = Readonly<Record<string, unknown>>

/** The outcome stays unknown when the page does not reach back to the first attempt. */
export async function find(payload: TwilioPayload, context: FindContext<TwilioAuth>): Promise<FindOutcome> {
  const { auth, address, call, since, isKnown } = context
  const { from, messagingServiceSid } = auth
  const query = new URLSearchParams({
    To: address,
    ...(from && !messagingServiceSid && { From: from }),
    PageSize: String(limits.listedMessages),
  })
  const answer = await call({
    method: 'GET',
    url: `${messagesUrl(auth)}?${query}`,
    headers: { authorization: basicAuth(auth) },
  })
  if (answer.kind === 'none') return { kind: 'unknown', detail: answer.detail }
  const body = readJson(Buffer.from(answer.body))
  const messages = isRecord(body) && Array.isArray(body.messages) ? body.messages.filter(isRecord) : undefined
  if (answer.status !== 200 || !messages) return { kind: 'unknown', detail: `Twilio answered ${answer.status}.` }
  const earliest = since - limits.clockSkewMs
  const isRecent = (each: ListedMessage) => createdAt(each) >= earliest
  const match = messages
    .filter((each) => isRecent(each) && isSame(each, payload) && !isKnown(asText(each.sid) ?? ''))
    .at(-1)
  const providerId = match && asText(match.sid)
  if (providerId) return { kind: 'found', providerId }
  const isWhole = messages.length < limits.listedMessages || messages.some((each) => !isRecent(each))
  return isWhole ? { kind: 'absent' } : { kind: 'unknown', detail: 'Twilio has too many messages to this number.' }
}

function createdAt({ date_created: text }: ListedMessage): number {
  const at = Date.parse(asText(text) ?? '')
  return Number.isNaN(at) ? Number.POSITIVE_INFINITY : at
}

/** The text of a template is unknown here, so any message of that time may be the one. */
function isSame(
  { direction, body, num_media: count }: ListedMessage,
  { Body, MediaUrl = [], ContentSid }: TwilioPayload,
): boolean {
  if (asText(direction)?.startsWith('outbound') !== true) return false
  const media = typeof MediaUrl === 'string' ? [MediaUrl] : MediaUrl
  return ContentSid !== undefined || (body === (Body ?? '') && Number(count ?? 0) === media.length)
}
