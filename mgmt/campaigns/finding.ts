/** A campaign with all that is known around it, and the one way from one status to the next. */

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
import type { Doors, KnownAgent } from './needs.js'
import { campaignAt, keepCampaign, type OneCampaign, progressOf } from './store.js'

/** A campaign as callers name one. */
export interface Named extends AgentPlace {
  readonly campaignId: string
}

export interface Known extends KnownAgent {
  readonly place: AgentIncarnation
}

export interface Found extends Known {
  readonly one: OneCampaign
  readonly campaign: Campaign
}

export const notFound = refuse('resource.not_found')
export const agentNotFound = refuse('agent.not_found')

export function knownAgent({ agents }: Pick<Doors, 'agents'>, reader: Reader, place: AgentPlace): Known | undefined {
  const { orgId, agentId } = place
  const known = agents.read(reader, { orgId, agentId })
  return known && { place: { orgId, agentId, serial: known.agent.serial }, ...known }
}

export function foundCampaign(doors: Pick<Doors, 'agents'>, reader: Reader, named: Named): Found | Refusal {
  const known = knownAgent(doors, reader, named)
  if (!known) return agentNotFound
  const one = { campaignId: named.campaignId, ...known.place }
  const campaign = campaignAt(reader, one)
  return campaign ? { one, campaign, ...known } : notFound
}

/** The same for the house itself, which remembers which agent it meant. */
export function sameCampaign(doors: Pick<Doors, 'agents'>, reader: Reader, one: OneCampaign): Found | undefined {
  const found = foundCampaign(doors, reader, one)
  return isRefusal(found) || found.place.serial !== one.serial ? undefined : found
}

export function outreachOf({ document, campaign }: Pick<Found, 'document' | 'campaign'>): Outreach | undefined {
  return outreachIn(document, campaign.outreachId)
}

/** Why it waits: its binding is there, and carries nothing before its operator has seen to it. */
export function holdReasonOf(
  { agents }: Pick<Doors, 'agents'>,
  reader: Reader,
  { campaign, one }: Found,
): 'binding' | undefined {
  if (campaign.status !== 'running' || isTest(campaign)) return undefined
  if (agents.pacesOf(reader, one).some(({ channel }) => isOutreachChannel(channel))) return undefined
  return agents.boundTo(reader, one).some(isOutreachChannel) ? 'binding' : undefined
}

export function viewOf(
  doors: Pick<Doors, 'agents'>,
  reader: Reader,
  found: Found,
  personIds?: readonly string[],
): CampaignView {
  const { waitsUntil } = progressOf(reader, found.one)
  const holdReason = holdReasonOf(doors, reader, found)
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
export function stepped(tx: Tx, { orgEvent }: Doors, found: Found, stepping: Stepping, told: Told): Found | Refusal {
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
