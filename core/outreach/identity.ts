/** Resolves a phone number to the identity that outreach sends to. */
import type { AgentRef } from '../agentref.js'
import type { ChannelName } from '../channelnames.js'
import { normalizeAddress } from '../people/address.js'
import type { PersonIdentity } from '../people/person.js'
import { outreachChannels } from './request.js'

export function createIdentityResolver(asidOf: (agent: AgentRef, channel: ChannelName, address: string) => string) {
  const [defaultChannel] = outreachChannels as readonly [ChannelName]
  return (agent: AgentRef, phone: string, channel = defaultChannel): PersonIdentity | undefined => {
    const address = normalizeAddress(channel, phone)
    return address === undefined ? undefined : { asid: asidOf(agent, channel, address), channel, address }
  }
}
