/** The calls that people make to conversations, whichever process owns the conversation's shard. */
import type { AgentRef } from '../../core/agentref.js'
import type { ChannelName } from '../../core/channelnames.js'
import type { Refusal } from '../../core/errors.js'
import type { ConsentState } from '../../core/outreach/port.js'

export interface Conversations {
  /** The id of an agent's conversation with an address; every process computes the same id. */
  asidOf(agent: AgentRef, channel: ChannelName, address: string): string
  /**
   * The conversation's current consent state. A conversation that does not exist has no opt-out and no inbound message.
   */
  consentOf(asid: string): Promise<ConsentState | Refusal>
}
