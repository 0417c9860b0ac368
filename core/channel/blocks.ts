/** Blocks: the parts that a message is rendered to, and that an adapter turns into requests. */
import type { Event, Moment, Place } from '../amf/index.js'
import type { ChipKind } from '../amf/message.js'

/** Text is already in the markup of the channel and within its limit. Chips stand below the content they belong to. */
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
  /**
   * Its index in `tapsOf(message)`; absent for a chip that is no tap of the message (the chip of a shared location).
   */
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
  /** The name of a file, if its address does not give it. */
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
