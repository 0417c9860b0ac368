/** The commands and queries of campaign records: create, change, delete, read and list. */
import { scopeOf } from '../../core/agent/scope.js'
import type { AgentRef } from '../../core/agentref.js'
import {
  type Campaign,
  type CampaignBody,
  type CampaignPatch,
  patchCampaign,
  type ValidatedCampaign,
  validateCampaign,
} from '../../core/campaign/campaign.js'
import { type CampaignStatus, isDeletable, mayTransition, statusConflict } from '../../core/campaign/status.js'
import type { CampaignView } from '../../core/campaign/view.js'
import { isRefusal, refuse } from '../../core/errors.js'
import { campaign as limits } from '../../core/limits/index.js'
import { sendIdAt } from '../../core/outreach/ids.js'
import { importedBy } from '../../core/people/filter.js'
import type { Command, Query, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import type { CampaignDeps } from './deps.js'
import {
  agentNotFound,
  applyTransition,
  type CampaignId,
  type LoadedAgent,
  type LoadedCampaign,
  loadAgent,
  loadCampaign,
  transitionRefusal,
  viewOf,
} from './load.js'
import {
  campaignTable,
  listOf,
  openTable,
  progressTable,
  removeCampaign,
  saveCampaign,
  saveList,
  stagingTable,
} from './store.js'
import { scheduleClear } from './sweep.js'

export interface CampaignPageQuery extends AgentRef {
  readonly status?: CampaignStatus
  readonly limit: number
  /** Continues with campaigns older than this one. */
  readonly after?: string
}

export interface CampaignPage {
  readonly data: readonly CampaignView[]
  readonly after?: string
}

export function createCampaignRecords(deps: CampaignDeps) {
  const validationContext = (reader: Reader, { document, agentRef }: LoadedAgent, list: string) => ({
    document,
    listKey: list,
    hasPersona: (personaId: string) => deps.personas.personOf(reader, agentRef, personaId) !== undefined,
    hasBatch: (importBatchId: string) =>
      deps.people.scan(reader, agentRef, importedBy(importBatchId), undefined, 1).people.length > 0,
  })

  function savePeople(tx: Tx, { agentRef }: LoadedAgent, id: string, { audience, personIds }: ValidatedCampaign): void {
    if (audience.kind === 'people' && personIds) {
      saveList(tx, scopeOf(agentRef), [id, audience.listKey], personIds, limits.idsPerRecord)
    }
  }

  const create: Command<AgentRef & { readonly body: CampaignBody }, CampaignView> = {
    name: 'campaigns.create',
    decide(tx, { body, ...request }, { at, mint }) {
      const loaded = loadAgent(deps, tx, request)
      if (!loaded) return agentNotFound
      const scope = scopeOf(loaded.agentRef)
      if ([...tx.range(openTable, { prefix: scope, limit: limits.unfinished })].length === limits.unfinished) {
        return refuse('request.invalid', {
          detail: `An agent has at most ${limits.unfinished} campaigns that are not over.`,
        })
      }
      const validated = validateCampaign(validationContext(tx, loaded, mint('ls')), body)
      if (isRefusal(validated)) return validated
      const id = campaignIdAt(at, mint('cm'))
      const { personIds: _ids, ...content } = validated
      const campaign: Campaign = { id, ...content, status: 'draft', createdAt: at, updatedAt: at }
      saveCampaign(tx, scope, campaign)
      savePeople(tx, loaded, id, validated)
      return viewOf(deps, tx, { ...loaded, ref: { ...loaded.agentRef, campaignId: id }, campaign }, validated.personIds)
    },
  }

  /** Any change removes the snapshot, since it was taken of the campaign before the change. */
  const change: Command<CampaignId & { readonly patch: CampaignPatch }, CampaignView> = {
    name: 'campaigns.change',
    decide(tx, { patch, ...ids }, meta) {
      const loaded = loadCampaign(deps, tx, ids)
      if (isRefusal(loaded)) return loaded
      const { campaign: before, ref } = loaded
      if (!mayTransition(before.status, 'edit')) return transitionRefusal(before, 'edit')
      const validated = patchCampaign(validationContext(tx, loaded, meta.mint('ls')), before, patch)
      if (isRefusal(validated)) return validated
      const { personIds, ...content } = validated
      const after = applyTransition(tx, deps, loaded, { on: 'edit', record: toDraft(before, content) }, meta)
      if (isRefusal(after)) return after
      removeSnapshots(tx, loaded, meta.at)
      if (before.audience.kind === 'people' && content.audience !== before.audience) {
        scheduleClear(tx, { ...ref, part: before.audience.listKey }, meta.at)
      }
      savePeople(tx, loaded, ref.campaignId, validated)
      return viewOf(deps, tx, after, personIds)
    },
  }

  /** Also removes a snapshot that is being staged. */
  function removeSnapshots(tx: Tx, { ref, agentRef, campaign }: LoadedCampaign, at: number): void {
    const key = [...scopeOf(agentRef), ref.campaignId] as const
    const staging = tx.get(stagingTable, key)
    for (const part of [campaign.snapshot, staging?.snapshot])
      if (part !== undefined) scheduleClear(tx, { ...ref, part }, at)
    tx.remove(stagingTable, key)
    tx.remove(progressTable, key)
  }

  /** The campaign's sends keep their record and the campaign's id on it. */
  const remove: Command<CampaignId, true> = {
    name: 'campaigns.remove',
    decide(tx, ids, { at }) {
      const loaded = loadCampaign(deps, tx, ids)
      if (isRefusal(loaded)) return loaded
      const { campaign, agentRef, ref } = loaded
      if (!isDeletable(campaign.status)) {
        return refuse(statusConflict, { detail: `The campaign is ${campaign.status}: cancel it first.` })
      }
      removeCampaign(tx, scopeOf(agentRef), campaign)
      scheduleClear(tx, ref, at)
      return true
    },
  }

  const one: Query<CampaignId, CampaignView> = {
    name: 'campaigns.one',
    read(reader, ids) {
      const loaded = loadCampaign(deps, reader, ids)
      if (isRefusal(loaded)) return loaded
      const { audience } = loaded.campaign
      const isList = audience.kind === 'people'
      return viewOf(
        deps,
        reader,
        loaded,
        isList ? listOf(reader, scopeOf(loaded.agentRef), ids.campaignId, audience.listKey) : undefined,
      )
    },
  }

  /**
   * Newest first. One call reads a bounded number of campaigns, however few match; the caller continues from `after`.
   */
  const list: Query<CampaignPageQuery, CampaignPage> = {
    name: 'campaigns.list',
    read(reader, { status, limit, after, ...agentRef }) {
      const loaded = loadAgent(deps, reader, agentRef)
      if (!loaded) return agentNotFound
      const scope = scopeOf(loaded.agentRef)
      const from = after === undefined ? {} : { after: [...scope, after] as const }
      const data: CampaignView[] = []
      let scanned = 0
      for (const { key, value } of reader.range(campaignTable, { prefix: scope, ...from, reverse: true })) {
        const campaignId = key[3]
        if (status === undefined || value.status === status) {
          data.push(viewOf(deps, reader, { ...loaded, ref: { ...loaded.agentRef, campaignId }, campaign: value }))
        }
        if (data.length >= limit || ++scanned >= limits.rowsPerRead) return { data, after: campaignId }
      }
      return { data }
    },
  }

  /** Campaigns that name an outreach and are not finished. */
  function referrersOf(reader: Reader, agent: AgentRef, outreachId: string) {
    const loaded = loadAgent(deps, reader, agent)
    const rows = loaded ? [...reader.range(openTable, { prefix: [...scopeOf(loaded.agentRef), outreachId] })] : []
    return rows.map(({ key, value: { name, status } }) => ({ kind: 'campaign' as const, id: key[4], name, status }))
  }

  function draftCampaignsOf(reader: Reader, agent: AgentRef) {
    const loaded = loadAgent(deps, reader, agent)
    const rows = loaded ? [...reader.range(openTable, { prefix: scopeOf(loaded.agentRef) })] : []
    return rows
      .filter(({ value: { status, segmentId } }) => status === 'draft' && segmentId !== undefined)
      .map(({ key, value: { name, segmentId } }) => ({ id: key[4], name, segmentId: segmentId! }))
  }

  return { commands: { create, change, remove }, queries: { one, list }, referrersOf, draftCampaignsOf }
}

/** Begins with the time of creation, as ids of sends do, so ids sort campaigns by age. */
function campaignIdAt(at: number, minted: string): string {
  return sendIdAt(at, minted).replace(/^sd_/, 'cm_')
}

/** The campaign as a draft with this content. */
function toDraft(before: Campaign, content: Omit<ValidatedCampaign, 'personIds'>): Campaign {
  const { id, status, createdAt, updatedAt } = before
  return { id, ...content, status, createdAt, updatedAt }
}
