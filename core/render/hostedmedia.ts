/** Hosted media: a message with Parley's addresses in place of those it came with, as a channel can show it. */
import type { ContentMessage, Part, PlainPart } from '../amf/index.js'
import { maxBytesOf, type Traits } from '../channel/traits.js'
import type { Reader } from './contract.js'
import { fileLabel } from './filelabel.js'

/** A file that Parley hosts under an address of its own. */
export interface HostedFile {
  readonly url: string
  readonly type: string
  readonly bytes: number
}

/** A file that stays a link to where it is; `missing` says why it could not be fetched, where that is the reason. */
export interface LinkedFile {
  readonly missing?: string
}

/** Files of a message, by the address that the message came with. They are looked up once, when the message is accepted. */
export type MediaFiles = Readonly<Record<string, HostedFile | LinkedFile>>

export interface HostedMessage {
  readonly message: ContentMessage
  /** Addresses in it that the channel can only be given as a link, each with the name and size of the file. */
  readonly links?: ReadonlyMap<string, string>
  /** Names of files that are shown as files, by Parley's addresses. */
  readonly names?: ReadonlyMap<string, string>
  /** Pictures that could not be fetched and are links instead, each with the reason. */
  readonly missing?: ReadonlyMap<string, string>
}

/** A file that the channel cannot take, by its type or its size, becomes a link, and so does a picture that is missing. */
export function withHostedMedia(message: ContentMessage, files: MediaFiles, traits: Traits): HostedMessage {
  const links = new Map<string, string>()
  const names = new Map<string, string>()
  const missing = new Map<string, string>()
  for (const [url, file] of Object.entries(files)) {
    if (!('url' in file)) {
      if (file.missing !== undefined) missing.set(url, file.missing)
      links.set(url, fileLabel(url))
    } else if (isLinked(file, traits)) links.set(file.url, fileLabel(url, file.bytes))
    else if (!isPlayable(file)) names.set(file.url, fileNameOf(url, file.url))
  }
  const addressOf = (url: string) => {
    const file = files[url]
    return file && 'url' in file ? file.url : url
  }
  return {
    message: { ...message, parts: message.parts.map((part) => replaceUrls(part, addressOf)) },
    ...(links.size > 0 && { links }),
    ...(names.size > 0 && { names }),
    ...(missing.size > 0 && { missing }),
  }
}

/** Addresses of media that is sent for itself: without the file there is no message. */
export function mediaPartUrls(parts: readonly (Part | PlainPart)[]): ReadonlySet<string> {
  return new Set(
    parts.flatMap((part) => {
      if (part.type === 'native') return [...mediaPartUrls(part.fallback)]
      return part.type === 'media' ? [part.mediaUrl] : []
    }),
  )
}

/** A channel that shows no media at all writes out every address; there only documents need their name beside it. */
function isLinked({ type, bytes }: HostedFile, { media }: Traits): boolean {
  if (!media) return !isPlayable({ type })
  return !media.types.includes(type) || bytes > maxBytesOf(media, type)
}

/** Everything else is a file, which people know by its name. */
function isPlayable({ type }: Pick<HostedFile, 'type'>): boolean {
  return /^(image|video|audio)\//.test(type)
}

/** The name that the sender gave it, with the ending of its type: a phone opens it by that. */
function fileNameOf(url: string, hostedUrl: string): string {
  const name = fileLabel(url)
  const extension = /\.\w+$/.exec(hostedUrl)?.[0] ?? ''
  return name.toLowerCase().endsWith(extension) ? name : `${name}${extension}`
}

/** The reader of a message whose media was hosted. */
export function readerFor(reader: Reader, { links, names }: HostedMessage): Reader {
  return links || names ? { ...reader, ...(links && { links }), ...(names && { names }) } : reader
}

type UrlReplacer = (url: string) => string

function replaceUrls<P extends Part | PlainPart>(part: P, replaceUrl: UrlReplacer): P {
  switch (part.type) {
    case 'media': {
      const { thumbnailUrl } = part
      return {
        ...part,
        mediaUrl: replaceUrl(part.mediaUrl),
        ...(thumbnailUrl && { thumbnailUrl: replaceUrl(thumbnailUrl) }),
      }
    }
    case 'card':
      return { ...part, card: withMediaUrl(part.card, replaceUrl) }
    case 'carousel':
      return { ...part, cards: part.cards.map((card) => withMediaUrl(card, replaceUrl)) }
    case 'ask.choice':
      return { ...part, options: part.options.map((option) => withMediaUrl(option, replaceUrl)) }
    case 'showcase':
      return { ...part, items: part.items.map((item) => withMediaUrl(item, replaceUrl)) }
    case 'native':
      return { ...part, fallback: part.fallback.map((each) => replaceUrls(each, replaceUrl)) }
    default:
      return part
  }
}

function withMediaUrl<T extends { readonly mediaUrl?: string }>(item: T, replaceUrl: UrlReplacer): T {
  return item.mediaUrl === undefined ? item : { ...item, mediaUrl: replaceUrl(item.mediaUrl) }
}
