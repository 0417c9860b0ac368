/** Looks up the consent state of a number's conversation before an identity is created for it. */
import type { AgentRef } from '../../core/agentref.js'
import type { ChannelName } from '../../core/channelnames.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { createIdentityResolver } from '../../core/outreach/identity.js'
import { withOptOut } from '../../core/people/identityevents.js'
import type { PersonIdentity } from '../../core/people/person.js'
import type { Conversations } from './conversations.js'

export type IdentityAt = (
  agent: AgentRef,
  phone: string,
  channel?: ChannelName,
) => Promise<PersonIdentity | undefined | Refusal>

/**
 * The identity at a phone number, on outreach's channel unless another is named, opted out if its conversation says so;
 * undefined for an invalid number.
 */
export function createIdentityLookup({ asidOf, consentOf }: Conversations): IdentityAt {
  const identityOf = createIdentityResolver(asidOf)
  return async (agent, phone, channel) => {
    const identity = identityOf(agent, phone, channel)
    if (!identity) return undefined
    const consent = await consentOf(identity.asid)
    return isRefusal(consent) ? consent : withOptOut(identity, consent.optedOutAt)
  }
}
