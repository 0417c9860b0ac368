/**
 * Traits: what a channel shows and accepts, as data. Rendering walks them, adapters are held to them, callers read
 * them.
 */
import type { ChipKind } from '../amf/message.js'
import type { ChannelName } from '../channelnames.js'

/** How a channel writes emphasis, links and lists. `plain` has none of them. */
export type Markup = 'plain' | 'commonmark' | 'whatsapp' | 'slack'

/**
 * Absent means that the channel has no such feature. Every number is the provider's; longer content is cut or
 * continued, never sent.
 */
export interface Traits {
  readonly channel: ChannelName
  readonly markup: Markup
  readonly text: {
    readonly max: number
    readonly unit: 'characters' | 'bytes'
    readonly encoding: 'gsm7' | 'unicode'
    /** The same for text with chips, a list, times or a picture, if that is less. */
    readonly besideMax?: number
  }
  /** Quick replies below a message. */
  readonly chips?: {
    readonly kinds: readonly ChipKind[]
    readonly min: number
    readonly max: number
    readonly labelMax: number
    /** They disappear as soon as another message follows. */
    readonly whileNewest?: true
    /** Kinds of which one may be sent, with no other chip beside it. */
    readonly alone?: readonly ChipKind[]
  }
  readonly card?: {
    readonly titleMax: number
    readonly descriptionMax: number
    readonly chipsMax: number
    readonly chipKinds: readonly ChipKind[]
    readonly chipLabelMax: number
    /** A card without a picture cannot be sent. */
    readonly needsMedia?: true
    /** A card needs a title and at least one other member. */
    readonly needsTitle?: true
  }
  readonly carousel?: {
    readonly min: number
    readonly max: number
    /** Every card has as many chips, of the same kinds, as the others, and at least one. */
    readonly alike?: true
  }
  /** A native list to pick one entry from. */
  readonly list?: {
    readonly min: number
    readonly max: number
    readonly labelMax: number
    readonly descriptionMax: number
  }
  readonly timePicker?: { readonly max: number }
  readonly media?: MediaTraits
  readonly receipts: { readonly delivered: boolean; readonly read: boolean }
  readonly typing: boolean
  /** The provider accepts no payload of a caller's own: native parts are shown by their fallback. */
  readonly withoutPayloads?: true
  /** How long after a person last wrote the agent may write freely; null: always. */
  readonly windowHours: number | null
}

export interface MediaTraits {
  readonly types: readonly string[]
  /** The limit of the kind that may be largest. */
  readonly maxBytes: number
  /** Limits of the kinds that may be less. */
  readonly imageMaxBytes?: number
  readonly videoMaxBytes?: number
  readonly audioMaxBytes?: number
}

/** The largest size of content of that type on a channel with these traits. */
export function maxBytesOf({ maxBytes, ...kinds }: MediaTraits, type: string): number {
  if (type.startsWith('image/')) return kinds.imageMaxBytes ?? maxBytes
  if (type.startsWith('video/')) return kinds.videoMaxBytes ?? maxBytes
  return (type.startsWith('audio/') ? kinds.audioMaxBytes : undefined) ?? maxBytes
}
