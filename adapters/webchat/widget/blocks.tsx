/** A view for each kind of block. */
import type { ComponentChildren } from 'preact'
import type { Block } from '../frames.js'
import { CardView, Carousel } from './cards.js'
import { Chips } from './chips.js'
import { MediaView } from './media.js'
import { Rows, Times } from './options.js'
import { Prose } from './prose.js'

type Views = { readonly [Kind in Block['kind']]: (block: Extract<Block, { kind: Kind }>) => ComponentChildren }

const views: Views = {
  text: ({ text, chips }) => [<Bubble text={text} />, <Chips chips={chips} />],
  media: ({ media, text, chips }) => [
    <MediaView media={media} />,
    text && <Bubble text={text} />,
    <Chips chips={chips} />,
  ],
  card: ({ card, chips }) => [<CardView card={card} />, <Chips chips={chips} />],
  carousel: ({ cards, chips }) => [<Carousel cards={cards} />, <Chips chips={chips} />],
  list: ({ text, rows }) => [<Bubble text={text} />, <Rows rows={rows} />],
  times: ({ text, slots }) => [<Bubble text={text} />, <Times slots={slots} />],
  // Native payloads are for pages that know them; this widget shows nothing.
  native: () => null,
}

/** A kind of a newer gateway that this page does not know is skipped, so that the rest still shows. */
export function BlockView({ block }: { block: Block }) {
  const view = views[block.kind] as ((block: Block) => ComponentChildren) | undefined
  return <div class="block">{view?.(block)}</div>
}

function Bubble({ text }: { text: string }) {
  return text === '' ? null : (
    <div class="bubble">
      <Prose text={text} />
    </div>
  )
}
