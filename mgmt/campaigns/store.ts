/**
 * Tables of campaigns and their recipients, in the agent's shard. Keys contain the agent's incarnation, and those of
 * rows their snapshot, which is never used again: a snapshot is read whole or not at all, even while another is being
 * deleted.
 */
import { type AgentIncarnation, type AgentScope, type ScopedKey, scopeOf } from '../../core/agent/scope.js'
import type { Campaign } from '../../core/campaign/campaign.js'
import { type Counts, emptyTally, type RecipientTally } from '../../core/campaign/counts.js'
import type { Recipient } from '../../core/campaign/recipient.js'
import type { CampaignStatus } from '../../core/campaign/status.js'
import { isFinished } from '../../core/campaign/status.js'
import type { CampaignPreview } from '../../core/campaign/view.js'
import type { PersonFilter } from '../../core/people/filter.js'
import type { Tx } from '../../runtime/shard/contract.js'
import { cacheReads, cacheWrites, type Key, type Reader, type Table, table } from '../../runtime/store/contract.js'

/** A campaign of an agent incarnation. */
export interface CampaignRef extends AgentIncarnation {
  readonly campaignId: string
}

export type SnapshotKey = ScopedKey<[campaignId: string, snapshot: string]>

/** The index entry of a campaign that is not finished. */
export interface OpenEntry {
  readonly name: string
  readonly status: CampaignStatus
  readonly segmentId?: string
}

/** Progress of a campaign's dispatch. */
export interface Progress {
  readonly tally: RecipientTally
  /** Index of the next recipient to claim. */
  readonly next: number
  /** Number of batches dispatched, and of their recipients without a report. */
  readonly batches: number
  readonly awaitingReport: number
  /** When the last batch was dispatched. */
  readonly lastBatchAt?: number
  /** The send budget of the binding has no times for the campaign before then. */
  readonly nextDrawAt?: number
  /** When the scheduled tick is due, if there is one. */
  readonly tickAt?: number
  /** Dispatch continues once no more than this many openers are in flight. */
  readonly lowWatermark?: number
  /** Sending hours are closed until then. */
  readonly closedUntil?: number
}

/** Position in an audience that is being staged. */
export type AudienceCursor =
  | { readonly kind: 'filter'; readonly filter: PersonFilter; readonly after?: string }
  | { readonly kind: 'importBatch'; readonly importBatchId: string; readonly after?: string }
  | { readonly kind: 'people'; readonly list: string; readonly index: number }
  | { readonly kind: 'personas'; readonly personaIds: readonly string[] }

/** A snapshot that is being staged. */
export interface Staging {
  readonly snapshot: string
  readonly cursor: AudienceCursor
  readonly counts: Counts
  readonly previews: readonly CampaignPreview[]
}

/** Rows that were claimed together, and their sends. */
export interface Dispatch {
  readonly rows: readonly number[]
  readonly sendIds: readonly string[]
  readonly isTest?: true
}

/** The record of a snapshot beside its rows. */
export interface Snapshot {
  readonly previews: readonly CampaignPreview[]
}

/** Read before each message of a campaign is handed to its provider. */
export const campaignTable = cacheReads(table<ScopedKey<[campaignId: string]>, Campaign>('campaigns'))
export const openTable = table<ScopedKey<[outreachId: string, campaignId: string]>, OpenEntry>('campaigns.open')
export const progressTable = cacheWrites(table<ScopedKey<[campaignId: string]>, Progress>('campaigns.progress'))
export const stagingTable = cacheWrites(table<ScopedKey<[campaignId: string]>, Staging>('campaigns.staging'))
export const snapshotTable = table<ScopedKey<[campaignId: string, snapshot: string]>, Snapshot>('campaigns.snapshots')
export const recipientTable = table<ScopedKey<[campaignId: string, snapshot: string, index: number]>, Recipient>(
  'campaigns.recipients',
)
/** By the index of the first claimed row. */
export const dispatchTable = table<ScopedKey<[campaignId: string, snapshot: string, first: number]>, Dispatch>(
  'campaigns.dispatches',
)
/** The people that a list of ids has led to: two ids may be one person since a merge. */
export const seenTable = table<ScopedKey<[campaignId: string, snapshot: string, personId: string]>, true>(
  'campaigns.seen',
)
export const listTable = table<ScopedKey<[campaignId: string, list: string, place: number]>, readonly string[]>(
  'campaigns.lists',
)
/** Sends that wait for another attempt, that have a follow-up on hold, or that are follow-ups themselves. */
export const waitingTable = table<ScopedKey<[campaignId: string, sendId: string]>, true | 'followUp'>(
  'campaigns.waiting',
)
/** Batches in progress, with the number of recipients of each. */
export const batchTable = table<ScopedKey<[campaignId: string, batch: number]>, number>('campaigns.batches')

/** Rows of one campaign beside its record: by its id, or by its id and a snapshot or a list. */
export const rowTables = [
  progressTable,
  stagingTable,
  snapshotTable,
  recipientTable,
  dispatchTable,
  seenTable,
  listTable,
  waitingTable,
  batchTable,
] as unknown as readonly Table<Key, unknown>[]
export const allTables = [campaignTable, openTable, ...rowTables] as unknown as readonly Table<Key, unknown>[]
export const snapshotTables = [
  snapshotTable,
  recipientTable,
  dispatchTable,
  seenTable,
  listTable,
] as unknown as readonly Table<Key, unknown>[]

export const noProgress: Progress = { tally: emptyTally, next: 0, batches: 0, awaitingReport: 0 }

/** Progress without a scheduled tick. */
export function clearTick({
  tickAt: _tick,
  closedUntil: _closed,
  lowWatermark: _low,
  ...progress
}: Progress): Progress {
  return progress
}

export function getCampaign(reader: Reader, { campaignId, ...agent }: CampaignRef): Campaign | undefined {
  return reader.get(campaignTable, [...scopeOf(agent), campaignId])
}

export function progressOf(reader: Reader, { campaignId, ...agent }: CampaignRef): Progress {
  return reader.get(progressTable, [...scopeOf(agent), campaignId]) ?? noProgress
}

export function saveProgress(tx: Tx, { campaignId, ...agent }: CampaignRef, progress: Progress): void {
  tx.put(progressTable, [...scopeOf(agent), campaignId], progress)
}

/** The sends of rows from `first` up to, not including, `end`, by row. */
export function sendIdsOf(reader: Reader, snapshot: SnapshotKey, first: number, end: number): Map<number, string> {
  // Row `first` may be in the middle of a dispatch.
  const straddling = reader.range(dispatchTable, {
    prefix: snapshot,
    after: [...snapshot, first + 1],
    reverse: true,
    limit: 1,
  })
  const later = reader.range(dispatchTable, {
    prefix: snapshot,
    after: [...snapshot, first],
    before: [...snapshot, end],
  })
  const ids = new Map<number, string>()
  for (const { value } of [...straddling, ...later]) {
    for (const [nth, row] of value.rows.entries()) ids.set(row, value.sendIds[nth]!)
  }
  return ids
}

/** Writes a campaign, and its index entry by outreach while it is not finished. */
export function saveCampaign(tx: Tx, scope: AgentScope, after: Campaign, before?: Campaign): void {
  const { id, name, outreachId, status, audience } = after
  tx.put(campaignTable, [...scope, id], after)
  if (before && (before.outreachId !== outreachId || isFinished(status))) {
    tx.remove(openTable, [...scope, before.outreachId, id])
  }
  if (isFinished(status)) return
  const segmentId = audience.kind === 'segment' ? audience.segmentId : undefined
  tx.put(openTable, [...scope, outreachId, id], { name, status, ...(segmentId !== undefined && { segmentId }) })
}

export function removeCampaign(tx: Tx, scope: AgentScope, { id, outreachId }: Campaign): void {
  tx.remove(campaignTable, [...scope, id])
  tx.remove(openTable, [...scope, outreachId, id])
  tx.remove(progressTable, [...scope, id])
  tx.remove(stagingTable, [...scope, id])
}

export function saveList(
  tx: Tx,
  scope: AgentScope,
  key: readonly [string, string],
  ids: readonly string[],
  perRecord: number,
) {
  for (let from = 0, index = 0; from < ids.length; from += perRecord, index++) {
    tx.put(listTable, [...scope, ...key, index], ids.slice(from, from + perRecord))
  }
}

export function listOf(reader: Reader, scope: AgentScope, campaignId: string, list: string): string[] {
  return [...reader.range(listTable, { prefix: [...scope, campaignId, list] })].flatMap(({ value }) => value)
}
