/** Captions of media: its text, its alternative text, and the link to its thumbnail, as pages of messages. */

import type { Block } from '../../core/channel/blocks.js'
import type { Traits } from '../../core/channel/traits.js'
import { literal } from '../../core/render/lines.js'
import { splitPages } from '../../core/render/split.js'

export interface Captions {
  /** Pages to send before the media or below it; each fits into a message. */
  readonly words: readonly string[]
  /** Pages to send after the media. */
  readonly after: readonly string[]
}

export function captionsOf({ text, media }: Extract<Block, { kind: 'media' }>, traits: Traits): Captions {
  const pages = (words: string | undefined) => (words === undefined ? [] : splitPages(literal(words), traits))
  const own = text === undefined ? [] : [text]
  return { words: [...own, ...pages(media.alt)], after: pages(media.thumbnailUrl) }
}
