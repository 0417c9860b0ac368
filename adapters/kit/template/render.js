/** Renders blocks, which fit the channel already, as provider requests: one for each block, as plain data. Pure. */
// @ts-check
import { formatPostback } from 'parley/adapters/kit'

/** @typedef {import('parley/adapters/kit').RenderContext} RenderContext */
/** @typedef {import('parley/adapters/kit').Block} Block */
/** @typedef {import('parley/adapters/kit').RenderedCard} RenderedCard */
/** @typedef {{ type: string, [member: string]: unknown }} Payload One request to the provider. */

/** @param {readonly Block[]} blocks @param {RenderContext} context @returns {readonly Payload[]} */
export function render(blocks, { messageId }) {
  /**
   * Every tappable entry carries its postback, so that no tap is matched by its label.
   * @template {{ readonly tap?: number }} T
   * @param {readonly T[] | undefined} entries
   */
  const tappable = (entries) =>
    entries?.map(({ tap, ...entry }) => ({
      ...entry,
      ...(tap !== undefined && { postback: formatPostback({ messageId, tapIndex: tap }) }),
    }))
  /** @param {RenderedCard} card */
  const cardOf = ({ chips, ...card }) => ({ ...card, buttons: tappable(chips) })

  return blocks.map((block) => {
    switch (block.kind) {
      case 'text':
        return { type: 'text', text: block.text, buttons: tappable(block.chips) }
      case 'media':
        return { type: 'media', media: block.media, text: block.text, buttons: tappable(block.chips) }
      case 'card':
        return { type: 'card', card: cardOf(block.card), buttons: tappable(block.chips) }
      case 'carousel':
        return { type: 'carousel', cards: block.cards.map(cardOf), buttons: tappable(block.chips) }
      case 'list':
        return { type: 'list', text: block.text, rows: tappable(block.rows) }
      case 'times':
        return { type: 'times', text: block.text, slots: tappable(block.slots) }
      default:
        return { type: 'native', payload: block.payload }
    }
  })
}
