/** An event as the agent's webhook gets it. */

import type { AgentRouting } from '../../core/agent/routing.js'
import type { Traits } from '../../core/channel/traits.js'
import type { Conversation, ConversationEvent } from '../../core/conversation/state.js'
import { capabilitiesOf } from '../../core/render/capabilities.js'

const spec = 'amf/1'

/** The same bytes for every try of an event, as long as what the channel and the person's device can show is the same. */
export function envelopeOf(
  agent: AgentRouting,
  { asid, channel, sandbox }: Conversation,
  { eventId, at, sessionId, provider, window, event }: ConversationEvent,
  traits: Traits,
) {
  return {
    spec,
    instanceId: agent.webhook?.instanceId ?? '',
    userId: asid,
    event: {
      spec,
      eventId,
      timestamp: new Date(at).toISOString(),
      conversation: { userId: asid, sessionId },
      context: {
        channel,
        provider,
        capabilities: capabilitiesOf(traits, provider),
        window: { state: window },
        ...(sandbox && { sandbox: true }),
      },
      event,
    },
    mode: agent.mode,
  }
}
