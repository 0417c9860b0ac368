/** Receives calls of Apple: each contains one act of one person. There are no receipts. */
import { gunzipSync } from 'node:zlib'
import type { IngressRequest, IngressResult, Item } from '../../../core/channel/adapter.js'
import type { ProviderMedia, ReportedInbound } from '../../../core/channel/providermedia.js'
import { isRecord } from '../../../core/json.js'
import { ingress, adapter as limits } from '../../../core/limits/index.js'
import { asText, readJson } from '../../kit/http.js'
import { notUnderstood } from '../../kit/inbound.js'
import { answerIn } from './answers.js'
import { deviceCapabilitiesIn } from './capabilities.js'
import type { AppleAuth } from './descriptor.js'
import { encodeFileRef } from './files.js'
import { isFromApple } from './token.js'

type JsonObject = Readonly<Record<string, unknown>>

export function receive(request: IngressRequest, auth: AppleAuth): IngressResult {
  const isAuthentic = request.method === 'POST' && isFromApple(request.header('authorization'), auth, request.at)
  if (!isAuthentic) return { kind: 'refused' }
  const bytes = decompress(request.body)
  const body = bytes && readJson(bytes)
  if (!isRecord(body)) return { kind: 'unreadable', problem: 'the body is not a JSON object' }
  const business = nameIn(body.destinationId, limits.addressChars)
  if (!business) return { kind: 'unreadable', problem: 'a message that names no business' }
  // One provider account may serve several businesses, which may share a URL.
  if (business !== auth.businessId) return { kind: 'items', items: [], otherAccounts: [{ account: business }] }
  const deviceCapabilities = deviceCapabilitiesIn(request.header('capability-list'))
  const items = itemsIn(body)
  if (!items) return { kind: 'unreadable', problem: 'a message without `id` or `sourceId`' }
  return {
    kind: 'items',
    items: deviceCapabilities ? items.map((item) => withDeviceCapabilities(item, deviceCapabilities)) : items,
  }
}

/** Apple compresses its calls. A body that decompresses beyond the limit is not read. */
function decompress(body: Uint8Array): Uint8Array | undefined {
  if (body[0] !== 0x1f || body[1] !== 0x8b) return body
  try {
    return gunzipSync(body, { maxOutputLength: ingress.bodyBytes })
  } catch {
    return undefined
  }
}

/** The capabilities are those of the device that the person used. */
function withDeviceCapabilities(item: Item, deviceCapabilities: readonly string[]): Item {
  return 'problem' in item ? item : { ...item, deviceCapabilities }
}

function itemsIn(message: JsonObject): readonly Item[] | undefined {
  const [id, address] = [nameIn(message.id, limits.addressChars), nameIn(message.sourceId, limits.addressChars)]
  if (!id || !address) return undefined
  const optIn = { id: `${id}:back`, address, inbound: { kind: 'system', system: 'optIn' } } as const
  const reference = isRecord(message.interactiveDataRef) ? encodeFileRef(message.interactiveDataRef) : undefined
  if (reference !== undefined) return [optIn, { id, address, inbound: { kind: 'reference', reference } }]
  const inbound = inboundIn(message)
  if (!inbound) return []
  if (inbound.kind === 'system') return [{ id, address, inbound }]
  // Writing is the only way back for a person who left, so an opt-in precedes every message; it is a no-op for all
  // others.
  return [optIn, { id, address, inbound }]
}

function nameIn(value: unknown, max: number): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= max ? value : undefined
}

function inboundIn(message: JsonObject): ReportedInbound | undefined {
  switch (message.type) {
    case 'text':
      return contentIn(message)
    case 'interactive':
      return answerIn(message.interactiveData)
    case 'typing_start':
      return { kind: 'system', system: 'typing' }
    case 'close':
      return { kind: 'system', system: 'unsubscribed' }
    // The person stopped typing: no item.
    case 'typing_end':
      return undefined
    default:
      return notUnderstood('something')
  }
}

/**
 * Removes the placeholder character that marks an attachment in the text. Files that cannot be opened or exceed the
 * limit become a note.
 */
function contentIn({ body, attachments }: JsonObject): ReportedInbound {
  const text = asText(body)?.replaceAll('\ufffc', '').trim()
  const attachmentList: readonly unknown[] = Array.isArray(attachments) ? attachments : []
  const media = attachmentList.flatMap(mediaFrom).slice(0, limits.mediaPerItem)
  const isIncomplete = media.length < attachmentList.length || (!text && attachmentList.length === 0)
  const notice = isIncomplete && notUnderstood(attachmentList.length > 0 ? 'a file' : 'a message').content.text
  const contentText = [text, notice].filter(Boolean).join('\n')
  return { kind: 'content', content: { ...(contentText && { text: contentText }), ...(media.length > 0 && { media }) } }
}

/** The file is encrypted; the ref contains the key from the call. */
function mediaFrom(attachment: unknown): ProviderMedia[] {
  if (!isRecord(attachment)) return []
  const { mimeType, name } = attachment
  const [type, fileName] = [nameIn(mimeType, limits.detailChars), nameIn(name, limits.detailChars)]
  const mediaRef = encodeFileRef(attachment)
  return mediaRef ? [{ mediaRef, ...(type && { type }), ...(fileName && { name: fileName }) }] : []
}
