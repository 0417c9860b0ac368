/** Interactive WhatsApp messages: reply buttons, link, location request, list, and carousel. */

import type { RenderedCard, RenderedChip, RenderedMedia, RenderedRow } from '../../../core/channel/blocks.js'
import { traitsOf } from '../../../core/channel/channeltraits.js'
import { formatPostback } from '../../../core/channel/postback.js'
import { mediaOf } from '../../../core/render/media.js'
import { phrases } from '../../../core/render/phrases.js'
import type { JsonObject } from '../hub.js'

const traits = traitsOf('messengerA')

/** Reply buttons share a message; a link or a location request needs one of its own. */
export function interactive(
  text: string,
  chips: readonly RenderedChip[],
  messageId: string,
  header?: RenderedMedia,
): JsonObject {
  const [first] = chips
  const body = { text }
  const headerPart = header && { header: headerOf(header) }
  if (first?.kind === 'shareLocation') {
    return asInteractive({ type: 'location_request_message', body, action: { name: 'send_location' } })
  }
  if (first?.kind === 'url') return asInteractive({ type: 'cta_url', ...headerPart, body, action: linkOf(first) })
  const buttons = chips.map(({ label, tap }) => ({
    type: 'reply',
    reply: { id: postbackOf(tap, messageId), title: label },
  }))
  return asInteractive({ type: 'button', ...headerPart, body, action: { buttons } })
}

export function listOf(text: string, rows: readonly RenderedRow[], messageId: string): JsonObject {
  const entries = rows.map(({ label, description, tap }) => ({
    id: postbackOf(tap, messageId),
    title: label,
    ...(description !== undefined && description !== '' && { description }),
  }))
  return asInteractive({
    type: 'list',
    body: { text },
    action: { button: phrases.select, sections: [{ rows: entries }] },
  })
}

export function carouselOf(text: string, cards: readonly RenderedCard[], messageId: string): JsonObject {
  const items = cards.map((card, index) => cardOf(card, index, messageId))
  return asInteractive({ type: 'carousel', body: { text }, action: { cards: items } })
}

/** The provider's own example gives every card this type, for all kinds of buttons. */
function cardOf(
  { description, mediaUrl = '', chips = [] }: RenderedCard,
  index: number,
  messageId: string,
): JsonObject {
  const [first] = chips
  const buttons = chips.map(({ label, tap }) => ({
    type: 'quick_reply',
    quick_reply: { id: postbackOf(tap, messageId), title: label },
  }))
  return {
    card_index: index,
    type: 'cta_url',
    ...(description !== undefined && { body: { text: limitLineBreaks(description) } }),
    header: headerOf(mediaOf(mediaUrl, traits) ?? { kind: 'image', url: mediaUrl }),
    action: first?.kind === 'url' ? linkOf(first) : { buttons },
  }
}

/** A card body has at most two line breaks: further lines are joined to the third. */
function limitLineBreaks(text: string): string {
  const [first = '', second, ...rest] = text.split(/\n+/)
  return [first, second, rest.length > 0 ? rest.join(' ') : undefined].filter((line) => line !== undefined).join('\n')
}

export function mediaIn(media: RenderedMedia, caption?: string): JsonObject {
  const type = typeOf(media)
  return { type, [type]: { ...(caption !== undefined && { caption }), ...fileOf(media) } }
}

function headerOf(media: RenderedMedia): JsonObject {
  const type = typeOf(media)
  return { type, [type]: fileOf(media) }
}

function typeOf({ kind }: RenderedMedia): 'image' | 'video' | 'audio' | 'document' {
  return kind === 'file' ? 'document' : kind
}

/** A document shows the name of its file. */
function fileOf({ kind, url, name }: RenderedMedia): JsonObject {
  const filename = kind === 'file' ? (name ?? /([^/?#]+)(?:[?#].*)?$/s.exec(url)?.[1]) : undefined
  return { link: url, ...(filename !== undefined && { filename }) }
}

function linkOf({ label, url }: RenderedChip): JsonObject {
  return { name: 'cta_url', parameters: { display_text: label, url } }
}

/** Every answerable entry has a `tap`. */
function postbackOf(tap: number | undefined, messageId: string): string {
  return formatPostback({ messageId, tapIndex: tap! })
}

function asInteractive(content: JsonObject): JsonObject {
  return { type: 'interactive', interactive: content }
}
