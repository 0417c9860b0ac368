/** The context of an agent on a channel, for tests that decide without an agent directory. */

import { traitsOf } from '../../core/channel/channeltraits.js'
import type { ChannelName } from '../../core/channelnames.js'
import type { AgentContext } from '../../core/conversation/context.js'

export function contextOn(channel: ChannelName, more: Partial<AgentContext> = {}): AgentContext {
  const traits = traitsOf(channel)
  return {
    provider: '',
    windowHours: traits.windowHours,
    receivesEvents: false,
    siblings: {},
    traits,
    brand: { name: 'Harbor' },
    reader: { locale: 'en-US', zone: 'UTC' },
    ...more,
  }
}
