/** Renders fitted blocks as messages of RCS Business Messaging, one for each request. */
import type { RenderContext } from '../../../core/channel/adapter.js'
import type { Block, RenderedCard, RenderedMedia } from '../../../core/channel/blocks.js'
import { traitsOf } from '../../../core/channel/channeltraits.js'
import { blank, literal, trimBlankLines } from '../../../core/render/lines.js'
import { splitPages } from '../../../core/render/split.js'
import { supportsCards } from './capabilities.js'
import type { CardContent, ContentInfo, ContentMessage, RbmPayload } from './payload.js'
import { suggestionsOf } from './suggestions.js'

const traits = traitsOf('rcs')

export function render(blocks: readonly Block[], context: RenderContext): readonly RbmPayload[] {
  return blocks.flatMap((block) => payloadsOf(block, context))
}

const toPayload = (contentMessage: ContentMessage): RbmPayload => ({ message: { contentMessage } })

function payloadsOf(block: Block, context: RenderContext): readonly RbmPayload[] {
  const { messageId } = context
  switch (block.kind) {
    case 'native':
      return [{ native: block.payload }]
    case 'text':
      return [toPayload({ text: block.text, ...suggestionsOf(block.chips, messageId) })]
    case 'media':
      return mediaPayloads(block, context)
    case 'card': {
      const standaloneCard = {
        cardOrientation: 'VERTICAL',
        cardContent: cardOf(block.card, 'TALL', messageId),
      } as const
      return [toPayload({ richCard: { standaloneCard }, ...suggestionsOf(block.chips, messageId) })]
    }
    case 'carousel': {
      const cardContents = block.cards.map((card) => cardOf(card, 'MEDIUM', messageId))
      const carouselCard = { cardWidth: 'MEDIUM', cardContents } as const
      return [toPayload({ richCard: { carouselCard }, ...suggestionsOf(block.chips, messageId) })]
    }
    default:
      throw new Error(`the traits of rcs have no ${block.kind}`)
  }
}

/** Cards of a carousel have media of one height; a standalone card has room for a taller one. */
function cardOf(
  { title, description, mediaUrl, chips }: RenderedCard,
  height: 'MEDIUM' | 'TALL',
  messageId: string,
): CardContent {
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(mediaUrl !== undefined && { media: { height, contentInfo: { fileUrl: mediaUrl } } }),
    ...suggestionsOf(chips, messageId),
  }
}

/**
 * A message is text or media, never both. Images and videos take their text along as a card. The rest of the text goes
 * ahead as a message of its own: documents cannot stand in a card on every phone, a card holds less text than a
 * message, and some phones have no cards.
 */
function mediaPayloads(
  block: Extract<Block, { kind: 'media' }>,
  { messageId, deviceCapabilities }: RenderContext,
): readonly RbmPayload[] {
  const { media, text, chips } = block
  const contentInfo = infoOf(media)
  const below = suggestionsOf(chips, messageId)
  const lines = trimBlankLines(
    [text, media.alt].flatMap((each) => (each === undefined ? [] : [...literal(each), blank])),
  )
  const words = lines.length === 0 ? [] : splitPages(lines, traits)
  if (words.length === 0) return [toPayload({ contentInfo, ...below })]
  const [description = ''] = words
  const isCard = supportsCards(deviceCapabilities) && (media.kind === 'image' || media.kind === 'video')
  if (isCard && words.length === 1 && description.length <= traits.card!.descriptionMax) {
    const cardContent: CardContent = { description, media: { height: 'TALL', contentInfo } }
    return [toPayload({ richCard: { standaloneCard: { cardOrientation: 'VERTICAL', cardContent } }, ...below })]
  }
  return [...words.map((page) => toPayload({ text: page })), toPayload({ contentInfo, ...below })]
}

function infoOf({ url, thumbnailUrl }: RenderedMedia): ContentInfo {
  return { fileUrl: url, ...(thumbnailUrl !== undefined && { thumbnailUrl }) }
}
