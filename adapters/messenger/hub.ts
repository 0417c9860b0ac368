/** Incoming calls of the Graph API: verification request, signature over the raw body, lists read entry by entry. */
import { createHmac } from 'node:crypto'
import type { IngressRequest, IngressResult, Item } from '../../core/channel/adapter.js'
import type { Inbound } from '../../core/channel/inbound.js'
import { parsePostback } from '../../core/channel/postback.js'
import { isRecord } from '../../core/json.js'
import { adapter as limits } from '../../core/limits/index.js'
import { readJson, sameText } from '../kit/http.js'
import type { GraphAuth } from './graph.js'

export const signatureHeader = 'x-hub-signature-256'

export type JsonObject = Readonly<Record<string, unknown>>

export function receiveHub(
  request: IngressRequest,
  auth: GraphAuth,
  read: (body: JsonObject) => Omit<Extract<IngressResult, { readonly kind: 'items' }>, 'kind'>,
): IngressResult {
  if (request.method === 'GET') return answerVerification(request, auth)
  const signature = request.header(signatureHeader)
  if (!/^sha256=[0-9a-f]{64}$/.test(signature)) return { kind: 'refused' }
  const expected = `sha256=${createHmac('sha256', auth.appSecret).update(request.body).digest('hex')}`
  if (!sameText(signature, expected)) return { kind: 'refused' }
  const body = readJson(request.body)
  if (!isRecord(body)) return { kind: 'unreadable', problem: 'the body is not a JSON object' }
  return { kind: 'items', ...read(body) }
}

/** Echoes a challenge of plain characters only. */
function answerVerification({ url }: IngressRequest, { verifyToken }: GraphAuth): IngressResult {
  const query = URL.canParse(url) ? new URL(url).searchParams : new URLSearchParams()
  const challenge = query.get('hub.challenge') ?? ''
  const isSubscription = query.get('hub.mode') === 'subscribe' && /^[\w.~-]{1,256}$/.test(challenge)
  if (!isSubscription || !sameText(query.get('hub.verify_token') ?? '', verifyToken)) return { kind: 'refused' }
  return { kind: 'answer', status: 200, type: 'text/plain', body: challenge }
}

/** An entry that is no object becomes a problem; all other entries are still read. */
export function readEach(list: unknown, name: string, read: (entry: JsonObject) => readonly Item[]): readonly Item[] {
  if (list === undefined) return []
  if (!Array.isArray(list)) return [{ problem: `\`${name}\` is not a list` }]
  return list.flatMap((entry) =>
    isRecord(entry) ? read(entry) : [{ problem: `an entry of \`${name}\` is no object` }],
  )
}

/** A message id of the provider. It leaves 20 characters of an item id for the state in a receipt. */
export function idIn(value: unknown): string | undefined {
  return nameIn(value, limits.idChars - 20)
}

export function addressIn(value: unknown): string | undefined {
  return nameIn(value, limits.addressChars)
}

/** A name is one word of printable ASCII, without blanks. */
function nameIn(value: unknown, maxChars: number): string | undefined {
  return typeof value === 'string' && value.length <= maxChars && /^[\x21-\x7e]+$/.test(value) ? value : undefined
}

/** The tap if the postback is ours; otherwise the label as text of the person. */
export function tapOrText(postback: string | undefined, label: string | undefined): Inbound | undefined {
  const tap = postback === undefined ? undefined : parsePostback(postback)
  if (tap) return { kind: 'tap', ...tap, ...(label !== undefined && { label }) }
  const text = label ?? postback
  return text ? { kind: 'content', content: { text } } : undefined
}
