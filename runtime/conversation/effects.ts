/** Effects of conversations as the outbox stores them: their kinds, and the payload of each handler. */
import type { ChannelName } from '../../core/channelnames.js'
import type { AgentFacts } from '../../core/conversation/context.js'

export const effectKinds = {
  deliver: 'conversationDeliver',
  dispatchEvent: 'conversationDispatchEvent',
  failover: 'conversationFailover',
} as const

export interface Deliver {
  readonly asid: string
  readonly messageId: string
  readonly attempt: number
}

/** Gives the event of that number to the agent. */
export interface DispatchEvent {
  readonly asid: string
  readonly number: number
}

export interface Failover {
  readonly asid: string
  /** The conversation of the same person on the other channel. */
  readonly sibling: string
  readonly channel: ChannelName
  readonly messageId: string
  readonly facts: AgentFacts
}
