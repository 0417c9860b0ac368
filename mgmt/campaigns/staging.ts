/**
 * Takes the snapshot of a campaign's audience: everybody once, screened, a bounded number of people a commit. Whoever asked
 * for it drives it on; should they go away it carries on by itself. It replaces the one before it only when it is whole.
 */
import { scopeOf } from '../../core/agent/scope.js'
import { includesContacted, isTest } from '../../core/campaign/campaign.js'
import type { Recipient } from '../../core/campaign/recipient.js'
import { nobody, type Screened, type Screening, screened } from '../../core/campaign/screening.js'
import { mayCampaign } from '../../core/campaign/status.js'
import { type Counts, noCounts, tallyOf } from '../../core/campaign/tally.js'
import { type CampaignPreview, previewOf } from '../../core/campaign/view.js'
import { type FieldError, isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { campaign as limits } from '../../core/limits.js'
import { openerRead } from '../../core/outreach/opener.js'
import type { PersonFilter } from '../../core/people/filter.js'
import type { Command, Told, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { audienceStep, type Member } from './audience.js'
import type { CampaignDeps } from './deps.js'
import {
  type CampaignId,
  type LoadedCampaign,
  loadCampaign,
  loadIncarnation,
  noMove,
  outreachOf,
  stepped,
} from './load.js'
import {
  keepProgress,
  noProgress,
  type OneCampaign,
  recipientTable,
  type Snapshot,
  type Staging,
  seenTable,
  snapshotTable,
  stagingTable,
  type Walk,
} from './store.js'
import { clearLater } from './sweep.js'

const aloneName = 'campaigns.stageAlone'

export interface StageStep extends CampaignId {
  readonly snapshot: string
}

/** `lost`: it was given up, because the campaign was changed or cannot be sent any more. */
export type StageAnswer = 'more' | 'whole' | 'lost'

export function createStaging(deps: CampaignDeps) {
  /** Whoever asks while one is being taken joins in. */
  const begin: Command<CampaignId, StageStep> = {
    name: 'campaigns.stage',
    decide(tx, named, told) {
      const found = loadCampaign(deps, tx, named)
      if (isRefusal(found)) return found
      if (!mayCampaign(found.campaign.status, 'stage')) return noMove(found.campaign, 'stage')
      const wrong = unresolved(found)
      if (wrong) return wrong
      const key = [...scopeOf(found.place), named.campaignId] as const
      const before = tx.get(stagingTable, key)
      if (before) return { ...named, snapshot: before.snapshot }
      const snapshot = told.mint('sn')
      tx.put(stagingTable, key, { snapshot, walk: walkOf(found), counts: noCounts, previews: [] })
      carryOnLater(tx, found.one, told.at)
      return { ...named, snapshot }
    },
  }

  const step: Command<StageStep, StageAnswer> = {
    name: 'campaigns.stageStep',
    decide(tx, { snapshot, ...named }, told) {
      const found = loadCampaign(deps, tx, named)
      if (isRefusal(found)) return found
      const staging = tx.get(stagingTable, [...scopeOf(found.place), named.campaignId])
      if (staging?.snapshot === snapshot) return walkedOn(tx, found, staging, told)
      return found.campaign.snapshot === snapshot ? 'whole' : 'lost'
    },
  }

  const alone: Command<OneCampaign, StageAnswer> = {
    name: aloneName,
    decide(tx, one, told) {
      const found = loadIncarnation(deps, tx, one)
      const staging = found && tx.get(stagingTable, [...scopeOf(one), one.campaignId])
      return staging ? walkedOn(tx, found, staging, told, told.at) : 'lost'
    },
  }

  /** As long as somebody drives it on, this is put off with every step. */
  function carryOnLater(tx: Tx, one: OneCampaign, at: number, dueAt = at + limits.stageAloneMs): void {
    tx.schedule({ name: `${aloneName}:${one.serial}:${one.campaignId}`, dueAt, command: aloneName, input: one })
  }

  function walkedOn(tx: Tx, found: LoadedCampaign, staging: Staging, told: Told, nextAt?: number): StageAnswer {
    const { place, one } = found
    const key = [...scopeOf(place), one.campaignId] as const
    const screening = screeningOf(deps, tx, found, told.at)
    if (!screening || unresolved(found)) {
      tx.remove(stagingTable, key)
      clearLater(tx, { ...one, of: staging.snapshot }, told.at)
      return 'lost'
    }
    const { members, walk } = audienceStep(deps, tx, one, staging.walk)
    const writing = openSnapshot(tx, one, staging)
    for (const member of members) writing.add(member, screening)
    const { counts, previews } = writing
    if (walk) {
      tx.put(stagingTable, key, { ...staging, walk, counts, previews })
      carryOnLater(tx, one, told.at, nextAt)
      return 'more'
    }
    tx.remove(stagingTable, key)
    tx.unschedule(`${aloneName}:${one.serial}:${one.campaignId}`)
    return finished(tx, found, { ...staging, counts, previews }, told)
  }

  function finished(tx: Tx, found: LoadedCampaign, { snapshot, counts, previews }: Staging, told: Told): StageAnswer {
    const { campaign, one, place } = found
    const becomes = { ...campaign, snapshot, counts, stagedAt: told.at }
    const after = stepped(tx, deps, found, { on: 'stage', becomes }, told)
    if (isRefusal(after)) {
      clearLater(tx, { ...one, of: snapshot }, told.at)
      return 'lost'
    }
    if (campaign.snapshot !== undefined) clearLater(tx, { ...one, of: campaign.snapshot }, told.at)
    tx.put(snapshotTable, [...scopeOf(place), one.campaignId, snapshot], { previews } satisfies Snapshot)
    keepProgress(tx, one, { ...noProgress, tally: tallyOf(counts) })
    return 'whole'
  }

  return { commands: { begin, step, alone } }
}

/** Rows of a snapshot, written one behind the other; somebody who is there already is not counted again. */
function openSnapshot(tx: Tx, { campaignId, ...place }: OneCampaign, { snapshot, ...before }: Staging) {
  const key = [...scopeOf(place), campaignId, snapshot] as const
  let { total, sendable } = before.counts
  const left = { ...before.counts.exclusions }
  const previews: CampaignPreview[] = [...before.previews]
  return {
    get counts(): Counts {
      return { total, sendable, exclusions: left }
    },
    previews,
    add({ id, person, personaId, mayRepeat }: Member, screening: Screening): void {
      const personId = person?.id ?? id
      if (mayRepeat) {
        if (tx.get(seenTable, [...key, personId])) return
        tx.put(seenTable, [...key, personId], true)
      }
      const found: Screened = person ? screened(person, screening) : nobody
      tx.put(recipientTable, [...key, total++], recipientOf(personId, found, personaId))
      if (found.exclusion) left[found.exclusion]++
      else {
        sendable++
        if (previews.length < limits.previews) previews.push(previewOf(person!, found, personaId))
      }
    },
  }
}

function recipientOf(personId: string, { identity, exclusion, detail }: Screened, personaId?: string): Recipient {
  return {
    personId,
    ...(personaId !== undefined && { personaId }),
    ...(identity && { asid: identity.asid, channel: identity.channel }),
    ...(exclusion && { exclusion }),
    ...(detail !== undefined && { detail }),
  }
}

/** Undefined while its outreach is not there. */
export function screeningOf(
  deps: CampaignDeps,
  reader: Reader,
  found: LoadedCampaign,
  at: number,
): Screening | undefined {
  const { document, agent, place, campaign } = found
  const outreach = outreachOf(found)
  if (!outreach?.enabled) return undefined
  const bound = new Set(deps.channels.boundTo(reader, place))
  return {
    document,
    agent,
    outreach,
    sending: deps.bulkSends.sendingOf(reader, place),
    includePreviouslyContacted: includesContacted(campaign, outreach.class),
    isTest: isTest(campaign),
    isBound: (channel) => bound.has(channel),
    isMarketingUnderWay: (person) => deps.bulkSends.isMarketingUnderWay(reader, place, person),
    at,
    timeScale: deps.timeScale,
  }
}

/** What keeps it from being sent to anybody: its outreach, an opening that nobody could be written, a segment that is gone. */
function unresolved(found: LoadedCampaign): Refusal | undefined {
  const { document, campaign } = found
  const outreach = outreachOf(found)
  if (!outreach?.enabled)
    return cannot('outreachId', `There is no outreach ${campaign.outreachId} that is switched on.`)
  const opener = openerRead(document, outreach.openerTemplateId, () => 'x')
  if ('blocked' in opener) return cannot('outreachId', `Its opening does not resolve: ${opener.blocked}`)
  const { audience } = campaign
  if (audience.kind === 'segment' && !segmentOf(found, audience.segmentId)) {
    return cannot('audience.segmentId', `There is no segment ${audience.segmentId}.`)
  }
  return undefined
}

function cannot(field: FieldError['field'], message: string): Refusal {
  return refuse('agent.campaign.invalid', { detail: message, errors: [{ field, message }] })
}

function segmentOf({ document }: LoadedCampaign, segmentId: string) {
  return document.segments.find(({ id }) => id === segmentId)
}

/** A segment is read once, so that the whole snapshot is of one. */
function walkOf(found: LoadedCampaign): Walk {
  const { audience } = found.campaign
  switch (audience.kind) {
    case 'segment':
      return { kind: 'filter', filter: (segmentOf(found, audience.segmentId)?.filter ?? {}) as PersonFilter }
    case 'filter':
      return { kind: 'filter', filter: audience.filter }
    case 'importBatch':
      return { kind: 'importBatch', importBatchId: audience.importBatchId }
    case 'people':
      return { kind: 'people', list: audience.list, place: 0 }
    case 'personas':
      return { kind: 'personas', personaIds: audience.personaIds }
  }
}
