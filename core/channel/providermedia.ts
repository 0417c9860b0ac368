/** Media that a provider opens to nobody but the holder of the binding's credentials, until it has an address of ours. */
import type { Inbound, UserContent, UserMedia } from './inbound.js'

export interface ProviderMedia extends Omit<UserMedia, 'url'> {
  /**
   * What `openMedia` of the adapter knows it by: printable ASCII without blanks. Nobody else reads it, and it is told to
   * nobody.
   */
  readonly mediaRef: string
}

export interface ReportedContent extends Omit<UserContent, 'media'> {
  readonly media?: readonly (UserMedia | ProviderMedia)[]
}

/** What they did is only referred to: `follow` of the adapter finds it, before the provider is told that it was taken. */
export interface InboundReference {
  readonly kind: 'reference'
  readonly reference: string
}

/** What an adapter tells of a person. */
export type ReportedInbound =
  | InboundReference
  | Exclude<Inbound, { kind: 'content' }>
  | { readonly kind: 'content'; readonly content: ReportedContent }

/** The request by which held media opens, or why there is none. */
export type MediaAccess =
  | {
      readonly kind: 'at'
      readonly url: string
      /** Sent to the host of that URL alone, wherever it leads on to. */
      readonly headers: Readonly<Record<string, string>>
      /** What is there is encrypted with AES-256 in counter mode from zero, under this key in hex. */
      readonly aesKey?: string
    }
  /** One sentence, in which no secret stands. */
  | { readonly kind: 'refused'; readonly detail: string }

/** The same, with an address in place of everything that is held. */
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
