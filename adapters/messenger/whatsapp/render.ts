/** Renders fitted blocks as messages of the WhatsApp Cloud API, one for each request. */
import type { Signal } from '../../../core/amf/index.js'
import type { RenderContext } from '../../../core/channel/adapter.js'
import type { Block, RenderedChip, RenderedMedia } from '../../../core/channel/blocks.js'
import { traitsOf } from '../../../core/channel/channeltraits.js'
import { isRecord } from '../../../core/json.js'
import { literal } from '../../../core/render/lines.js'
import { phrases } from '../../../core/render/phrases.js'
import { splitPages } from '../../../core/render/split.js'
import { captionsOf } from '../captions.js'
import type { JsonObject } from '../hub.js'
import { carouselOf, interactive, listOf, mediaIn } from './interactive.js'

export interface WhatsappPayload {
  readonly body: JsonObject
}

const traits = traitsOf('messengerA')
const besideMax = traits.text.besideMax!

export function render(blocks: readonly Block[], context: RenderContext): readonly WhatsappPayload[] {
  const contents = blocks.flatMap((block, at) => {
    if (isLeadText(block, blocks[at + 1])) return []
    const previous = blocks[at - 1]
    return contentsOf(block, context.messageId, previous && isLeadText(previous, block) ? previous.text : undefined)
  })
  return contents.map((content) => ({ body: withRecipient(content, context.address) }))
}

/** A carousel needs a text above its cards, so a short text before it becomes that text. */
function isLeadText(block: Block, next: Block | undefined): block is Extract<Block, { kind: 'text' }> {
  return next?.kind === 'carousel' && block.kind === 'text' && !block.chips && block.text.length <= besideMax
}

/** Adds the recipient; people without a number have another id. A native payload never chooses the recipient. */
function withRecipient(content: JsonObject, address: string): JsonObject {
  const { recipient: _theirs, to: _too, ...rest } = content
  const number = /^\+?([0-9]+)$/.exec(address)?.[1]
  const person = number === undefined ? { recipient: address } : { to: number }
  return { ...rest, messaging_product: 'whatsapp', recipient_type: 'individual', ...person }
}

function contentsOf(block: Block, messageId: string, lead = phrases.choose as string): readonly JsonObject[] {
  switch (block.kind) {
    case 'native':
      return [isRecord(block.payload) ? block.payload : {}]
    case 'text':
      return block.chips ? tappable(block.text, block.chips, messageId) : [textOf(block.text)]
    case 'media':
      return mediaContents(block, messageId)
    case 'carousel':
      return [carouselOf(lead, block.cards, messageId)]
    case 'list':
      return [...picturesOf(block), listOf(block.text, block.rows, messageId)]
    default:
      throw new Error(`the traits of messengerA have no ${block.kind}`)
  }
}

const textOf = (body: string): JsonObject => ({ type: 'text', text: { body, preview_url: false } })

/** WhatsApp labels the location button itself, so the chip's label goes into the text above it. */
function tappable(
  text: string,
  chips: readonly RenderedChip[],
  messageId: string,
  header?: RenderedMedia,
): JsonObject[] {
  const [chip] = chips
  if (chip?.kind !== 'shareLocation') return [interactive(text, chips, messageId, header)]
  const both = `${text}\n\n${chip.label}`
  if (both.length <= besideMax) return [interactive(both, chips, messageId)]
  return [textOf(text), interactive(chip.label, chips, messageId)]
}

/** Audio has no caption, and only a location request may accompany it. */
function mediaContents(block: Extract<Block, { kind: 'media' }>, messageId: string): JsonObject[] {
  const { media, chips } = block
  const { words: captions, after } = captionsOf(block, traits)
  const [first, ...more] = captions
  const hasHeader = media.kind !== 'audio' && chips?.[0]?.kind !== 'shareLocation'
  const isCaption = first !== undefined && more.length === 0 && first.length <= besideMax
  if (chips && hasHeader && isCaption) return [...tappable(first, chips, messageId, media), ...after.map(textOf)]
  if (!chips && media.kind !== 'audio' && isCaption) return [mediaIn(media, first), ...after.map(textOf)]
  const below = chips ? tappable(phrases.choose, chips, messageId) : []
  return [...captions.map(textOf), mediaIn(media), ...after.map(textOf), ...below]
}

/** Rows have no pictures on WhatsApp: links to them go ahead as text, and the question follows. */
function picturesOf({ text, rows }: Extract<Block, { kind: 'list' }>): JsonObject[] {
  const links = rows.flatMap(({ label, mediaUrl }) => (mediaUrl === undefined ? [] : literal(`${label}: ${mediaUrl}`)))
  return links.length === 0 ? [] : [text, ...splitPages(links, traits)].map(textOf)
}

/** WhatsApp shows typing only as an answer to a message, which it marks as read. */
export function signal(kind: Signal, { lastInboundId }: RenderContext): WhatsappPayload | undefined {
  if (lastInboundId === undefined) return undefined
  const readMark = { messaging_product: 'whatsapp', status: 'read', message_id: lastInboundId }
  return { body: kind === 'typing' ? { ...readMark, typing_indicator: { type: 'text' } } : readMark }
}
