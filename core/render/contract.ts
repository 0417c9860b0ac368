/**
 * The rendering of a message for one channel. `render(message, traits, reader)` is pure and total over valid messages,
 * and guarantees:
 *
 * - **Nothing is lost.** Everything that a person should read (text, prompts, labels, titles, descriptions, values,
 *   urls, phones, alt texts) stands in the blocks, in the order of the message. `loss` is empty; it exists so that this
 *   is checked.
 * - **Nothing is sent that the channel does not have.** Every block and every chip fits the traits it was rendered for.
 * - **It is deterministic.** The same message, traits and reader always give the same rendering.
 * - **Answers stay answerable.** Each reply tap of the message can be tapped in some block, or is numbered, or is the
 *   YES or NO of the closing sentence. Numbers run through the whole message once.
 *
 * Labels may be cut to what the channel shows; cut labels stay distinct, and the whole label then stands in the text.
 * Chips of one row whose whole labels are equal are written out instead.
 */
import type { ContentMessage } from '../amf/index.js'
import type { Block } from '../channel/blocks.js'
import type { Traits } from '../channel/traits.js'

/** The reader: how values are written for a person. */
export interface Reader {
  /** BCP 47. */
  readonly locale: string
  /** The IANA zone for moments without a zone of their own. */
  readonly zone: string
  /** Media that this channel cannot take: URLs that are written out, each with the name and size of its file. */
  readonly links?: ReadonlyMap<string, string>
  /** File names by URL: Parley's own URLs do not contain them. */
  readonly names?: ReadonlyMap<string, string>
}

export type Render = (message: ContentMessage, traits: Traits, reader: Reader) => Rendering

export interface Rendering {
  /** The blocks to send, in this order. */
  readonly blocks: readonly Block[]
  /** The tap index that each number stands for: `numbered[0]` answers "1". */
  readonly numbered: readonly number[]
  /** What the message says and the blocks do not. Computed on each access. */
  readonly loss: readonly string[]
}
