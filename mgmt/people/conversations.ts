/** What people need of conversations, wherever the shard of a conversation is. */
import type { AgentRef } from '../../core/agentref.js'
import type { ChannelName } from '../../core/channelnames.js'
import type { Refusal } from '../../core/errors.js'
import type { ConsentState } from '../../core/outreach/port.js'

export interface Conversations {
  /** The id of the conversation that an agent has with an address: the same on every process. */
  asidOf(agent: AgentRef, channel: ChannelName, address: string): string
  /** As the conversation has it at this moment. One that was never started has not opted out and never wrote. */
  consentOf(asid: string): Promise<ConsentState | Refusal>
}
