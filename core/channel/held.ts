/** Media that a provider opens to nobody but the holder of the binding's credentials, until it has an address of ours. */
import type { Inbound, UserContent, UserMedia } from './inbound.js'

export interface HeldMedia extends Omit<UserMedia, 'url'> {
  /**
   * What `openMedia` of the adapter knows it by: printable ASCII without blanks. Nobody else reads it, and it is told to
   * nobody.
   */
  readonly held: string
}

export interface ToldContent extends Omit<UserContent, 'media'> {
  readonly media?: readonly (UserMedia | HeldMedia)[]
}

/** What they did is only referred to: `follow` of the adapter finds it, before the provider is told that it was taken. */
export interface Reference {
  readonly kind: 'reference'
  readonly reference: string
}

/** What an adapter tells of a person. */
export type ToldInbound =
  | Reference
  | Exclude<Inbound, { kind: 'content' }>
  | { readonly kind: 'content'; readonly content: ToldContent }

/** The request by which held media opens, or why there is none. */
export type MediaOpening =
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
export function withAddresses(told: Exclude<ToldInbound, Reference>, addressOf: (held: string) => string): Inbound {
  if (told.kind !== 'content') return told
  const { content } = told
  if (isOpen(content)) return { kind: 'content', content }
  const { media = [], ...said } = content
  return { kind: 'content', content: { ...said, media: media.map((each) => addressed(each, addressOf)) } }
}

function isOpen(content: ToldContent): content is UserContent {
  return content.media === undefined || !content.media.some((each) => 'held' in each)
}

function addressed(media: UserMedia | HeldMedia, addressOf: (held: string) => string): UserMedia {
  if (!('held' in media)) return media
  const { held, ...about } = media
  return { url: addressOf(held), ...about }
}
