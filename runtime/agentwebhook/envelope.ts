/** The body of a webhook call: an event with its conversation and capabilities. */

import type { AgentRouting } from '../../core/agent/routing.js'
import type { Traits } from '../../core/channel/traits.js'
import type { Conversation, ConversationEvent } from '../../core/conversation/state.js'
import { capabilitiesOf } from '../../core/render/capabilities.js'

const spec = 'amf/1'

/**
 * Returns the same bytes for every attempt of an event, as long as the capabilities of the channel and of the person's
 * device are the same.
 */
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
