/** What sends need of conversations, wherever the shard of a conversation is. */
import type { AgentRef } from '../../core/agentref.js'
import type { ChannelName } from '../../core/channelnames.js'
import type { Refusal } from '../../core/errors.js'
import type { OpenRequest, OpenResponse, Reachability } from '../../core/outreach/port.js'
import type { Conversations } from '../people/conversations.js'

export interface OutreachConversations extends Conversations {
  /** Whether the address can be reached on that channel. A provider that cannot tell keeps no send from being tried. */
  probe(agent: AgentRef, channel: ChannelName, address: string): Promise<Reachability>
  /**
   * Hands the opening to its conversation. The same send and attempt again changes nothing and answers the same; a later
   * attempt replaces one that failed, under the same message id, so that a provider that knows ids sees one message. What
   * becomes of the opening comes back as reports (`SendNews`). A refusal: the shard cannot be asked just now.
   */
  open(opening: OpenRequest): Promise<OpenResponse | Refusal>
}
