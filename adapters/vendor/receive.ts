/** What Apple tells: one thing that one person did in each call. There are no receipts. */
import { gunzipSync } from 'node:zlib'
import type { IngressRequest, Item, Received } from '../../core/channel/adapter.js'
import type { HeldMedia, ToldInbound } from '../../core/channel/held.js'
import { isRecord } from '../../core/json.js'
import { ingress, adapter as limits } from '../../core/limits.js'
import { notUnderstood } from '../kit/inbound.js'
import { asText, readJson } from '../kit/wire.js'
import { abilitiesIn } from './abilities.js'
import { answerIn } from './answers.js'
import type { AppleAuth } from './descriptor.js'
import { heldOf } from './files.js'
import { isApples } from './token.js'

type Loose = Readonly<Record<string, unknown>>

export function receive(request: IngressRequest, auth: AppleAuth): Received {
  const isKnown = request.method === 'POST' && isApples(request.header('authorization'), auth, request.at)
  if (!isKnown) return { kind: 'refused' }
  const bytes = unpacked(request.body)
  const body = bytes && readJson(bytes)
  if (!isRecord(body)) return { kind: 'unreadable', problem: 'the body is not a JSON object' }
  const business = named(body.destinationId, limits.addressChars)
  if (!business) return { kind: 'unreadable', problem: 'a message that names no business' }
  // One provider account may serve several businesses, and its calls may all come to one address.
  if (business !== auth.businessId) return { kind: 'items', items: [], elsewhere: [{ account: business }] }
  const abilities = abilitiesIn(request.header('capability-list'))
  const items = itemsIn(body)
  if (!items) return { kind: 'unreadable', problem: 'a message without `id` or `sourceId`' }
  return { kind: 'items', items: abilities ? items.map((item) => able(item, abilities)) : items }
}

/** Apple packs its calls. What unpacks to more than any call has is not read. */
function unpacked(body: Uint8Array): Uint8Array | undefined {
  if (body[0] !== 0x1f || body[1] !== 0x8b) return body
  try {
    return gunzipSync(body, { maxOutputLength: ingress.bodyBytes })
  } catch {
    return undefined
  }
}

/** Whatever a person does, it is their device that tells of it. */
function able(item: Item, abilities: readonly string[]): Item {
  return 'problem' in item ? item : { ...item, abilities }
}

function itemsIn(message: Loose): readonly Item[] | undefined {
  const [id, address] = [named(message.id, limits.addressChars), named(message.sourceId, limits.addressChars)]
  if (!id || !address) return undefined
  const back = { id: `${id}:back`, address, inbound: { kind: 'system', system: 'optIn' } } as const
  const reference = isRecord(message.interactiveDataRef) ? heldOf(message.interactiveDataRef) : undefined
  if (reference !== undefined) return [back, { id, address, inbound: { kind: 'reference', reference } }]
  const inbound = inboundIn(message)
  if (!inbound) return []
  if (inbound.kind === 'system') return [{ id, address, inbound }]
  // Who left is back by writing: there is no other way to say it here. For everybody else it changes nothing.
  return [back, { id, address, inbound }]
}

function named(value: unknown, max: number): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= max ? value : undefined
}

function inboundIn(message: Loose): ToldInbound | undefined {
  switch (message.type) {
    case 'text':
      return saidIn(message)
    case 'interactive':
      return answerIn(message.interactiveData)
    case 'typing_start':
      return { kind: 'system', system: 'typing' }
    case 'close':
      return { kind: 'system', system: 'unsubscribed' }
    // The person has stopped typing, which is no news.
    case 'typing_end':
      return undefined
    default:
      return notUnderstood('something')
  }
}

/** Where an attachment stands in the text there is a character that means nothing else. */
function saidIn({ body, attachments }: Loose): ToldInbound {
  const text = asText(body)?.replaceAll('\ufffc', '').trim()
  const sent: readonly unknown[] = Array.isArray(attachments) ? attachments.slice(0, limits.mediaPerItem) : []
  const media = sent.flatMap(mediaFrom)
  const isLost = media.length < sent.length || (!text && sent.length === 0)
  const lost = isLost && notUnderstood(sent.length > 0 ? 'a file' : 'a message').content.text
  const words = [text, lost].filter(Boolean).join('\n')
  return { kind: 'content', content: { ...(words && { text: words }), ...(media.length > 0 && { media }) } }
}

/** It is encrypted where it lies: it opens with what came along. */
function mediaFrom(attachment: unknown): HeldMedia[] {
  if (!isRecord(attachment)) return []
  const { mimeType, name } = attachment
  const [type, called] = [named(mimeType, limits.detailChars), named(name, limits.detailChars)]
  const held = heldOf(attachment)
  return held ? [{ held, ...(type && { type }), ...(called && { name: called }) }] : []
}
