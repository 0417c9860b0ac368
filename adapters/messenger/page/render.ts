/** Renders fitted blocks as messages of Messenger and Instagram, one for each request. */
import type { RenderContext } from '../../../core/channel/adapter.js'
import type { Block, RenderedCard, RenderedChip, RenderedMedia } from '../../../core/channel/blocks.js'
import { formatPostback } from '../../../core/channel/postback.js'
import type { Traits } from '../../../core/channel/traits.js'
import { isRecord } from '../../../core/json.js'
import { literal } from '../../../core/render/lines.js'
import { mediaOf } from '../../../core/render/media.js'
import { phrases } from '../../../core/render/phrases.js'
import { splitPages } from '../../../core/render/split.js'
import { captionsOf } from '../captions.js'
import type { JsonObject } from '../hub.js'

export interface PagePayload {
  readonly body: JsonObject
}

export function renderPage(
  blocks: readonly Block[],
  { address, messageId }: RenderContext,
  traits: Traits,
): PagePayload[] {
  const messages = blocks.flatMap((block) => messagesOf(block, messageId, traits))
  return messages.map((message) => ({
    body: { recipient: { id: address }, messaging_type: 'RESPONSE', message },
  }))
}

function messagesOf(block: Block, messageId: string, traits: Traits): readonly JsonObject[] {
  switch (block.kind) {
    case 'native':
      return [isRecord(block.payload) ? block.payload : {}]
    case 'text':
      return [textOf(block.text, block.chips, messageId)]
    case 'media':
      return mediaMessages(block, messageId, traits)
    case 'card':
      return cardMessages([block.card], block.chips, messageId, traits)
    case 'carousel':
      return cardMessages(block.cards, block.chips, messageId, traits)
    default:
      throw new Error(`the traits of ${traits.channel} have no ${block.kind}`)
  }
}

function textOf(text: string, chips: readonly RenderedChip[] | undefined, messageId: string): JsonObject {
  if (!chips) return { text }
  const quickReplies = chips.map(({ label, tap }) => ({
    content_type: 'text',
    title: label,
    payload: formatPostback({ messageId, tapIndex: tap! }),
  }))
  return { text, quick_replies: quickReplies }
}

/** Media has no caption. Chips disappear with the next message, so the text that has them comes last. */
function mediaMessages(block: Extract<Block, { kind: 'media' }>, messageId: string, traits: Traits): JsonObject[] {
  const { words: captions, after } = captionsOf(block, traits)
  const mediaMessage = { attachment: { type: typeOf(block.media, traits), payload: { url: block.media.url } } }
  const textMessages = (pages: readonly string[]) => pages.map((page) => textOf(page, undefined, messageId))
  if (!block.chips) return [...textMessages(captions), mediaMessage, ...textMessages(after)]
  const last = captions.at(-1) ?? phrases.choose
  return [
    ...textMessages(captions.slice(0, -1)),
    mediaMessage,
    ...textMessages(after),
    textOf(last, block.chips, messageId),
  ]
}

/** A channel that takes only pictures, video and audio gets each file as a picture. */
function typeOf({ kind }: RenderedMedia, { media }: Traits): RenderedMedia['kind'] {
  const hasFiles = media?.types.some((type) => !/^(image|video|audio)\//.test(type))
  return kind === 'file' && !hasFiles ? 'image' : kind
}

/** Chips below cards need a text of their own to stand under. */
function cardMessages(
  cards: readonly RenderedCard[],
  chips: readonly RenderedChip[] | undefined,
  messageId: string,
  traits: Traits,
): JsonObject[] {
  const fittedCards = cards.map(fitCard)
  const elements = fittedCards.map(({ card }) => elementOf(card, messageId, traits))
  const overflow = fittedCards.flatMap(({ lines }) => lines.flatMap(literal))
  const pages = overflow.length > 0 ? splitPages(overflow, traits) : []
  return [
    { attachment: { type: 'template', payload: { template_type: 'generic', elements } } },
    ...pages.map((text) => ({ text })),
    ...(chips ? [textOf(phrases.orChoose, chips, messageId)] : []),
  ]
}

/** A call button needs a number with its country code; other numbers are written out. */
function fitCard({ chips = [], ...card }: RenderedCard): { card: RenderedCard; lines: readonly string[] } {
  const isButton = ({ kind, phone }: RenderedChip) => kind !== 'dial' || international(phone) !== undefined
  const buttons = chips.filter(isButton)
  const lines = chips.filter((chip) => !isButton(chip)).map(({ label, phone }) => `${label}: ${phone}`)
  const full = { ...card, ...(buttons.length > 0 && { chips: buttons }) }
  // The API takes a card with a title and at least one more member; a written-out number may be that member.
  if (Object.keys(full).length > 1) return { card: full, lines }
  const [description, ...more] = lines
  return { card: { ...full, ...(description !== undefined && { description }) }, lines: more }
}

function international(phone = ''): string | undefined {
  const digits = phone.replace(/\D/g, '')
  return phone.startsWith('+') && digits.length >= 7 && digits.length <= 15 ? `+${digits}` : undefined
}

/** A video cannot be shown in a card; a tap on the card opens it. */
function elementOf(
  { title, description, mediaUrl, chips }: RenderedCard,
  messageId: string,
  traits: Traits,
): JsonObject {
  const isVideo = mediaUrl !== undefined && mediaOf(mediaUrl, traits)?.kind === 'video'
  return {
    title,
    ...(description !== undefined && { subtitle: description }),
    ...(mediaUrl !== undefined && !isVideo && { image_url: mediaUrl }),
    ...(isVideo && { default_action: { type: 'web_url', url: mediaUrl } }),
    ...(chips && { buttons: chips.map((chip) => buttonOf(chip, messageId)) }),
  }
}

function buttonOf({ kind, label: title, url, phone, tap }: RenderedChip, messageId: string): JsonObject {
  if (kind === 'url') return { type: 'web_url', title, url }
  if (kind === 'dial') return { type: 'phone_number', title, payload: international(phone) }
  return { type: 'postback', title, payload: formatPostback({ messageId, tapIndex: tap! }) }
}
