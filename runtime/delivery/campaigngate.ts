/** The campaign behind a message, asked right before the message is handed over: what may not leave any more stays here. */
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import type { Conversation, OutboundMessageRecord, SendCampaignRef } from '../../core/conversation/state.js'
import type { Refusal } from '../../core/errors.js'
import { isRefusal } from '../../core/errors.js'
import type { Clock } from '../clock.js'
import { conversationTable, messageTable } from '../conversation/tables.js'
import type { Query, Shards } from '../shard/contract.js'
import type { Reader } from '../store/contract.js'

/** Whether the message of a campaign's send may be handed over just now. */
export interface CampaignGate {
  mayDispatch(agent: AgentRef, send: CampaignSendRef): Promise<boolean | Refusal>
  /** The same without waiting, where this process serves the agent; undefined where it does not. */
  mayDispatchLocal(agent: AgentRef, send: CampaignSendRef): boolean | undefined
}

export interface CampaignSendRef extends SendCampaignRef {
  readonly sendId: string
}

/** A campaign's send as the agent's shard is asked about it. */
export type CampaignSendQuery = AgentRef & CampaignSendRef & { readonly at: number }

export function createCampaignGate(
  shards: Shards,
  mayDispatch: Query<CampaignSendQuery, boolean>,
  clock: Pick<Clock, 'now'>,
): CampaignGate {
  return {
    mayDispatch: (agent, send) =>
      shards.query(formatAgentKey(agent), mayDispatch, queryInput(agent, send, clock.now())),
    mayDispatchLocal(agent, send) {
      const answer = shards.queryLocal?.(formatAgentKey(agent), mayDispatch, queryInput(agent, send, clock.now()))
      return isRefusal(answer) ? undefined : answer
    },
  }
}

/**
 * Answers whether the message is held, each time it is asked. A message without a campaign never is; a disclaimer leaves with
 * the opening that it goes before. An opening is also held once its person has written since it was taken: they are in a
 * conversation, which its send waits for. Only where another process serves the agent is there anything to wait for.
 */
export function createHoldCheck(
  { campaigns, clock }: { readonly campaigns: CampaignGate; readonly clock: Pick<Clock, 'now'> },
  reader: Reader,
  { asid, agent }: Conversation,
  outgoing: OutboundMessageRecord,
): (() => boolean) | Promise<() => boolean> {
  const opening =
    outgoing.disclaimerFor === undefined ? outgoing : reader.get(messageTable, [asid, outgoing.disclaimerFor])
  const { campaign, sendId } = opening?.sendRef ?? {}
  if (!opening || !campaign) return () => false
  const send: CampaignSendRef = { sendId: sendId!, ...campaign }
  const hasWritten = () => {
    const lastInboundAt = campaign.isFollowUp ? undefined : reader.get(conversationTable, [asid])?.lastInboundAt
    return lastInboundAt !== undefined && lastInboundAt > opening.at && lastInboundAt <= clock.now()
  }
  const isHeldLocal = () => {
    const may = campaigns.mayDispatchLocal(agent, send)
    return may === undefined ? undefined : !may || hasWritten()
  }
  if (isHeldLocal() !== undefined) return () => isHeldLocal() ?? false
  return campaigns.mayDispatch(agent, send).then((may) => {
    if (isRefusal(may)) throw new Error('the campaign of a message cannot be looked up just now')
    return () => isHeldLocal() ?? (!may || hasWritten())
  })
}

/** Written out: this is asked for every message of a campaign, see decision 082. */
function queryInput({ orgId, agentId }: AgentRef, send: CampaignSendRef, at: number): CampaignSendQuery {
  const { campaignId, incarnation, sendId, isFollowUp } = send
  return isFollowUp
    ? { orgId, agentId, campaignId, incarnation, sendId, at, isFollowUp }
    : { orgId, agentId, campaignId, incarnation, sendId, at }
}
