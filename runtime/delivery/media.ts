/** Media of a message, fetched and kept by us before anything of it is sent. */
import { type ContentMessage, mediaUrlsIn, type Part, type PlainPart } from '../../core/amf/index.js'
import { mostBytesOf, type Traits } from '../../core/channel/traits.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { media as limits } from '../../core/limits.js'
import type { Reader } from '../../core/render/contract.js'
import { fileLabel } from '../../core/render/filelabel.js'
import type { Hosted, Media, Unreachable } from '../media/contract.js'
import { everyType } from '../media/types.js'

export interface HostedMessage {
  /** The message with addresses of ours in place of those it came with. */
  readonly message: ContentMessage
  /** Addresses in it that the channel can only be given as a link, each with the name and size of what is there. */
  readonly links?: ReadonlyMap<string, string>
  /** What files that are shown as such are called, by our addresses. */
  readonly names?: ReadonlyMap<string, string>
  /** Pictures that could not be fetched and are links instead, each with the reason. */
  readonly missing?: ReadonlyMap<string, string>
}
type Hosting = HostedMessage | Unreachable | Refusal

/**
 * Fetches and keeps the media of a message; at once where there is nothing to fetch. What the channel cannot take, by its
 * kind or its size, becomes a link, and so does a picture that cannot be fetched. Media that is sent for itself and cannot
 * be fetched is the reason of a refusal: without it there is no message.
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
  const names = new Map<string, string>()
  const missing = new Map<string, string>()
  const own = ownMediaIn(message.parts)
  for (const [at, url] of urls.entries()) {
    const one = found[at]!
    if (isRefusal(one)) return one
    if ('reason' in one) {
      if (one.why !== 'type' && one.why !== 'size') {
        if (own.has(url)) return one
        missing.set(url, one.detail)
      }
      links.set(url, fileLabel(url))
      continue
    }
    addresses.set(url, one.url)
    if (isLinked(one, traits)) links.set(one.url, fileLabel(url, one.bytes))
    else if (!isShown(one)) names.set(one.url, fileNameOf(url, one.url))
  }
  const parts = message.parts.map((part) => replaced(part, (url) => addresses.get(url) ?? url))
  return {
    message: { ...message, parts },
    ...(links.size > 0 && { links }),
    ...(names.size > 0 && { names }),
    ...(missing.size > 0 && { missing }),
  }
}

/** Addresses of media that is sent for itself. */
function ownMediaIn(parts: readonly (Part | PlainPart)[]): ReadonlySet<string> {
  return new Set(
    parts.flatMap((part) => {
      if (part.type === 'native') return [...ownMediaIn(part.fallback)]
      return part.type === 'media' ? [part.mediaUrl] : []
    }),
  )
}

/** A channel that shows no media at all writes out every address; there only documents need their name beside it. */
function isLinked({ type, bytes }: Hosted, { media }: Traits): boolean {
  if (!media) return !isShown({ type })
  return !media.types.includes(type) || bytes > mostBytesOf(media, type)
}

/** Everything else is a file, which people know by its name. */
function isShown({ type }: Pick<Hosted, 'type'>): boolean {
  return /^(image|video|audio)\//.test(type)
}

/** What its sender called it, with the ending of what it is: a phone opens it by that. */
function fileNameOf(url: string, hostedUrl: string): string {
  const name = fileLabel(url)
  const ending = /\.\w+$/.exec(hostedUrl)?.[0] ?? ''
  return name.toLowerCase().endsWith(ending) ? name : `${name}${ending}`
}

/** The reader of a message whose media was hosted. */
export function readerFor(reader: Reader, { links, names }: HostedMessage): Reader {
  return links || names ? { ...reader, ...(links && { links }), ...(names && { names }) } : reader
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
