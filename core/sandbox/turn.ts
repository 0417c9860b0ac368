/**
 * One turn of a sandbox conversation as callers read it: an action of the persona, a message of the agent, or an event.
 */

import type { OutboundMessage } from '../amf/index.js'
import type { TrafficEntry } from '../conversation/entry.js'
import { type Directive, systemActions } from './directive.js'

export interface Turn {
  /** Increasing; a number need not belong to a turn. */
  readonly number: number
  readonly at: number
  readonly role: 'user' | 'agent' | 'system'
  readonly text: string
  readonly messageId?: string
  /** As the agent sent it. */
  readonly message?: OutboundMessage
  readonly directive?: Directive
  /** From before the conversation started. */
  readonly isSeed?: true
}

/** Marks a record from before the conversation. */
export const seedSubtype = 'seed'

export interface TurnRecord {
  readonly number: number
  readonly entry: TrafficEntry & { readonly at: number }
  readonly message?: OutboundMessage
  readonly directive?: Directive
}

export function turnOf({ number, entry, message, directive }: TurnRecord): Turn {
  const { at, origin, subtype = '', text = '', messageId } = entry
  const isSystem = (systemActions as readonly string[]).includes(subtype)
  const isSeed = subtype === seedSubtype
  return {
    number,
    at,
    role: isSystem ? 'system' : origin,
    text,
    ...(origin === 'agent' && !isSeed && { messageId }),
    ...(message && { message }),
    ...(directive && { directive }),
    ...(isSeed && { isSeed }),
  }
}
