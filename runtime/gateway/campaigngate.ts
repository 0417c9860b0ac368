/** The campaign behind a message, asked right before the message is handed over: while it stands still, nothing of it leaves. */
import { type AgentPlace, agentKeyOf } from '../../core/agentkey.js'
import type { CampaignOfSend, Conversation, Outgoing } from '../../core/conversation/state.js'
import { isRefusal } from '../../core/errors.js'
import type { Query, Shards } from '../shard/contract.js'
import type { Reader } from '../store/contract.js'
import type { CampaignGate } from './places.js'
import { outgoingTable } from './tables.js'

/** A campaign as the agent's shard is asked about it. */
export type AskedCampaign = AgentPlace & CampaignOfSend

export function openCampaignGate(shards: Shards, mayLeave: Query<AskedCampaign, boolean>): CampaignGate {
  return {
    mayLeave: (agent, campaign) => shards.read(agentKeyOf(agent), mayLeave, asked(agent, campaign)),
    mayLeaveHere(agent, campaign) {
      const found = shards.readHere?.(agentKeyOf(agent), mayLeave, asked(agent, campaign))
      return isRefusal(found) ? undefined : found
    },
  }
}

/**
 * Answers whether the message is held, each time it is asked. A message without a campaign never is; a disclaimer leaves with
 * the opening that it goes before. Only where another process serves the agent is there anything to wait for.
 */
export function holdOf(
  gate: CampaignGate,
  reader: Reader,
  { asid, agent }: Conversation,
  outgoing: Outgoing,
): (() => boolean) | Promise<() => boolean> {
  const opening = outgoing.disclaims === undefined ? outgoing : reader.get(outgoingTable, [asid, outgoing.disclaims])
  const campaign = opening?.forSend?.campaign
  if (!campaign) return () => false
  const isHeldHere = () => {
    const may = gate.mayLeaveHere(agent, campaign)
    return may === undefined ? undefined : !may
  }
  if (isHeldHere() !== undefined) return () => isHeldHere() ?? false
  return gate.mayLeave(agent, campaign).then((may) => {
    if (isRefusal(may)) throw new Error('the campaign of a message cannot be looked up just now')
    return () => isHeldHere() ?? !may
  })
}

/** Written out: this is asked for every message of a campaign, see `core/having.ts`. */
function asked({ orgId, agentId }: AgentPlace, { campaignId, serial }: CampaignOfSend): AskedCampaign {
  return { orgId, agentId, campaignId, serial }
}
