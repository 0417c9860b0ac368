/**
 * The codec of a channel that the gateway serves itself, over sockets that people's pages open: it reads and writes
 * frames. Everything here is pure; the gateway knows the connections and what each has received.
 */

import type { PlainPart } from '../amf/index.js'
import type { Inbound, UserContent } from './inbound.js'

export interface SocketCodec {
  /** Reads one frame. Accepts any text, never throws, and takes time linear in its length. */
  read(text: string): ClientEvent
  /** The frame for this event, as text. */
  write(event: ServerEvent): string
}

export type ClientEvent =
  /** A message or action of the person, under an id of the page's own: acknowledged once it is on record. */
  | { readonly kind: 'said'; readonly id: string; readonly inbound: Inbound }
  /** States of messages that the page observed. */
  | { readonly kind: 'mark'; readonly state: 'delivered' | 'read'; readonly messageIds: readonly string[] }
  | { readonly kind: 'typing' }
  /** The page wants the entries before that cursor. */
  | { readonly kind: 'older'; readonly before: number }
  /** The frame cannot be read; `field` is empty if that is true of the whole frame, `id` is the page's id. */
  | { readonly kind: 'invalid'; readonly field: string; readonly message: string; readonly id?: string }

/** A contact that the agent shared, as an address book stores it. */
export type Contact = Omit<Extract<PlainPart, { type: 'share.contact' }>, 'type'>

/** An entry of one person's transcript, at its cursor. Times are milliseconds since 1970. */
export type TranscriptEvent =
  | {
      readonly kind: 'message'
      readonly cursor: number
      readonly at: number
      readonly state: 'sent' | 'delivered' | 'read'
      /** As the adapter rendered it. */
      readonly payload: unknown
      /** The full contacts that its words name, for people to save. */
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
  /** Older entries, in order: all that are stored from `from` on; with `more` there are others before it. */
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

/** Close codes of the gateway, besides those of the protocol itself (1009: a frame too large). */
export const closeCodes = {
  /** This node stops: connect again at once, another one answers. */
  goingAway: 1001,
  /** Too many frames that cannot be read. */
  unreadable: 1008,
  /** Whether the page may connect cannot be decided just now: connect again a little later. */
  later: 1013,
  /** The page reads too slowly: connect again with the last cursor. */
  behind: 4000,
  /** The token is invalid or has expired: ask for another. */
  badToken: 4401,
  /** The chat is not for the site of the page. */
  foreignSite: 4403,
  /** The chat does not exist, or is switched off. */
  switchedOff: 4404,
  /** Too many connections from one address: connect again a little later. */
  tooMany: 4429,
} as const
