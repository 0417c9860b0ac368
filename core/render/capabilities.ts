/** The document of `GET /capabilities`: a channel's traits as the contract names them, and the level of each part. */
import { type ChipKind, type PartType, partTypes } from '../amf/message.js'
import type { Traits } from '../channel/traits.js'
import type { ChannelName } from '../channelnames.js'
import { levelOf } from './degrade.js'

export interface Capabilities {
  readonly channel: ChannelName
  readonly provider: string
  readonly parts: Readonly<Record<PartType, 'native' | 'degraded' | 'text'>>
  readonly chips: { readonly kinds: readonly ChipKind[]; readonly max: number; readonly labelMax: number }
  readonly carousel: { readonly min: number; readonly max: number }
  readonly card: { readonly titleMax: number; readonly descriptionMax: number; readonly chipsMax: number }
  readonly text: { readonly max: number; readonly encoding: string; readonly segments: boolean }
  readonly media: { readonly types: readonly string[]; readonly maxBytes: number }
  readonly receipts: { readonly delivered: boolean; readonly read: boolean }
  readonly typing: boolean
  readonly window: { readonly hours: number | null }
}

export function capabilitiesOf(traits: Traits, provider: string): Capabilities {
  const { channel, text, chips, card, carousel, media, receipts, typing, windowHours } = traits
  const parts = Object.fromEntries(partTypes.map((type) => [type, levelOf(type, traits)]))
  return {
    channel,
    provider,
    parts: parts as Record<PartType, Capabilities['parts'][PartType]>,
    chips: { kinds: chips?.kinds ?? [], max: chips?.max ?? 0, labelMax: chips?.labelMax ?? 0 },
    carousel: { min: carousel?.min ?? 0, max: carousel?.max ?? 0 },
    card: {
      titleMax: card?.titleMax ?? 0,
      descriptionMax: card?.descriptionMax ?? 0,
      chipsMax: card?.chipsMax ?? 0,
    },
    text: { max: text.max, encoding: text.encoding, segments: text.encoding === 'gsm7' },
    media: { types: media?.types ?? [], maxBytes: media?.maxBytes ?? 0 },
    receipts,
    typing,
    window: { hours: windowHours },
  }
}
