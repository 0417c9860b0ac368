/** Where outreach reaches somebody whose number is all that is known of them. */
import type { AgentPlace } from '../agentkey.js'
import type { ChannelName } from '../channelnames.js'
import { addressOn } from '../people/address.js'
import type { PersonIdentity } from '../people/person.js'
import { outreachChannels } from './request.js'

export function identitiesBy(asidOf: (place: AgentPlace, channel: ChannelName, address: string) => string) {
  const [first] = outreachChannels as readonly [ChannelName]
  return (place: AgentPlace, phone: string, channel = first): PersonIdentity | undefined => {
    const address = addressOn(channel, phone)
    return address === undefined ? undefined : { asid: asidOf(place, channel, address), channel, address }
  }
}
