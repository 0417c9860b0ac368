/** The campaign behind a message, asked right before the message is handed over: what may not leave any more stays here. */
import { type AgentPlace, agentKeyOf } from '../../core/agentkey.js'
import type { CampaignOfSend, Conversation, Outgoing } from '../../core/conversation/state.js'
import type { Refusal } from '../../core/errors.js'
import { isRefusal } from '../../core/errors.js'
import type { Clock } from '../clock.js'
import { conversationTable, outgoingTable } from '../conversation/tables.js'
import type { Query, Shards } from '../shard/contract.js'
import type { Reader } from '../store/contract.js'

/** Whether the message of a campaign's send may be handed over just now. */
export interface CampaignGate {
  mayLeave(agent: AgentPlace, send: SendOfCampaign): Promise<boolean | Refusal>
  /** The same without waiting, where this process serves the agent; undefined where it does not. */
  mayLeaveHere(agent: AgentPlace, send: SendOfCampaign): boolean | undefined
}

export interface SendOfCampaign extends CampaignOfSend {
  readonly sendId: string
}

/** A campaign's send as the agent's shard is asked about it. */
export type AskedCampaign = AgentPlace & SendOfCampaign & { readonly at: number }

export function openCampaignGate(
  shards: Shards,
  mayLeave: Query<AskedCampaign, boolean>,
  clock: Pick<Clock, 'now'>,
): CampaignGate {
  return {
    mayLeave: (agent, send) => shards.read(agentKeyOf(agent), mayLeave, asked(agent, send, clock.now())),
    mayLeaveHere(agent, send) {
      const found = shards.readHere?.(agentKeyOf(agent), mayLeave, asked(agent, send, clock.now()))
      return isRefusal(found) ? undefined : found
    },
  }
}

/**
 * Answers whether the message is held, each time it is asked. A message without a campaign never is; a disclaimer leaves with
 * the opening that it goes before. An opening is also held once its person has written since it was taken: they are in a
 * conversation, which its send waits for. Only where another process serves the agent is there anything to wait for.
 */
export function holdOf(
  { campaigns, clock }: { readonly campaigns: CampaignGate; readonly clock: Pick<Clock, 'now'> },
  reader: Reader,
  { asid, agent }: Conversation,
  outgoing: Outgoing,
): (() => boolean) | Promise<() => boolean> {
  const opening = outgoing.disclaims === undefined ? outgoing : reader.get(outgoingTable, [asid, outgoing.disclaims])
  const { campaign, sendId } = opening?.forSend ?? {}
  if (!opening || !campaign) return () => false
  const send: SendOfCampaign = { sendId: sendId!, ...campaign }
  const hasWritten = () => {
    const heardAt = campaign.isFollowUp ? undefined : reader.get(conversationTable, [asid])?.heardAt
    return heardAt !== undefined && heardAt > opening.at && heardAt <= clock.now()
  }
  const isHeldHere = () => {
    const may = campaigns.mayLeaveHere(agent, send)
    return may === undefined ? undefined : !may || hasWritten()
  }
  if (isHeldHere() !== undefined) return () => isHeldHere() ?? false
  return campaigns.mayLeave(agent, send).then((may) => {
    if (isRefusal(may)) throw new Error('the campaign of a message cannot be looked up just now')
    return () => isHeldHere() ?? (!may || hasWritten())
  })
}

/** Written out: this is asked for every message of a campaign, see decision 082. */
function asked({ orgId, agentId }: AgentPlace, send: SendOfCampaign, at: number): AskedCampaign {
  const { campaignId, serial, sendId, isFollowUp } = send
  return isFollowUp
    ? { orgId, agentId, campaignId, serial, sendId, at, isFollowUp }
    : { orgId, agentId, campaignId, serial, sendId, at }
}
