/** The campaign gate: asks right before a message is submitted whether its campaign still allows it. */
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import type { Conversation, OutboundMessageRecord, SendCampaignRef } from '../../core/conversation/state.js'
import type { Refusal } from '../../core/errors.js'
import { isRefusal } from '../../core/errors.js'
import type { Clock } from '../clock.js'
import { conversationTable, messageTable } from '../conversation/tables.js'
import type { Query, Shards } from '../shard/contract.js'
import type { Reader } from '../store/contract.js'

/** Whether the message of a campaign's send may be submitted now. */
export interface CampaignGate {
  mayDispatch(agent: AgentRef, send: CampaignSendRef): Promise<boolean | Refusal>
  /** The same synchronously, where this process owns the agent's shard; undefined elsewhere. */
  mayDispatchLocal(agent: AgentRef, send: CampaignSendRef): boolean | undefined
}

export interface CampaignSendRef extends SendCampaignRef {
  readonly sendId: string
}

/** The input of the query to the agent's shard about a campaign's send. */
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

/** Whether a message is held, because its campaign is paused or its person has written, for example. */
export interface HoldCheck {
  /** Asks the owner of the agent's shard. A promise only where that is another process. */
  ask(): boolean | Promise<boolean>
  /** The same synchronously; where another process owns the agent's shard, by its last answer. */
  isHeld(): boolean
}

const neverHeld: HoldCheck = { ask: () => false, isHeld: () => false }

/**
 * A message without a campaign is never held; a disclaimer shares the state of the opener that it precedes. An opener
 * is also held once its person has written after it was accepted: the send waits for that conversation.
 */
export function createHoldCheck(
  { campaigns, clock }: { readonly campaigns: CampaignGate; readonly clock: Pick<Clock, 'now'> },
  reader: Reader,
  { asid, agent }: Conversation,
  message: OutboundMessageRecord,
): HoldCheck {
  const opener = message.disclaimerFor === undefined ? message : reader.get(messageTable, [asid, message.disclaimerFor])
  const { campaign, sendId } = opener?.sendRef ?? {}
  if (!opener || !campaign) return neverHeld
  const send: CampaignSendRef = { sendId: sendId!, ...campaign }
  const hasWritten = () => {
    const lastInboundAt = campaign.isFollowUp ? undefined : reader.get(conversationTable, [asid])?.lastInboundAt
    return lastInboundAt !== undefined && lastInboundAt > opener.at && lastInboundAt <= clock.now()
  }
  let lastAnswer = false
  const answerWith = (may: boolean) => {
    lastAnswer = may
    return !may || hasWritten()
  }
  return {
    ask() {
      const may = campaigns.mayDispatchLocal(agent, send)
      if (may !== undefined) return answerWith(may)
      return campaigns.mayDispatch(agent, send).then((answer) => {
        if (isRefusal(answer)) throw new Error('the campaign of a message cannot be looked up just now')
        return answerWith(answer)
      })
    },
    isHeld: () => answerWith(campaigns.mayDispatchLocal(agent, send) ?? lastAnswer),
  }
}

/** Written out without spreads because it runs for every message of a campaign; see decision 082. */
function queryInput({ orgId, agentId }: AgentRef, send: CampaignSendRef, at: number): CampaignSendQuery {
  const { campaignId, incarnation, sendId, isFollowUp } = send
  return isFollowUp
    ? { orgId, agentId, campaignId, incarnation, sendId, at, isFollowUp }
    : { orgId, agentId, campaignId, incarnation, sendId, at }
}
