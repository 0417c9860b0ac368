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
import type { ContentMessage, Event, Moment, Place } from '../amf/index.js'
import type { ChipKind } from '../amf/message.js'
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

/** Text is already in the markup of the channel, and no longer than it takes. Chips stand below what they belong to. */
export type Block =
  | { readonly kind: 'text'; readonly text: string; readonly chips?: readonly RenderedChip[] }
  | {
      readonly kind: 'media'
      readonly media: RenderedMedia
      readonly text?: string
      readonly chips?: readonly RenderedChip[]
    }
  | { readonly kind: 'card'; readonly card: RenderedCard; readonly chips?: readonly RenderedChip[] }
  | { readonly kind: 'carousel'; readonly cards: readonly RenderedCard[]; readonly chips?: readonly RenderedChip[] }
  | { readonly kind: 'list'; readonly text: string; readonly rows: readonly RenderedRow[] }
  | { readonly kind: 'times'; readonly text: string; readonly slots: readonly RenderedSlot[] }
  | { readonly kind: 'native'; readonly payload: unknown }

export interface RenderedChip {
  readonly label: string
  readonly kind: ChipKind
  /** Its place in `tapsOf(message)`; absent for what is no tap of the message (the chip of a shared place). */
  readonly tap?: number
  readonly url?: string
  readonly phone?: string
  readonly event?: Event
  readonly place?: Place
}

export interface RenderedMedia {
  readonly url: string
  readonly kind: 'image' | 'video' | 'audio' | 'file'
  readonly alt?: string
  readonly thumbnailUrl?: string
  /** What a file is called, where its address does not say it. */
  readonly name?: string
}

export interface RenderedCard {
  readonly title?: string
  readonly description?: string
  readonly mediaUrl?: string
  readonly chips?: readonly RenderedChip[]
}

export interface RenderedRow {
  readonly label: string
  readonly description?: string
  readonly mediaUrl?: string
  readonly tap: number
}

export interface RenderedSlot {
  readonly label: string
  readonly start: Moment
  readonly tap: number
}
