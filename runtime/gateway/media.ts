/** Media of a message, fetched and kept by us before anything of it is sent. */
import { type ContentMessage, mediaUrlsIn, type Part, type PlainPart } from '../../core/amf/index.js'
import { mostBytesOf, type Traits } from '../../core/channel/traits.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { media as limits } from '../../core/limits.js'
import { fileLabel } from '../../core/render/filelabel.js'
import type { Hosted, Media, Unreachable } from '../media/contract.js'
import { everyType } from '../media/types.js'

export interface HostedMessage {
  /** The message with addresses of ours in place of those it came with. */
  readonly message: ContentMessage
  /** Addresses in it that the channel can only be given as a link, each with the name and size of what is there. */
  readonly links?: ReadonlyMap<string, string>
}
type Hosting = HostedMessage | Unreachable | Refusal

/**
 * Fetches and keeps the media of a message; at once where there is nothing to fetch. What the channel cannot take, by its
 * kind or its size, becomes a link; media that cannot be fetched at all is the reason of a refusal.
 */
export function withHostedMedia(
  media: Pick<Media, 'hosted'>,
  message: ContentMessage,
  traits: Traits,
  signal?: AbortSignal,
): Hosting | Promise<Hosting> {
  const urls = mediaUrlsIn(message)
  return urls.length === 0 ? { message } : hostAll(urls, media, message, traits, signal)
}

async function hostAll(
  urls: readonly string[],
  media: Pick<Media, 'hosted'>,
  message: ContentMessage,
  traits: Traits,
  signal?: AbortSignal,
): Promise<Hosting> {
  const found = await Promise.all(urls.map((url) => media.hosted(url, anyMedia, signal)))
  const addresses = new Map<string, string>()
  const links = new Map<string, string>()
  for (const [at, url] of urls.entries()) {
    const one = found[at]!
    if (isRefusal(one)) return one
    if ('reason' in one) {
      if (one.why !== 'type' && one.why !== 'size') return one
      links.set(url, fileLabel(url))
      continue
    }
    addresses.set(url, one.url)
    if (isLinked(one, traits)) links.set(one.url, fileLabel(url, one.bytes))
  }
  const parts = message.parts.map((part) => replaced(part, (url) => addresses.get(url) ?? url))
  return { message: { ...message, parts }, ...(links.size > 0 && { links }) }
}

/** A channel that shows no media at all writes out every address; there only documents need their name beside it. */
function isLinked({ type, bytes }: Hosted, { media }: Traits): boolean {
  if (!media) return !/^(image|video|audio)\//.test(type)
  return !media.types.includes(type) || bytes > mostBytesOf(media, type)
}

const anyMedia = { types: everyType, maxBytes: limits.maxBytes }

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
