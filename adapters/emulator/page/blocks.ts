/** Drawings of blocks that are not sent yet, for the preview of the editor. */
import type { Block, RenderedCard, RenderedChip } from '../../../core/channel/blocks.js'
import type { Card, Drawing, Tap } from './drawing.js'

const kinds: Readonly<Record<string, Tap['kind']>> = {
  url: 'link',
  dial: 'dial',
  calendar: 'calendar',
  viewLocation: 'map',
  shareLocation: 'location',
}

export function drawingOfBlock(block: Block): Drawing {
  switch (block.kind) {
    case 'text':
      return { text: block.text, ...chipsOf(block.chips) }
    case 'media':
      return { ...(block.text && { text: block.text }), pictures: [block.media], ...chipsOf(block.chips) }
    case 'card':
      return { cards: [cardOf(block.card)], ...chipsOf(block.chips) }
    case 'carousel':
      return { cards: block.cards.map(cardOf), ...chipsOf(block.chips) }
    case 'list':
      return { text: block.text, list: { title: 'Select', rows: block.rows.map((row) => ({ ...row, kind: 'reply' })) } }
    case 'times':
      return {
        text: block.text,
        list: { title: 'Choose a time', rows: block.slots.map(({ label }) => ({ label, kind: 'reply' })) },
      }
    default:
      return { text: JSON.stringify(block.payload, undefined, 2) }
  }
}

function chipsOf(chips: readonly RenderedChip[] = []): Pick<Drawing, 'chips'> {
  return chips.length > 0 ? { chips: chips.map(tapOf) } : {}
}

function tapOf({ label, kind, url }: RenderedChip): Tap {
  return { label, kind: kinds[kind] ?? 'reply', ...(url && { href: url }) }
}

function cardOf({ title, description, mediaUrl, chips = [] }: RenderedCard): Card {
  return {
    ...(title && { title }),
    ...(description && { description }),
    ...(mediaUrl && { picture: { url: mediaUrl, kind: 'image' as const } }),
    taps: chips.map(tapOf),
  }
}
