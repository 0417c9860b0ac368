/**
 * Where campaigns and their recipients are kept, beside their agent in its shard. Keys hold the agent's serial, and rows
 * the snapshot they belong to, which is never used again: a snapshot is read whole or not at all, however long another
 * takes to go.
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

/** Which campaign of which agent. */
export interface CampaignRef extends AgentIncarnation {
  readonly campaignId: string
}

export type SnapshotKey = ScopedKey<[campaignId: string, snapshot: string]>

/** Of a campaign that is not over, what others ask about. */
export interface OpenEntry {
  readonly name: string
  readonly status: CampaignStatus
  readonly segmentId?: string
}

/** How far the sending of a campaign has come. */
export interface Progress {
  readonly tally: RecipientTally
  /** The next recipient whose turn it is. */
  readonly next: number
  /** Batches that were handed out, and recipients of those that nobody has reported on. */
  readonly batches: number
  readonly awaitingReport: number
  /** When the last of them were. */
  readonly lastBatchAt?: number
  /** The send budget of its binding has no times for it before then. */
  readonly nextDrawAt?: number
  /** When it is carried on by itself, if it is. */
  readonly tickAt?: number
  /** There is room again once no more than so many openings are on their way. */
  readonly lowWatermark?: number
  /** Its hours are closed until then. */
  readonly closedUntil?: number
}

/** A walk through the audience that has not come to its end. */
export type AudienceCursor =
  | { readonly kind: 'filter'; readonly filter: PersonFilter; readonly after?: string }
  | { readonly kind: 'importBatch'; readonly importBatchId: string; readonly after?: string }
  | { readonly kind: 'people'; readonly list: string; readonly index: number }
  | { readonly kind: 'personas'; readonly personaIds: readonly string[] }

/** A snapshot that is being made. */
export interface Staging {
  readonly snapshot: string
  readonly cursor: AudienceCursor
  readonly counts: Counts
  readonly previews: readonly CampaignPreview[]
}

/** Rows whose turn came together, and the sends they became. */
export interface Dispatch {
  readonly rows: readonly number[]
  readonly sendIds: readonly string[]
  readonly isTest?: true
}

/** What goes with a snapshot beside its rows. */
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
/** Whose turn came together, under the first of their rows. */
export const dispatchTable = table<ScopedKey<[campaignId: string, snapshot: string, first: number]>, Dispatch>(
  'campaigns.dispatches',
)
/** Whom a list of people has led to: two of its ids may be one person by now. */
export const seenTable = table<ScopedKey<[campaignId: string, snapshot: string, personId: string]>, true>(
  'campaigns.seen',
)
export const listTable = table<ScopedKey<[campaignId: string, list: string, place: number]>, readonly string[]>(
  'campaigns.lists',
)
/** Sends that wait for another attempt, and those whose follow-up rests or that are one themselves. */
export const waitingTable = table<ScopedKey<[campaignId: string, sendId: string]>, true | 'followUp'>(
  'campaigns.waiting',
)
/** Batches that are under way, with how many recipients each has. */
export const batchTable = table<ScopedKey<[campaignId: string, batch: number]>, number>('campaigns.batches')

/** Of one campaign, beside its record: under its id, or under its id and a snapshot or a list. */
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

/** Nothing brings it on by itself. */
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

/** The sends that rows became which are no less than `first` and less than `end`. */
export function sendIdsOf(reader: Reader, snapshot: SnapshotKey, first: number, end: number): Map<number, string> {
  // The first of them may be in the midst of a turn.
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

/** Keeps a campaign, and what leads to it from its outreach while it is not over. */
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
