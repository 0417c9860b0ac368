/** The words that stand with media: its own, and those that tell what it shows or where else it is to be seen. */

import type { Block } from '../../core/channel/blocks.js'
import type { Traits } from '../../core/channel/traits.js'
import { literal } from '../../core/render/lines.js'
import { splitPages } from '../../core/render/split.js'

export interface Captions {
  /** Before it or below it: no page is longer than a message. */
  readonly words: readonly string[]
  /** After it. */
  readonly after: readonly string[]
}

export function captionsOf({ text, media }: Extract<Block, { kind: 'media' }>, traits: Traits): Captions {
  const pages = (words: string | undefined) => (words === undefined ? [] : splitPages(literal(words), traits))
  const own = text === undefined ? [] : [text]
  return { words: [...own, ...pages(media.alt)], after: pages(media.thumbnailUrl) }
}
