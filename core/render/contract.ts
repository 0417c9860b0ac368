/**
 * What rendering makes of a message for one channel. `render(message, traits, reader)` is pure and total over valid
 * messages, and promises:
 *
 * - **Nothing is lost.** Everything that a person should read (text, prompts, labels, titles, descriptions, values, urls,
 *   phones, alt texts) stands in the blocks, in the order of the message. `loss` is empty; it exists so that this is checked.
 * - **Nothing is sent that the channel does not have.** Every block and every chip fits the traits it was rendered for.
 * - **It is deterministic.** The same message, traits and reader always give the same rendering.
 * - **Answers stay answerable.** Each reply tap of the message can be tapped in some block, or is numbered, or is the
 *   YES or NO of the closing sentence. Numbers run through the whole message once.
 *
 * Labels may be cut to what the channel shows; cut labels stay unlike each other, and the whole label then stands in the text.
 * Chips of one row that read alike whole are written out instead.
 */
import type { ContentMessage } from '../amf/index.js'
import type { Block } from '../channel/blocks.js'
import type { Traits } from '../channel/traits.js'

/** Who reads: how values are written for them. */
export interface Reader {
  /** BCP 47. */
  readonly locale: string
  /** IANA zone for moments that have none of their own to be shown in. */
  readonly zone: string
  /** Media that this channel cannot take: addresses that are written out, each with the name and size of what is there. */
  readonly links?: ReadonlyMap<string, string>
  /** What files are called, by their addresses: those that are kept by us have none of the name. */
  readonly names?: ReadonlyMap<string, string>
}

export type Render = (message: ContentMessage, traits: Traits, reader: Reader) => Rendering

export interface Rendering {
  /** What goes out, in this order. */
  readonly blocks: readonly Block[]
  /** Place in `tapsOf(message)` that each number stands for: `numbered[0]` is what answers "1". */
  readonly numbered: readonly number[]
  /** Everything that is not in the blocks although the message says it. It is looked for each time it is asked for. */
  readonly loss: readonly string[]
}
