/**
 * The power of a channel that the gateway serves itself, over sockets that people's pages open: how its frames read and
 * how they are written. Everything here is pure; who is connected, and what they have been told, the gateway knows.
 */

import type { PlainPart } from '../amf/index.js'
import type { Inbound, UserContent } from './inbound.js'

export interface SocketCodec {
  /** What a frame says. It takes anything, never throws, and takes time linear in the text. */
  read(text: string): ClientEvent
  /** The frame that says so, as text. */
  write(event: ServerEvent): string
}

export type ClientEvent =
  /** Something that the person said or did, under an id of the page's own: answered once it is on record. */
  | { readonly kind: 'said'; readonly id: string; readonly inbound: Inbound }
  /** What the page noticed of messages. */
  | { readonly kind: 'mark'; readonly state: 'delivered' | 'read'; readonly messageIds: readonly string[] }
  | { readonly kind: 'typing' }
  /** The page wants the lines that stand before that one. */
  | { readonly kind: 'older'; readonly before: number }
  /** It cannot be read; `field` is empty where that is true of all of it, `id` what the page called it. */
  | { readonly kind: 'invalid'; readonly field: string; readonly message: string; readonly id?: string }

/** Whom the agent shared, as somebody keeps them. */
export type Contact = Omit<Extract<PlainPart, { type: 'share.contact' }>, 'type'>

/** A line of the record of one person, and its place there, the cursor. Moments are milliseconds since 1970. */
export type TranscriptEvent =
  | {
      readonly kind: 'message'
      readonly cursor: number
      readonly at: number
      readonly state: 'sent' | 'delivered' | 'read'
      /** As the adapter rendered it. */
      readonly payload: unknown
      /** Those that its words name, whole, to be kept by whoever wants to. */
      readonly contacts: readonly Contact[]
    }
  | {
      readonly kind: 'said'
      readonly cursor: number
      readonly at: number
      readonly id: string
      readonly content: UserContent
    }

export type ServerEvent =
  | TranscriptEvent
  | { readonly kind: 'welcome'; readonly address: string; readonly cursor: number; readonly more: boolean }
  /** Older lines, in order: all that are kept from that place on; with `more` there are others before it. */
  | {
      readonly kind: 'older'
      readonly from: number
      readonly entries: readonly TranscriptEvent[]
      readonly more: boolean
    }
  | { readonly kind: 'caughtUp' | 'ping'; readonly cursor: number }
  | { readonly kind: 'accepted'; readonly id: string }
  | { readonly kind: 'typing' }
  | { readonly kind: 'seen'; readonly at: number }
  | {
      readonly kind: 'error'
      readonly code: 'invalidFrame' | 'rateLimited' | 'unavailable'
      readonly message: string
      readonly field?: string
      readonly id?: string
      readonly retryAfterMs?: number
    }

/** How the gateway ends a connection, besides what the protocol itself says (1009: a frame too large). */
export const closeCodes = {
  /** This node stops: connect again at once, another one answers. */
  goingAway: 1001,
  /** Too many frames that cannot be read. */
  unreadable: 1008,
  /** It cannot be found out just now whether the page may come in: connect again a little later. */
  later: 1013,
  /** What was to be told did not fit through: connect again with the last cursor. */
  behind: 4000,
  /** The token is not good, or no longer: ask for another. */
  badToken: 4401,
  /** The chat is not for the site of the page. */
  foreignSite: 4403,
  /** There is no such chat, or it is switched off. */
  switchedOff: 4404,
  /** Too many connections from one address: connect again a little later. */
  tooMany: 4429,
} as const
