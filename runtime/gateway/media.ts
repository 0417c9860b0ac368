/** Media of a message, fetched and kept by us before anything of it is sent. */
import { type ContentMessage, mediaUrlsIn, type Part, type PlainPart } from '../../core/amf/index.js'
import type { Traits } from '../../core/channel/traits.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { media as limits } from '../../core/limits.js'
import type { Media, Unreachable } from '../media/contract.js'
import { everyType } from '../media/types.js'

type Hosted = ContentMessage | Unreachable | Refusal

/**
 * The message with our own addresses in place of those it came with, or the first of them that cannot be had; at once
 * where there is nothing to fetch.
 */
export function withHostedMedia(
  media: Pick<Media, 'hosted'>,
  message: ContentMessage,
  traits: Traits,
  signal?: AbortSignal,
): Hosted | Promise<Hosted> {
  const urls = mediaUrlsIn(message)
  return urls.length === 0 ? message : hostedAt(urls, media, message, traits, signal)
}

async function hostedAt(
  urls: readonly string[],
  media: Pick<Media, 'hosted'>,
  message: ContentMessage,
  traits: Traits,
  signal?: AbortSignal,
): Promise<Hosted> {
  // What a channel cannot show it is given as a link.
  const wanted = { types: everyType, maxBytes: traits.media?.maxBytes ?? limits.maxBytes }
  const found = await Promise.all(urls.map((url) => media.hosted(url, wanted, signal)))
  for (const each of found) if (isRefusal(each) || 'reason' in each) return each
  const hosted = new Map(urls.map((url, at) => [url, (found[at] as { url: string }).url]))
  return { ...message, parts: message.parts.map((part) => replaced(part, (url) => hosted.get(url) ?? url)) }
}

type Swap = (url: string) => string

function replaced<P extends Part | PlainPart>(part: P, swap: Swap): P {
  switch (part.type) {
    case 'media': {
      const { thumbnailUrl } = part
      return { ...part, mediaUrl: swap(part.mediaUrl), ...(thumbnailUrl && { thumbnailUrl: swap(thumbnailUrl) }) }
    }
    case 'card':
      return { ...part, card: pictured(part.card, swap) }
    case 'carousel':
      return { ...part, cards: part.cards.map((card) => pictured(card, swap)) }
    case 'ask.choice':
      return { ...part, options: part.options.map((option) => pictured(option, swap)) }
    case 'showcase':
      return { ...part, items: part.items.map((item) => pictured(item, swap)) }
    case 'native':
      return { ...part, fallback: part.fallback.map((each) => replaced(each, swap)) }
    default:
      return part
  }
}

function pictured<T extends { readonly mediaUrl?: string }>(thing: T, swap: Swap): T {
  return thing.mediaUrl === undefined ? thing : { ...thing, mediaUrl: swap(thing.mediaUrl) }
}
