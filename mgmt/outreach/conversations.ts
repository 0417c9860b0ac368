/** The calls that sends make to conversations, whichever process owns the conversation's shard. */
import type { AgentRef } from '../../core/agentref.js'
import type { ChannelName } from '../../core/channelnames.js'
import type { Refusal } from '../../core/errors.js'
import type { OpenRequest, OpenResponse, Reachability } from '../../core/outreach/port.js'
import type { Conversations } from '../people/conversations.js'

export interface OutreachConversations extends Conversations {
  /** Can the channel reach the address? If a provider cannot say, the send is attempted. */
  probe(agent: AgentRef, channel: ChannelName, address: string): Promise<Reachability>
  /**
   * Sends the opening to its conversation. Idempotent for each send and attempt: a repeat changes nothing and returns
   * the same answer. A later attempt replaces a failed one under the same message id, so a provider that deduplicates
   * ids sees one message. Delivery reports bring the outcome. A refusal means that the shard is unavailable.
   */
  open(request: OpenRequest): Promise<OpenResponse | Refusal>
}
