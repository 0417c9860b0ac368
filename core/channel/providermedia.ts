/**
 * Provider media: files that only the credentials of the binding open, until Parley serves them under a URL of its own.
 */
import type { Inbound, UserContent, UserMedia } from './inbound.js'

export interface ProviderMedia extends Omit<UserMedia, 'url'> {
  /**
   * The adapter's reference for `openMedia`: printable ASCII without blanks. Only the adapter reads it, and it is never
   * shown.
   */
  readonly mediaRef: string
}

export interface ReportedContent extends Omit<UserContent, 'media'> {
  readonly media?: readonly (UserMedia | ProviderMedia)[]
}

/**
 * The item only refers to the person's action: the adapter's `follow` fetches it before the provider is acknowledged.
 */
export interface InboundReference {
  readonly kind: 'reference'
  readonly reference: string
}

/** What an adapter reports of a person. */
export type ReportedInbound =
  | InboundReference
  | Exclude<Inbound, { kind: 'content' }>
  | { readonly kind: 'content'; readonly content: ReportedContent }

/** The request that opens provider media, or why there is none. */
export type MediaAccess =
  | {
      readonly kind: 'at'
      readonly url: string
      /** Sent only to the host of that URL, not to redirect targets on other hosts. */
      readonly headers: Readonly<Record<string, string>>
      /** The content is encrypted with AES-256 in counter mode from zero, under this key in hex. */
      readonly aesKey?: string
    }
  /** One sentence without a secret. */
  | { readonly kind: 'refused'; readonly detail: string }

/** The same inbound, with a URL in place of every provider media. */
export function withPublicUrls(
  inbound: Exclude<ReportedInbound, InboundReference>,
  urlOf: (mediaRef: string) => string,
): Inbound {
  if (inbound.kind !== 'content') return inbound
  const { content } = inbound
  if (hasOnlyUrls(content)) return { kind: 'content', content }
  const { media = [], ...rest } = content
  return { kind: 'content', content: { ...rest, media: media.map((each) => withUrl(each, urlOf)) } }
}

function hasOnlyUrls(content: ReportedContent): content is UserContent {
  return content.media === undefined || !content.media.some((each) => 'mediaRef' in each)
}

function withUrl(media: UserMedia | ProviderMedia, urlOf: (mediaRef: string) => string): UserMedia {
  if (!('mediaRef' in media)) return media
  const { mediaRef, ...rest } = media
  return { url: urlOf(mediaRef), ...rest }
}
