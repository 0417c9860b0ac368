/** Reads the acts of emulated phones item by item: a malformed item does not lose the others. */
import type { Item } from '../../core/channel/adapter.js'
import {
  type Inbound,
  messageStates,
  systemKinds,
  type UserContent,
  type UserMedia,
} from '../../core/channel/inbound.js'
import { parsePostback } from '../../core/channel/postback.js'
import { isRecord } from '../../core/json.js'

type JsonObject = Readonly<Record<string, unknown>>

export function itemsIn(body: unknown): readonly Item[] {
  const items = isRecord(body) ? body.items : undefined
  if (!Array.isArray(items)) return [{ problem: '`items` is not a list' }]
  return items.map(itemFrom)
}

function itemFrom(item: unknown): Item {
  if (!isRecord(item)) return { problem: 'an item is not an object' }
  const { id, from } = item
  if (typeof id !== 'string' || id === '' || id.length > 200) return { problem: 'an item has no `id`' }
  if (typeof from !== 'string' || from === '' || from.length > 200) return { problem: `item ${id} has no \`from\`` }
  const inbound = receiptIn(item) ?? systemIn(item) ?? tapIn(item) ?? contentIn(item)
  return inbound ? { id, address: from, inbound } : { problem: `item ${id} says nothing that is understood` }
}

function receiptIn({ receipt }: JsonObject): Inbound | undefined {
  if (!isRecord(receipt)) return undefined
  const { messageId, state, reason, upTo } = receipt
  const messageState = messageStates.find((each) => each === state)
  if (!messageState || messageState === 'queued') return undefined
  if (typeof messageId !== 'string' && typeof upTo !== 'number') return undefined
  return {
    kind: 'receipt',
    receipt: {
      providerId: typeof messageId === 'string' ? messageId : '',
      state: messageState,
      ...(typeof reason === 'string' && { reason }),
      ...(typeof upTo === 'number' && { upTo }),
    },
  }
}

function systemIn({ system }: JsonObject): Inbound | undefined {
  const kind = systemKinds.find((each) => each === system)
  return kind && kind !== 'windowChanged' ? { kind: 'system', system: kind } : undefined
}

function tapIn({ postback, label }: JsonObject): Inbound | undefined {
  const tap = typeof postback === 'string' ? parsePostback(postback) : undefined
  return tap && { kind: 'tap', ...tap, ...(typeof label === 'string' && { label }) }
}

function contentIn({ text, media, place }: JsonObject): Inbound | undefined {
  const content: UserContent = {
    ...(typeof text === 'string' && { text }),
    ...(Array.isArray(media) && { media: media.flatMap(mediaFrom) }),
    ...(isRecord(place) && { place: placeFrom(place) }),
  }
  return Object.keys(content).length > 0 ? { kind: 'content', content } : undefined
}

function mediaFrom(media: unknown): UserMedia[] {
  if (!isRecord(media) || typeof media.url !== 'string') return []
  const { url, type, name } = media
  return [{ url, ...(typeof type === 'string' && { type }), ...(typeof name === 'string' && { name }) }]
}

function placeFrom({ latitude, longitude, label, address }: JsonObject): NonNullable<UserContent['place']> {
  return {
    ...(typeof latitude === 'number' && { latitude }),
    ...(typeof longitude === 'number' && { longitude }),
    ...(typeof label === 'string' && { label }),
    ...(typeof address === 'string' && { address }),
  }
}
