/** Asks Twilio whether it has a message: its list of messages to a number, newest first, read by text and time. */
import type { Finding, FindOutcome } from '../../../core/channel/adapter.js'
import { isRecord } from '../../../core/json.js'
import { twilio as limits } from '../../../core/limits.js'
import { asText, readJson } from '../../kit/wire.js'
import { basicOf, messagesUrl, type TwilioAuth } from './descriptor.js'
import type { TwilioWire } from './render.js'

type Listed = Readonly<Record<string, unknown>>

/** A page that does not reach back to the first try leaves it unknown. */
export async function find(wire: TwilioWire, finding: Finding<TwilioAuth>): Promise<FindOutcome> {
  const { auth, address, call, since, isKnown } = finding
  const { from, messagingServiceSid } = auth
  const query = new URLSearchParams({
    To: address,
    ...(from && !messagingServiceSid && { From: from }),
    PageSize: String(limits.listedMessages),
  })
  const answer = await call({
    method: 'GET',
    url: `${messagesUrl(auth)}?${query}`,
    headers: { authorization: basicOf(auth) },
  })
  if (answer.kind === 'none') return { kind: 'unknown', detail: answer.detail }
  const body = readJson(Buffer.from(answer.body))
  const messages = isRecord(body) && Array.isArray(body.messages) ? body.messages.filter(isRecord) : undefined
  if (answer.status !== 200 || !messages) return { kind: 'unknown', detail: `Twilio answered ${answer.status}.` }
  const earliest = since - limits.clockSkewMs
  const isRecent = (each: Listed) => createdAt(each) >= earliest
  const found = messages
    .filter((each) => isRecent(each) && isSame(each, wire) && !isKnown(asText(each.sid) ?? ''))
    .at(-1)
  const providerId = found && asText(found.sid)
  if (providerId) return { kind: 'found', providerId }
  const isWhole = messages.length < limits.listedMessages || messages.some((each) => !isRecent(each))
  return isWhole ? { kind: 'absent' } : { kind: 'unknown', detail: 'Twilio has too many messages to this number.' }
}

function createdAt({ date_created: text }: Listed): number {
  const at = Date.parse(asText(text) ?? '')
  return Number.isNaN(at) ? Number.POSITIVE_INFINITY : at
}

/** What a template of the account says is not known here: then any message of that time may be it. */
function isSame(
  { direction, body, num_media: count }: Listed,
  { Body, MediaUrl = [], ContentSid }: TwilioWire,
): boolean {
  if (asText(direction)?.startsWith('outbound') !== true) return false
  const media = typeof MediaUrl === 'string' ? [MediaUrl] : MediaUrl
  return ContentSid !== undefined || (body === (Body ?? '') && Number(count ?? 0) === media.length)
}
