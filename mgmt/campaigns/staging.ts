/**
 * Stages the snapshot of a campaign's audience: each person once, checked for eligibility, a bounded number of people
 * per commit. The caller runs the steps; if the caller goes away, a timer continues. The snapshot replaces the one
 * before it only when it is complete.
 */
import { scopeOf } from '../../core/agent/scope.js'
import { includesContacted, isTest } from '../../core/campaign/campaign.js'
import { type Counts, emptyCounts, tallyOf } from '../../core/campaign/counts.js'
import {
  checkEligibility,
  type Eligibility,
  type EligibilityInput,
  unknownPerson,
} from '../../core/campaign/eligibility.js'
import type { Recipient } from '../../core/campaign/recipient.js'
import { mayTransition } from '../../core/campaign/status.js'
import { type CampaignPreview, previewOf } from '../../core/campaign/view.js'
import { type FieldError, isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { campaign as limits } from '../../core/limits/index.js'
import { renderOpenerWith } from '../../core/outreach/opener.js'
import type { PersonFilter } from '../../core/people/filter.js'
import type { Command, CommandMeta, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { type AudienceMember, readAudience } from './audience.js'
import type { CampaignDeps } from './deps.js'
import {
  applyTransition,
  type CampaignId,
  type LoadedCampaign,
  loadCampaign,
  loadIncarnation,
  outreachOf,
  transitionRefusal,
} from './load.js'
import {
  type AudienceCursor,
  type CampaignRef,
  noProgress,
  recipientTable,
  type Snapshot,
  type Staging,
  saveProgress,
  seenTable,
  snapshotTable,
  stagingTable,
} from './store.js'
import { scheduleClear } from './sweep.js'

const resumeName = 'campaigns.resumeStaging'

export interface StageStep extends CampaignId {
  readonly snapshot: string
}

/** `abandoned`: staging ended, because the campaign was changed or cannot be sent any more. */
export type StageStepResult = 'more' | 'complete' | 'abandoned'

export function createStaging(deps: CampaignDeps) {
  /** A caller that asks while staging is in progress joins it. */
  const beginStaging: Command<CampaignId, StageStep> = {
    name: 'campaigns.stage',
    decide(tx, ids, meta) {
      const loaded = loadCampaign(deps, tx, ids)
      if (isRefusal(loaded)) return loaded
      if (!mayTransition(loaded.campaign.status, 'stage')) return transitionRefusal(loaded.campaign, 'stage')
      const refusal = stagingError(loaded)
      if (refusal) return refusal
      const key = [...scopeOf(loaded.agentRef), ids.campaignId] as const
      const before = tx.get(stagingTable, key)
      if (before) return { ...ids, snapshot: before.snapshot }
      const snapshot = meta.mint('sn')
      tx.put(stagingTable, key, { snapshot, cursor: firstCursorOf(loaded), counts: emptyCounts, previews: [] })
      scheduleResume(tx, loaded.ref, meta.at)
      return { ...ids, snapshot }
    },
  }

  const step: Command<StageStep, StageStepResult> = {
    name: 'campaigns.stageStep',
    decide(tx, { snapshot, ...ids }, meta) {
      const loaded = loadCampaign(deps, tx, ids)
      if (isRefusal(loaded)) return loaded
      const staging = tx.get(stagingTable, [...scopeOf(loaded.agentRef), ids.campaignId])
      if (staging?.snapshot === snapshot) return advanceStaging(tx, loaded, staging, meta)
      return loaded.campaign.snapshot === snapshot ? 'complete' : 'abandoned'
    },
  }

  const resumeStaging: Command<CampaignRef, StageStepResult> = {
    name: resumeName,
    decide(tx, ref, meta) {
      const loaded = loadIncarnation(deps, tx, ref)
      const staging = loaded && tx.get(stagingTable, [...scopeOf(ref), ref.campaignId])
      return staging ? advanceStaging(tx, loaded, staging, meta, meta.at) : 'abandoned'
    },
  }

  /** Sets the takeover timer. Each step of a caller puts it off. */
  function scheduleResume(tx: Tx, ref: CampaignRef, at: number, dueAt = at + limits.stageTakeoverMs): void {
    tx.schedule({ name: `${resumeName}:${ref.incarnation}:${ref.campaignId}`, dueAt, command: resumeName, input: ref })
  }

  function advanceStaging(
    tx: Tx,
    loaded: LoadedCampaign,
    staging: Staging,
    meta: CommandMeta,
    nextAt?: number,
  ): StageStepResult {
    const { agentRef, ref } = loaded
    const key = [...scopeOf(agentRef), ref.campaignId] as const
    const eligibility = eligibilityInputOf(deps, tx, loaded, meta.at)
    if (!eligibility || stagingError(loaded)) {
      tx.remove(stagingTable, key)
      scheduleClear(tx, { ...ref, part: staging.snapshot }, meta.at)
      return 'abandoned'
    }
    const { members, cursor } = readAudience(deps, tx, ref, staging.cursor)
    const writer = createSnapshotWriter(tx, ref, staging)
    for (const member of members) writer.add(member, eligibility)
    const { counts, previews } = writer
    if (cursor) {
      tx.put(stagingTable, key, { ...staging, cursor, counts, previews })
      scheduleResume(tx, ref, meta.at, nextAt)
      return 'more'
    }
    tx.remove(stagingTable, key)
    tx.unschedule(`${resumeName}:${ref.incarnation}:${ref.campaignId}`)
    return finishStaging(tx, loaded, { ...staging, counts, previews }, meta)
  }

  function finishStaging(
    tx: Tx,
    loaded: LoadedCampaign,
    { snapshot, counts, previews }: Staging,
    meta: CommandMeta,
  ): StageStepResult {
    const { campaign, ref, agentRef } = loaded
    const record = { ...campaign, snapshot, counts, stagedAt: meta.at }
    const after = applyTransition(tx, deps, loaded, { on: 'stage', record }, meta)
    if (isRefusal(after)) {
      scheduleClear(tx, { ...ref, part: snapshot }, meta.at)
      return 'abandoned'
    }
    if (campaign.snapshot !== undefined) scheduleClear(tx, { ...ref, part: campaign.snapshot }, meta.at)
    tx.put(snapshotTable, [...scopeOf(agentRef), ref.campaignId, snapshot], { previews } satisfies Snapshot)
    saveProgress(tx, ref, { ...noProgress, tally: tallyOf(counts) })
    return 'complete'
  }

  return { commands: { beginStaging, step, resumeStaging } }
}

/** Writes the rows of a snapshot in order; skips a person that the snapshot has already. */
function createSnapshotWriter(tx: Tx, { campaignId, ...agentRef }: CampaignRef, { snapshot, ...before }: Staging) {
  const key = [...scopeOf(agentRef), campaignId, snapshot] as const
  let { total, sendable } = before.counts
  const exclusions = { ...before.counts.exclusions }
  const previews: CampaignPreview[] = [...before.previews]
  return {
    get counts(): Counts {
      return { total, sendable, exclusions }
    },
    previews,
    add({ id, person, personaId, mayRepeat }: AudienceMember, eligibility: EligibilityInput): void {
      const personId = person?.id ?? id
      if (mayRepeat) {
        if (tx.get(seenTable, [...key, personId])) return
        tx.put(seenTable, [...key, personId], true)
      }
      const eligible: Eligibility = person ? checkEligibility(person, eligibility) : unknownPerson
      tx.put(recipientTable, [...key, total++], recipientOf(personId, eligible, personaId))
      if (eligible.exclusion) exclusions[eligible.exclusion]++
      else {
        sendable++
        if (previews.length < limits.previews) previews.push(previewOf(person!, eligible, personaId))
      }
    },
  }
}

function recipientOf(personId: string, { identity, exclusion, detail }: Eligibility, personaId?: string): Recipient {
  return {
    personId,
    ...(personaId !== undefined && { personaId }),
    ...(identity && { asid: identity.asid, channel: identity.channel }),
    ...(exclusion && { exclusion }),
    ...(detail !== undefined && { detail }),
  }
}

/** Undefined while the campaign's outreach does not exist. */
export function eligibilityInputOf(
  deps: CampaignDeps,
  reader: Reader,
  loaded: LoadedCampaign,
  at: number,
): EligibilityInput | undefined {
  const { document, agent, agentRef, campaign } = loaded
  const outreach = outreachOf(loaded)
  if (!outreach?.enabled) return undefined
  const bound = new Set(deps.channels.boundChannels(reader, agentRef))
  return {
    document,
    agent,
    outreach,
    sending: deps.bulkSends.sendingOf(reader, agentRef),
    includePreviouslyContacted: includesContacted(campaign, outreach.class),
    isTest: isTest(campaign),
    isBound: (channel) => bound.has(channel),
    isMarketingUnderWay: (person) => deps.bulkSends.isMarketingUnderWay(reader, agentRef, person),
    at,
    timeScale: deps.timeScale,
  }
}

/**
 * Why the campaign cannot be sent to any recipient: no outreach, an opener that cannot be rendered, or a deleted
 * segment.
 */
function stagingError(loaded: LoadedCampaign): Refusal | undefined {
  const { document, campaign } = loaded
  const outreach = outreachOf(loaded)
  if (!outreach?.enabled)
    return invalidCampaign('outreachId', `There is no outreach ${campaign.outreachId} that is switched on.`)
  const opener = renderOpenerWith(document, outreach.openerTemplateId, () => 'x')
  if ('blocked' in opener) return invalidCampaign('outreachId', `Its opening does not resolve: ${opener.blocked}`)
  const { audience } = campaign
  if (audience.kind === 'segment' && !segmentOf(loaded, audience.segmentId)) {
    return invalidCampaign('audience.segmentId', `There is no segment ${audience.segmentId}.`)
  }
  return undefined
}

function invalidCampaign(field: FieldError['field'], message: string): Refusal {
  return refuse('agent.campaign.invalid', { detail: message, errors: [{ field, message }] })
}

function segmentOf({ document }: LoadedCampaign, segmentId: string) {
  return document.segments.find(({ id }) => id === segmentId)
}

/** Reads the segment once, so that one version of it applies to the whole snapshot. */
function firstCursorOf(loaded: LoadedCampaign): AudienceCursor {
  const { audience } = loaded.campaign
  switch (audience.kind) {
    case 'segment':
      return { kind: 'filter', filter: (segmentOf(loaded, audience.segmentId)?.filter ?? {}) as PersonFilter }
    case 'filter':
      return { kind: 'filter', filter: audience.filter }
    case 'importBatch':
      return { kind: 'importBatch', importBatchId: audience.importBatchId }
    case 'people':
      return { kind: 'people', list: audience.listKey, index: 0 }
    case 'personas':
      return { kind: 'personas', personaIds: audience.personaIds }
  }
}
