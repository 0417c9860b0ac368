/** What people need of conversations, wherever the shard of a conversation is. */
import type { AgentPlace } from '../../core/agentkey.js'
import type { ChannelName } from '../../core/channelnames.js'
import type { Refusal } from '../../core/errors.js'
import type { Standing } from '../../core/outreach/contact.js'

export interface Conversations {
  /** The id of the conversation that an agent has with an address: the same on every process. */
  asidOf(place: AgentPlace, channel: ChannelName, address: string): string
  /** As the conversation has it at this moment. One that was never started has not opted out and never wrote. */
  standing(asid: string): Promise<Standing | Refusal>
}
