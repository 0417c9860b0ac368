/** Hosted media: replaces the media URLs of a message with Parley's own, as far as a channel can show the files. */
import type { ContentMessage, Part, PlainPart } from '../amf/index.js'
import { maxBytesOf, type Traits } from '../channel/traits.js'
import type { Reader } from './contract.js'
import { fileLabel } from './filelabel.js'

/** A file that Parley hosts under its own URL. */
export interface HostedFile {
  readonly url: string
  readonly type: string
  readonly bytes: number
}

/** A file that stays a link to its original URL; `missing` is the reason if it could not be fetched. */
export interface LinkedFile {
  readonly missing?: string
}

/** Files of a message, by the URL in the message. They are looked up once, when the message is accepted. */
export type MediaFiles = Readonly<Record<string, HostedFile | LinkedFile>>

export interface HostedMessage {
  readonly message: ContentMessage
  /** URLs that the channel can only show as a link, each with the name and size of its file. */
  readonly links?: ReadonlyMap<string, string>
  /** Names of files that are shown as files, by Parley's URLs. */
  readonly names?: ReadonlyMap<string, string>
  /** Pictures that could not be fetched and are links instead, each with the reason. */
  readonly missing?: ReadonlyMap<string, string>
}

/** A file that the channel cannot take, by its type or size, becomes a link, and so does a missing picture. */
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

/** URLs of media parts: without its file such a message cannot be sent. */
export function mediaPartUrls(parts: readonly (Part | PlainPart)[]): ReadonlySet<string> {
  return new Set(
    parts.flatMap((part) => {
      if (part.type === 'native') return [...mediaPartUrls(part.fallback)]
      return part.type === 'media' ? [part.mediaUrl] : []
    }),
  )
}

/** A channel without media writes out every URL; there only documents need their name beside it. */
function isLinked({ type, bytes }: HostedFile, { media }: Traits): boolean {
  if (!media) return !isPlayable({ type })
  return !media.types.includes(type) || bytes > maxBytesOf(media, type)
}

/** Other types are files, which people know by their name. */
function isPlayable({ type }: Pick<HostedFile, 'type'>): boolean {
  return /^(image|video|audio)\//.test(type)
}

/** The sender's file name with the extension of its type: a phone opens the file by that. */
function fileNameOf(url: string, hostedUrl: string): string {
  const name = fileLabel(url)
  const extension = /\.\w+$/.exec(hostedUrl)?.[0] ?? ''
  return name.toLowerCase().endsWith(extension) ? name : `${name}${extension}`
}

/** The reader of a message with hosted media. */
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
