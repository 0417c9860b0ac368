/** What conversations owe the world, and what each performer is given. */
import type { ChannelName } from '../../core/channel/names.js'
import type { CarriedNews } from '../../core/conversation/desk.js'

export const effectKinds = {
  deliver: 'conversationDeliver',
  call: 'conversationCall',
  govern: 'conversationGovern',
  carry: 'conversationCarry',
  attend: 'conversationAttend',
} as const

export interface Deliver {
  readonly asid: string
  readonly messageId: string
  readonly tried: number
}

/** The event with that number is told to the agent. */
export interface Call {
  readonly asid: string
  readonly number: number
}

export interface Govern {
  readonly asid: string
  readonly messageId: string
  /** Absent in what was kept before providers said it. */
  readonly perSecond?: number
}

export interface Carry {
  readonly asid: string
  /** The conversation of the same address on the other channel. */
  readonly sibling: string
  readonly channel: ChannelName
  readonly messageId: string
}

/** Something has happened that is decided by how the agent is bound just now. */
export interface Attend {
  readonly asid: string
  readonly matter: Matter
}

export type Matter =
  | { readonly kind: 'held' }
  | { readonly kind: 'window' }
  | { readonly kind: 'undelivered' }
  | { readonly kind: 'optedOut' }
  | { readonly kind: 'carried'; readonly messageId: string; readonly news: CarriedNews }
