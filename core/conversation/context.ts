/** Agent context: what a conversation needs to know of its agent to decide, resolved once per version of the agent. */

import type { Traits } from '../channel/traits.js'
import type { ChannelName } from '../channelnames.js'
import type { Reader } from '../render/contract.js'
import type { BrandInfo } from './keywords.js'

/**
 * The part of the context that travels with timers and with messages on another channel, so that their results are
 * decided in one step. It may be older than the agent's configuration; no decision on whether a message may leave uses
 * it.
 */
export interface AgentFacts {
  /** The provider of the channel; empty while the channel is not bound. */
  readonly provider: string
  /** How long the messaging window stays open; null on a channel without one. */
  readonly windowHours: number | null
  /** Whether events go to the agent: to its webhook, or to Parley, which plays it. */
  readonly receivesEvents: boolean
  /** Parley plays the agent: only events that begin a turn are queued. */
  readonly isManaged?: true
  /** The asids of the same address on the agent's other active channels. */
  readonly siblings: Partial<Record<ChannelName, string>>
}

export interface AgentContext extends AgentFacts {
  /** Absent while the channel is not bound. */
  readonly binding?: Binding
  readonly traits: Traits
  readonly brand: BrandInfo
  readonly reader: Reader
}

export interface Binding {
  readonly isActive: boolean
  /** The channel is Parley's own: people read messages from Parley's record, and no provider is called. */
  readonly isOwnChannel?: true
  /** The least time between two agent messages. */
  readonly minDelayMs: number
  /** Messages in bulk that leave per second; absent: the channel has no limit. */
  readonly bulkPerSecond?: number
  /** Absent: the default. */
  readonly loopGuard?: LoopGuard
  /** Parley answers keywords, and each relationship begins with a disclaimer: this text, or the stock one. */
  readonly compliance?: { readonly disclaimer?: string }
}

export interface LoopGuard {
  readonly messages: number
  readonly seconds: number
}

/**
 * The facts of a context. Facts of a timer always receive events: whether the agent has a webhook is checked when the
 * event leaves.
 */
export function factsOf({ provider, windowHours, siblings, isManaged }: AgentFacts): AgentFacts {
  return { provider, windowHours, siblings, receivesEvents: true, ...(isManaged && { isManaged }) }
}
