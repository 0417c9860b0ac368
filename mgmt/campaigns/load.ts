/** A campaign with all that is known around it, and the one way from one status to the next. */

import type { AgentDocument } from '../../core/agent/index.js'
import type { Outreach } from '../../core/agent/resources/templates.js'
import { type AgentIncarnation, scopeOf } from '../../core/agent/scope.js'
import type { AgentPlace } from '../../core/agentkey.js'
import { type Campaign, isTest } from '../../core/campaign/campaign.js'
import {
  type CampaignCondition,
  type CampaignTrigger,
  campaignMoved,
  isOver,
  mayCampaign,
  refusalOf,
  wrongStatus,
} from '../../core/campaign/status.js'
import { type CampaignView, campaignAsRead } from '../../core/campaign/view.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { outreachIn } from '../../core/outreach/judge.js'
import { isOutreachChannel } from '../../core/outreach/request.js'
import type { Told, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import type { AgentRecord } from '../agents/store.js'
import { type CampaignDeps, campaignSections } from './deps.js'
import { campaignAt, keepCampaign, type OneCampaign, progressOf } from './store.js'

/** A campaign as callers name one. */
export interface CampaignId extends AgentPlace {
  readonly campaignId: string
}

export interface Known {
  readonly place: AgentIncarnation
  readonly document: AgentDocument
  readonly agent: AgentRecord
}

export interface LoadedCampaign extends Known {
  readonly one: OneCampaign
  readonly campaign: Campaign
}

export const notFound = refuse('resource.not_found')
export const agentNotFound = refuse('agent.not_found')

export function knownAgent(
  { documents }: Pick<CampaignDeps, 'documents'>,
  reader: Reader,
  place: AgentPlace,
): Known | undefined {
  const { orgId, agentId } = place
  const known = documents.load(reader, { orgId, agentId }, campaignSections)
  if (!known) return undefined
  const { document, agent } = known
  return { place: { orgId, agentId, serial: agent.serial }, document, agent }
}

export function loadCampaign(
  deps: Pick<CampaignDeps, 'documents'>,
  reader: Reader,
  named: CampaignId,
): LoadedCampaign | Refusal {
  const known = knownAgent(deps, reader, named)
  if (!known) return agentNotFound
  const one = { campaignId: named.campaignId, ...known.place }
  const campaign = campaignAt(reader, one)
  return campaign ? { one, campaign, ...known } : notFound
}

/** The same for the house itself, which remembers which agent it meant. */
export function loadIncarnation(
  deps: Pick<CampaignDeps, 'documents'>,
  reader: Reader,
  one: OneCampaign,
): LoadedCampaign | undefined {
  const found = loadCampaign(deps, reader, one)
  return isRefusal(found) || found.place.serial !== one.serial ? undefined : found
}

export function outreachOf({
  document,
  campaign,
}: Pick<LoadedCampaign, 'document' | 'campaign'>): Outreach | undefined {
  return outreachIn(document, campaign.outreachId)
}

/** Why it waits: its binding is there, and carries nothing before its operator has seen to it. */
export function holdReasonOf(
  { channels }: Pick<CampaignDeps, 'channels'>,
  reader: Reader,
  { campaign, one }: LoadedCampaign,
): 'binding' | undefined {
  if (campaign.status !== 'running' || isTest(campaign)) return undefined
  if (channels.pacesOf(reader, one).some(({ channel }) => isOutreachChannel(channel))) return undefined
  return channels.boundTo(reader, one).some(isOutreachChannel) ? 'binding' : undefined
}

export function viewOf(
  deps: Pick<CampaignDeps, 'documents' | 'channels'>,
  reader: Reader,
  found: LoadedCampaign,
  personIds?: readonly string[],
): CampaignView {
  const { waitsUntil } = progressOf(reader, found.one)
  const holdReason = holdReasonOf(deps, reader, found)
  return campaignAsRead(found.campaign, {
    outreachClass: outreachOf(found)?.class,
    ...(personIds && { personIds }),
    ...(waitsUntil !== undefined && { waitsUntil }),
    ...(holdReason && { holdReason }),
  })
}

export interface Stepping {
  readonly on: CampaignTrigger
  readonly holds?: (condition: CampaignCondition) => boolean
  /** Its record as it is from now on, but for the status. */
  readonly becomes?: Campaign
}

/** Takes the step and tells the org, or says why the table of statuses has none. */
export function stepped(
  tx: Tx,
  { orgEvent }: CampaignDeps,
  found: LoadedCampaign,
  stepping: Stepping,
  told: Told,
): LoadedCampaign | Refusal {
  const { campaign: before, place } = found
  const { on, holds, becomes = before } = stepping
  const status = campaignMoved(before.status, on, holds)
  if (status === undefined) return noMove(before, on)
  const campaign: Campaign = {
    ...becomes,
    status,
    updatedAt: told.at,
    ...(isOver(status) && { endedAt: told.at }),
  }
  keepCampaign(tx, scopeOf(place), campaign, before)
  if (status !== before.status) {
    const { orgId, agentId } = place
    const { id: campaignId, name, outreachId, failReason } = campaign
    const data = { campaignId, name, outreachId, from: before.status, status, ...(failReason && { failReason }) }
    tx.tell(orgId, orgEvent, { type: 'campaign.status_changed', orgId, agentId, data })
  }
  return { ...found, campaign }
}

export function noMove({ status }: Pick<Campaign, 'status'>, on: CampaignTrigger): Refusal {
  if (mayCampaign(status, on)) return refuse(wrongStatus, { detail: 'No recipient of the snapshot can be sent to.' })
  return refuse(refusalOf[on] ?? wrongStatus, { detail: `The campaign is ${status}.` })
}
