/** Renders a message for pages: its blocks unchanged, with each tap as its postback. */
import type { RenderContext } from '../../core/channel/adapter.js'
import type * as rendered from '../../core/channel/blocks.js'
import { formatPostback } from '../../core/channel/postback.js'
import type { Block, Chip } from './frames.js'

/** One payload for each message: its blocks are sent together, under one cursor. */
export interface WebchatMessage {
  readonly messageId: string
  readonly blocks: readonly Block[]
}

export type WebchatPayload = WebchatMessage | { readonly signal: 'typing' | 'read' }

export function renderMessage(
  blocks: readonly rendered.Block[],
  { messageId }: RenderContext,
): readonly WebchatMessage[] {
  return [
    {
      messageId,
      blocks: blocks.map((block) => blockOf(block, (tapIndex) => formatPostback({ messageId, tapIndex }))),
    },
  ]
}

type TapOf = (tapIndex: number) => string

function blockOf(block: rendered.Block, tapOf: TapOf): Block {
  switch (block.kind) {
    case 'text':
      return tappable(block, tapOf)
    case 'media':
      return tappable(block, tapOf)
    case 'card':
      return { ...tappable(block, tapOf), card: tappable(block.card, tapOf) }
    case 'carousel':
      return { ...tappable(block, tapOf), cards: block.cards.map((card) => tappable(card, tapOf)) }
    case 'list':
      return { ...block, rows: block.rows.map((row) => ({ ...row, tap: tapOf(row.tap) })) }
    case 'times':
      return { ...block, slots: block.slots.map((slot) => ({ ...slot, tap: tapOf(slot.tap) })) }
    case 'native':
      return { ...block }
  }
}

function tappable<T extends { readonly chips?: readonly rendered.RenderedChip[] }>(
  { chips, ...rest }: T,
  tapOf: TapOf,
) {
  return { ...rest, ...(chips && { chips: chips.map((chip) => chipOf(chip, tapOf)) }) }
}

function chipOf({ tap, ...chip }: rendered.RenderedChip, tapOf: TapOf): Chip {
  return { ...chip, ...(tap !== undefined && { tap: tapOf(tap) }) }
}
