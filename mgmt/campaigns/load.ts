/** Loads a campaign with its agent's document; contains the one function that changes a campaign's status. */

import type { AgentDocument } from '../../core/agent/index.js'
import type { Outreach } from '../../core/agent/resources/templates.js'
import { type AgentIncarnation, scopeOf } from '../../core/agent/scope.js'
import type { AgentRef } from '../../core/agentref.js'
import { type Campaign, isTest } from '../../core/campaign/campaign.js'
import {
  type CampaignCondition,
  type CampaignTrigger,
  isFinished,
  mayTransition,
  nextCampaignStatus,
  refusalByTrigger,
  statusConflict,
} from '../../core/campaign/status.js'
import { type CampaignView, campaignView } from '../../core/campaign/view.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { findOutreach } from '../../core/outreach/admission.js'
import { isOutreachChannel } from '../../core/outreach/request.js'
import type { CommandMeta, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import type { AgentRecord } from '../agents/store.js'
import { type CampaignDeps, campaignSections } from './deps.js'
import { type CampaignRef, getCampaign, progressOf, saveCampaign } from './store.js'

/** A campaign by the ids that callers send. */
export interface CampaignId extends AgentRef {
  readonly campaignId: string
}

export interface LoadedAgent {
  readonly agentRef: AgentIncarnation
  readonly document: AgentDocument
  readonly agent: AgentRecord
}

export interface LoadedCampaign extends LoadedAgent {
  readonly ref: CampaignRef
  readonly campaign: Campaign
}

export const notFound = refuse('resource.not_found')
export const agentNotFound = refuse('agent.not_found')

export function loadAgent(
  { documents }: Pick<CampaignDeps, 'documents'>,
  reader: Reader,
  agentRef: AgentRef,
): LoadedAgent | undefined {
  const { orgId, agentId } = agentRef
  const loaded = documents.load(reader, { orgId, agentId }, campaignSections)
  if (!loaded) return undefined
  const { document, agent } = loaded
  return { agentRef: { orgId, agentId, incarnation: agent.incarnation }, document, agent }
}

export function loadCampaign(
  deps: Pick<CampaignDeps, 'documents'>,
  reader: Reader,
  ids: CampaignId,
): LoadedCampaign | Refusal {
  const loaded = loadAgent(deps, reader, ids)
  if (!loaded) return agentNotFound
  const ref = { campaignId: ids.campaignId, ...loaded.agentRef }
  const campaign = getCampaign(reader, ref)
  return campaign ? { ref, campaign, ...loaded } : notFound
}

/** As `loadCampaign`, for internal callers: undefined unless the agent still has the incarnation of the ref. */
export function loadIncarnation(
  deps: Pick<CampaignDeps, 'documents'>,
  reader: Reader,
  ref: CampaignRef,
): LoadedCampaign | undefined {
  const loaded = loadCampaign(deps, reader, ref)
  return isRefusal(loaded) || loaded.agentRef.incarnation !== ref.incarnation ? undefined : loaded
}

export function outreachOf({
  document,
  campaign,
}: Pick<LoadedCampaign, 'document' | 'campaign'>): Outreach | undefined {
  return findOutreach(document, campaign.outreachId)
}

/** Why a running campaign waits: it has a binding, but none that is Active. */
export function holdReasonOf(
  { channels }: Pick<CampaignDeps, 'channels'>,
  reader: Reader,
  { campaign, ref }: LoadedCampaign,
): 'binding' | undefined {
  if (campaign.status !== 'running' || isTest(campaign)) return undefined
  if (channels.throughputOf(reader, ref).some(({ channel }) => isOutreachChannel(channel))) return undefined
  return channels.boundChannels(reader, ref).some(isOutreachChannel) ? 'binding' : undefined
}

export function viewOf(
  deps: Pick<CampaignDeps, 'documents' | 'channels'>,
  reader: Reader,
  loaded: LoadedCampaign,
  personIds?: readonly string[],
): CampaignView {
  const { closedUntil: waitsUntil } = progressOf(reader, loaded.ref)
  const holdReason = holdReasonOf(deps, reader, loaded)
  return campaignView(loaded.campaign, {
    outreachClass: outreachOf(loaded)?.class,
    ...(personIds && { personIds }),
    ...(waitsUntil !== undefined && { waitsUntil }),
    ...(holdReason && { holdReason }),
  })
}

export interface TransitionInput {
  readonly on: CampaignTrigger
  readonly isMet?: (condition: CampaignCondition) => boolean
  /** The campaign's record after the transition, except for the status. */
  readonly record?: Campaign
}

/** Applies a transition and sends the org an event, or refuses one that the state machine does not have. */
export function applyTransition(
  tx: Tx,
  { orgEvent }: CampaignDeps,
  loaded: LoadedCampaign,
  transition: TransitionInput,
  meta: CommandMeta,
): LoadedCampaign | Refusal {
  const { campaign: before, agentRef } = loaded
  const { on, isMet, record = before } = transition
  const status = nextCampaignStatus(before.status, on, isMet)
  if (status === undefined) return transitionRefusal(before, on)
  const campaign: Campaign = {
    ...record,
    status,
    updatedAt: meta.at,
    ...(isFinished(status) && { endedAt: meta.at }),
  }
  saveCampaign(tx, scopeOf(agentRef), campaign, before)
  if (status !== before.status) {
    const { orgId, agentId } = agentRef
    const { id: campaignId, name, outreachId, failReason } = campaign
    const data = { campaignId, name, outreachId, from: before.status, status, ...(failReason && { failReason }) }
    tx.send(orgId, orgEvent, { type: 'campaign.status_changed', orgId, agentId, data })
  }
  return { ...loaded, campaign }
}

export function transitionRefusal({ status }: Pick<Campaign, 'status'>, on: CampaignTrigger): Refusal {
  if (mayTransition(status, on))
    return refuse(statusConflict, { detail: 'No recipient of the snapshot can be sent to.' })
  return refuse(refusalByTrigger[on] ?? statusConflict, { detail: `The campaign is ${status}.` })
}
