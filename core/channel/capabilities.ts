/** What callers are told about a channel: its traits in the words of the contract, with nothing left out for being absent. */
import { type PartType, partTypes } from '../amf/message.js'
import { levelOf } from '../render/degrade.js'
import type { Capabilities, Traits } from './traits.js'

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
