/** The commands and queries of campaigns as records: made, changed, taken away, read and listed. */
import { scopeOf } from '../../core/agent/scope.js'
import type { AgentPlace } from '../../core/agentkey.js'
import {
  type Campaign,
  type CampaignBody,
  type CampaignPatch,
  campaignJudged,
  campaignPatched,
  type Judged,
} from '../../core/campaign/campaign.js'
import { type CampaignStatus, isDeletable, mayCampaign, wrongStatus } from '../../core/campaign/status.js'
import type { CampaignView } from '../../core/campaign/view.js'
import { isRefusal, refuse } from '../../core/errors.js'
import { campaign as limits } from '../../core/limits.js'
import { sendIdAt } from '../../core/outreach/sendid.js'
import { readInBy } from '../../core/people/filter.js'
import type { Command, Query, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import type { CampaignDeps } from './deps.js'
import {
  agentNotFound,
  type CampaignId,
  type Known,
  knownAgent,
  type LoadedCampaign,
  loadCampaign,
  noMove,
  stepped,
  viewOf,
} from './load.js'
import {
  campaignTable,
  dropCampaign,
  keepCampaign,
  keepList,
  listOf,
  openTable,
  progressTable,
  stagingTable,
} from './store.js'
import { clearLater } from './sweep.js'

export interface CampaignStretch extends AgentPlace {
  readonly status?: CampaignStatus
  readonly limit: number
  /** The walk goes on with campaigns older than this one. */
  readonly after?: string
}

export interface CampaignsFound {
  readonly data: readonly CampaignView[]
  readonly after?: string
}

export function createCampaignRecords(deps: CampaignDeps) {
  const judgedBy = (reader: Reader, { document, place }: Known, list: string) => ({
    document,
    list,
    hasPersona: (personaId: string) => deps.personas.personOf(reader, place, personaId) !== undefined,
    hasBatch: (importBatchId: string) =>
      deps.people.look(reader, place, readInBy(importBatchId), undefined, 1).people.length > 0,
  })

  function keepPeople(tx: Tx, { place }: Known, id: string, { audience, personIds }: Judged): void {
    if (audience.kind === 'people' && personIds) {
      keepList(tx, scopeOf(place), [id, audience.list], personIds, limits.idsPerRecord)
    }
  }

  const create: Command<AgentPlace & { readonly body: CampaignBody }, CampaignView> = {
    name: 'campaigns.create',
    decide(tx, { body, ...asked }, { at, mint }) {
      const known = knownAgent(deps, tx, asked)
      if (!known) return agentNotFound
      const scope = scopeOf(known.place)
      if ([...tx.range(openTable, { prefix: scope, limit: limits.open })].length === limits.open) {
        return refuse('request.invalid', { detail: `An agent has at most ${limits.open} campaigns that are not over.` })
      }
      const judged = campaignJudged(judgedBy(tx, known, mint('ls')), body)
      if (isRefusal(judged)) return judged
      const id = campaignIdAt(at, mint('cm'))
      const { personIds: _ids, ...said } = judged
      const campaign: Campaign = { id, ...said, status: 'draft', createdAt: at, updatedAt: at }
      keepCampaign(tx, scope, campaign)
      keepPeople(tx, known, id, judged)
      return viewOf(deps, tx, { ...known, one: { ...known.place, campaignId: id }, campaign }, judged.personIds)
    },
  }

  /** Whatever is changed, the snapshot goes: it was taken of another campaign. */
  const change: Command<CampaignId & { readonly patch: CampaignPatch }, CampaignView> = {
    name: 'campaigns.change',
    decide(tx, { patch, ...named }, told) {
      const found = loadCampaign(deps, tx, named)
      if (isRefusal(found)) return found
      const { campaign: before, one } = found
      if (!mayCampaign(before.status, 'edit')) return noMove(before, 'edit')
      const judged = campaignPatched(judgedBy(tx, found, told.mint('ls')), before, patch)
      if (isRefusal(judged)) return judged
      const { personIds, ...said } = judged
      const after = stepped(tx, deps, found, { on: 'edit', becomes: unstaged(before, said) }, told)
      if (isRefusal(after)) return after
      dropSnapshots(tx, found, told.at)
      if (before.audience.kind === 'people' && said.audience !== before.audience) {
        clearLater(tx, { ...one, of: before.audience.list }, told.at)
      }
      keepPeople(tx, found, one.campaignId, judged)
      return viewOf(deps, tx, after, personIds)
    },
  }

  /** Also one that is just being made: nobody ever reads it. */
  function dropSnapshots(tx: Tx, { one, place, campaign }: LoadedCampaign, at: number): void {
    const key = [...scopeOf(place), one.campaignId] as const
    const staging = tx.get(stagingTable, key)
    for (const of of [campaign.snapshot, staging?.snapshot]) if (of !== undefined) clearLater(tx, { ...one, of }, at)
    tx.remove(stagingTable, key)
    tx.remove(progressTable, key)
  }

  /** Its sends keep their record, and the campaign's id on it. */
  const remove: Command<CampaignId, true> = {
    name: 'campaigns.remove',
    decide(tx, named, { at }) {
      const found = loadCampaign(deps, tx, named)
      if (isRefusal(found)) return found
      const { campaign, place, one } = found
      if (!isDeletable(campaign.status)) {
        return refuse(wrongStatus, { detail: `The campaign is ${campaign.status}: cancel it first.` })
      }
      dropCampaign(tx, scopeOf(place), campaign)
      clearLater(tx, one, at)
      return true
    },
  }

  const one: Query<CampaignId, CampaignView> = {
    name: 'campaigns.one',
    read(reader, named) {
      const found = loadCampaign(deps, reader, named)
      if (isRefusal(found)) return found
      const { audience } = found.campaign
      const isList = audience.kind === 'people'
      return viewOf(
        deps,
        reader,
        found,
        isList ? listOf(reader, scopeOf(found.place), named.campaignId, audience.list) : undefined,
      )
    },
  }

  /** Newest first. It looks at a bounded number of them, however few are wanted: whoever asks comes back. */
  const list: Query<CampaignStretch, CampaignsFound> = {
    name: 'campaigns.list',
    read(reader, { status, limit, after, ...place }) {
      const known = knownAgent(deps, reader, place)
      if (!known) return agentNotFound
      const scope = scopeOf(known.place)
      const from = after === undefined ? {} : { after: [...scope, after] as const }
      const data: CampaignView[] = []
      let seen = 0
      for (const { key, value } of reader.range(campaignTable, { prefix: scope, ...from, reverse: true })) {
        const campaignId = key[3]
        if (status === undefined || value.status === status) {
          data.push(viewOf(deps, reader, { ...known, one: { ...known.place, campaignId }, campaign: value }))
        }
        if (data.length >= limit || ++seen >= limits.rowsPerRead) return { data, after: campaignId }
      }
      return { data }
    },
  }

  /** Campaigns that name an outreach and are not over. */
  function referrersOf(reader: Reader, place: AgentPlace, outreachId: string) {
    const known = knownAgent(deps, reader, place)
    const rows = known ? [...reader.range(openTable, { prefix: [...scopeOf(known.place), outreachId] })] : []
    return rows.map(({ key, value: { name, status } }) => ({ kind: 'campaign' as const, id: key[4], name, status }))
  }

  function draftCampaignsOf(reader: Reader, place: AgentPlace) {
    const known = knownAgent(deps, reader, place)
    const rows = known ? [...reader.range(openTable, { prefix: scopeOf(known.place) })] : []
    return rows
      .filter(({ value: { status, segmentId } }) => status === 'draft' && segmentId !== undefined)
      .map(({ key, value: { name, segmentId } }) => ({ id: key[4], name, segmentId: segmentId! }))
  }

  return { commands: { create, change, remove }, queries: { one, list }, referrersOf, draftCampaignsOf }
}

/** Begins with the time of its making, as ids of sends do, so campaigns are in that order by their ids. */
function campaignIdAt(at: number, drawn: string): string {
  return sendIdAt(at, drawn).replace(/^sd_/, 'cm_')
}

/** As a draft that says this. */
function unstaged(before: Campaign, said: Omit<Judged, 'personIds'>): Campaign {
  const { id, status, createdAt, updatedAt } = before
  return { id, ...said, status, createdAt, updatedAt }
}
