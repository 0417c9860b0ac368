/** Asks the conversation of a number how its person stands, before an identity is made for it. */
import type { AgentPlace } from '../../core/agentkey.js'
import type { ChannelName } from '../../core/channelnames.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { identitiesBy } from '../../core/outreach/identity.js'
import { asStanding } from '../../core/people/heard.js'
import type { PersonIdentity } from '../../core/people/person.js'
import type { Conversations } from './conversations.js'

export type IdentityAt = (
  place: AgentPlace,
  phone: string,
  channel?: ChannelName,
) => Promise<PersonIdentity | undefined | Refusal>

/**
 * Where a person of that number is written to, on outreach's channel unless another is named, opted out if its
 * conversation says so; undefined for what is no number.
 */
export function createIdentityLookup({ asidOf, standing }: Conversations): IdentityAt {
  const identityOf = identitiesBy(asidOf)
  return async (place, phone, channel) => {
    const identity = identityOf(place, phone, channel)
    if (!identity) return undefined
    const found = await standing(identity.asid)
    return isRefusal(found) ? found : asStanding(identity, found.optedOutAt)
  }
}
