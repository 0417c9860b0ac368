/** From blocks that fit the channel to the messages of RCS Business Messaging, one a request. */
import type { Addressed } from '../../core/channel/adapter.js'
import type { Block, RenderedCard, RenderedMedia } from '../../core/channel/blocks.js'
import { traitsOf } from '../../core/channel/table.js'
import { blank, literal, tidy } from '../../core/render/lines.js'
import { pagesOf } from '../../core/render/split.js'
import { showsCards } from './abilities.js'
import { suggestionsOf } from './suggestions.js'
import type { CardContent, ContentInfo, ContentMessage, RbmWire } from './wire.js'

const traits = traitsOf('rcs')

export function render(blocks: readonly Block[], about: Addressed): readonly RbmWire[] {
  return blocks.flatMap((block) => wiresOf(block, about))
}

const sent = (contentMessage: ContentMessage): RbmWire => ({ message: { contentMessage } })

function wiresOf(block: Block, about: Addressed): readonly RbmWire[] {
  const { messageId } = about
  switch (block.kind) {
    case 'native':
      return [{ native: block.payload }]
    case 'text':
      return [sent({ text: block.text, ...suggestionsOf(block.chips, messageId) })]
    case 'media':
      return mediaWires(block, about)
    case 'card': {
      const standaloneCard = {
        cardOrientation: 'VERTICAL',
        cardContent: cardOf(block.card, 'TALL', messageId),
      } as const
      return [sent({ richCard: { standaloneCard }, ...suggestionsOf(block.chips, messageId) })]
    }
    case 'carousel': {
      const cardContents = block.cards.map((card) => cardOf(card, 'MEDIUM', messageId))
      const carouselCard = { cardWidth: 'MEDIUM', cardContents } as const
      return [sent({ richCard: { carouselCard }, ...suggestionsOf(block.chips, messageId) })]
    }
    default:
      throw new Error(`the traits of rcs have no ${block.kind}`)
  }
}

/** All cards of a carousel have pictures of one height; a standalone card has room for a taller one. */
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
 * A message is words or media, never both. Pictures and films take words along as a card; a document cannot stand in a
 * card everywhere, a card holds less than a message, and not every phone has cards, so what is left goes ahead as a message
 * of its own.
 */
function mediaWires(block: Extract<Block, { kind: 'media' }>, { messageId, abilities }: Addressed): readonly RbmWire[] {
  const { media, text, chips } = block
  const contentInfo = infoOf(media)
  const below = suggestionsOf(chips, messageId)
  const lines = tidy([text, media.alt].flatMap((each) => (each === undefined ? [] : [...literal(each), blank])))
  const words = lines.length === 0 ? [] : pagesOf(lines, traits)
  if (words.length === 0) return [sent({ contentInfo, ...below })]
  const [description = ''] = words
  const isCard = showsCards(abilities) && (media.kind === 'image' || media.kind === 'video')
  if (isCard && words.length === 1 && description.length <= traits.card!.descriptionMax) {
    const cardContent: CardContent = { description, media: { height: 'TALL', contentInfo } }
    return [sent({ richCard: { standaloneCard: { cardOrientation: 'VERTICAL', cardContent } }, ...below })]
  }
  return [...words.map((page) => sent({ text: page })), sent({ contentInfo, ...below })]
}

function infoOf({ url, thumbnailUrl }: RenderedMedia): ContentInfo {
  return { fileUrl: url, ...(thumbnailUrl !== undefined && { thumbnailUrl }) }
}
