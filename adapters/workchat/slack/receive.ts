/** Receives Slack's calls: events as JSON, taps as JSON inside a form, both with the same signature. */
import { createHmac } from 'node:crypto'
import type { IngressRequest, IngressResult, Item } from '../../../core/channel/adapter.js'
import { isRecord } from '../../../core/json.js'
import { ingressBounds, adapter as limits, slack } from '../../../core/limits/index.js'
import { asText, readJson, sameText } from '../../kit/http.js'
import { readForm } from '../../kit/urlencoded.js'
import { headers, type SlackAuth } from './descriptor.js'
import { eventItems } from './events.js'
import { tapItems } from './taps.js'

export function receive(request: IngressRequest, auth: SlackAuth): IngressResult {
  if (request.method !== 'POST' || !isFromSlack(request, auth)) return { kind: 'refused' }
  const body = readJson(request.body)
  if (!isRecord(body)) return receiveForm(request.body)
  if (body.type !== 'url_verification') return ingressResultOf(eventItems(body, auth))
  const challenge = asText(body.challenge) ?? ''
  if (challenge.length > limits.detailChars) return { kind: 'unreadable', problem: 'a greeting that is too long' }
  return { kind: 'answer', status: 200, type: 'text/plain', body: challenge }
}

/** An old timestamp is refused, since the call may be a replay. */
function isFromSlack(request: IngressRequest, { signingSecret }: SlackAuth): boolean {
  const { header, at } = request
  const [timestamp, signature] = [header(headers.timestamp), header(headers.signature)]
  const skewMs = Math.abs(at - Number(timestamp) * 1_000)
  if (!/^[0-9]{1,12}$/.test(timestamp) || skewMs > slack.skewMs || !/^v0=[0-9a-f]{64}$/.test(signature)) return false
  const expected = createHmac('sha256', signingSecret).update(`v0:${timestamp}:`).update(request.body).digest('hex')
  return sameText(signature, `v0=${expected}`)
}

function receiveForm(bytes: Uint8Array): IngressResult {
  const payload = readForm(bytes, ingressBounds.slackForm)?.get('payload')
  const body = payload ? readJson(Buffer.from(payload)) : undefined
  if (!isRecord(body)) return { kind: 'unreadable', problem: 'the body is neither JSON nor a form with a payload' }
  return ingressResultOf(tapItems(body))
}

function ingressResultOf(items: readonly Item[] | undefined): IngressResult {
  return items ? { kind: 'items', items } : { kind: 'unreadable', problem: 'what a person did, without who or where' }
}
