/** One way to show each kind of block. */
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
  // What an agent means for this channel alone is for pages that know it; this one shows nothing of it.
  native: () => null,
}

/** A kind that a later gateway knows and this page does not is left out rather than let the rest fail. */
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
