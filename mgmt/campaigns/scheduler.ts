/**
 * Scheduler of a running campaign: claims recipients in the order of the snapshot, as many as may be in flight, until
 * none is left or its outreach or binding was deleted. Each commit contains all state that the next step needs.
 */
import { type AgentIncarnation, scopeOf } from '../../core/agent/scope.js'
import { isTest } from '../../core/campaign/campaign.js'
import { countOf, moveCount, openCount } from '../../core/campaign/counts.js'
import { type EligibilityInput, factsOf } from '../../core/campaign/eligibility.js'
import { cancelledStatus, type Recipient } from '../../core/campaign/recipient.js'
import {
  type DispatchWindow,
  maxClaimRows,
  maxInFlightRows,
  type Throughput,
  windowFor,
} from '../../core/campaign/throughput.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { bulk, campaign as limits } from '../../core/limits/index.js'
import { evaluateGuardrails } from '../../core/outreach/guardrails.js'
import { isOutreachChannel } from '../../core/outreach/request.js'
import type { SendReason } from '../../core/outreach/send.js'
import { bindingRetryMs } from '../../core/outreach/statemachine.js'
import { scaledMs } from '../../core/time.js'
import type { Command, CommandMeta, Tx } from '../../runtime/shard/contract.js'
import type { NewCampaignSend } from '../outreach/campaignsends.js'
import type { CampaignDeps } from './deps.js'
import { applyTransition, type LoadedCampaign, loadIncarnation, outreachOf } from './load.js'
import { eligibilityInputOf } from './staging.js'
import {
  batchTable,
  type CampaignRef,
  clearTick,
  type Dispatch,
  dispatchTable,
  getCampaign,
  type Progress,
  progressOf,
  recipientTable,
  saveProgress,
} from './store.js'
import { resumeOrCancelWaiting } from './waitingsends.js'

export const batchEffect = 'campaignBatch'
const tickName = 'campaigns.tick'

/** Recipients whose openers are handed to their conversations together; each for the first time. */
export interface Batch extends AgentIncarnation {
  readonly campaignId: string
  readonly batch: number
  readonly sendIds: readonly string[]
  /** When each message may leave; absent where the binding has no pace. */
  readonly leaveAt?: readonly number[]
}

export function scheduleTick(tx: Tx, ref: CampaignRef, progress: Progress, dueAt: number): Progress {
  if (progress.tickAt !== undefined && progress.tickAt <= dueAt) return progress
  const name = `${tickName}:${ref.incarnation}:${ref.campaignId}`
  tx.schedule({ name, dueAt, command: tickName, input: ref, isDelay: true })
  return { ...progress, tickAt: dueAt }
}

export function unscheduleTick(tx: Tx, ref: CampaignRef): void {
  tx.unschedule(`${tickName}:${ref.incarnation}:${ref.campaignId}`)
}

/** Ends a campaign. Pending recipients end with its status; waiting sends are cancelled in bounded steps. */
export function finish(
  tx: Tx,
  deps: CampaignDeps,
  loaded: LoadedCampaign,
  on: 'cancel' | 'fail' | 'complete',
  meta: CommandMeta,
  failReason?: SendReason,
): LoadedCampaign | Refusal {
  const isMet = () => openCount(progressOf(tx, loaded.ref).tally) === 0
  const record = failReason ? { ...loaded.campaign, failReason } : loaded.campaign
  const after = applyTransition(tx, deps, loaded, { on, isMet, record }, meta)
  if (isRefusal(after)) return after
  const progress = clearTick(progressOf(tx, loaded.ref))
  const remaining = countOf(progress.tally, 'pending')
  const tally = moveCount(progress.tally, { state: 'pending' }, cancelledStatus(failReason), remaining)
  saveProgress(tx, loaded.ref, { ...progress, tally })
  unscheduleTick(tx, loaded.ref)
  resumeOrCancelWaiting(tx, deps, after, meta)
  return after
}

export function createScheduler(deps: CampaignDeps) {
  const tick: Command<CampaignRef, true> = {
    name: tickName,
    decide(tx, ref, meta) {
      const loaded = loadIncarnation(deps, tx, ref)
      if (loaded) advance(tx, deps, loaded, meta)
      return true
    },
  }
  return { commands: { tick } }
}

/**
 * Dispatches as much as is allowed now. Each reason to stop has an event that calls this again: a report, a completed
 * send, or a tick.
 */
export function advance(tx: Tx, deps: CampaignDeps, loaded: LoadedCampaign, meta: CommandMeta): void {
  const { ref, campaign } = loaded
  if (campaign.status !== 'running') return
  const progress = clearTick(progressOf(tx, ref))
  saveProgress(tx, ref, progress)
  unscheduleTick(tx, ref)
  if (countOf(progress.tally, 'pending') > 0) dispatchNext(tx, deps, loaded, progress, meta)
  const current = getCampaign(tx, ref)
  const isDone = current?.status === 'running' && openCount(progressOf(tx, ref).tally) === 0
  if (isDone) finish(tx, deps, { ...loaded, campaign: current }, 'complete', meta)
}

/** Fails a running campaign whose outreach was deleted or disabled, or whose agent has no binding for outreach. */
export function failIfLost(tx: Tx, deps: CampaignDeps, loaded: LoadedCampaign, meta: CommandMeta): boolean {
  const { ref, campaign } = loaded
  if (campaign.status !== 'running') return false
  const isBound = () => isTest(campaign) || deps.channels.boundChannels(tx, ref).some(isOutreachChannel)
  const failReason = !outreachOf(loaded)?.enabled ? 'outreach_unavailable' : isBound() ? undefined : 'no_binding'
  if (failReason === undefined) return false
  finish(tx, deps, loaded, 'fail', meta, failReason)
  return true
}

function dispatchNext(tx: Tx, deps: CampaignDeps, loaded: LoadedCampaign, progress: Progress, meta: CommandMeta): void {
  if (failIfLost(tx, deps, loaded, meta)) return
  const { ref, campaign } = loaded
  const isTestRun = isTest(campaign)
  const eligibility = eligibilityInputOf(deps, tx, loaded, meta.at)!
  const throughput = isTestRun
    ? {}
    : deps.channels.throughputOf(tx, ref).find(({ channel }) => isOutreachChannel(channel))
  if (!throughput) {
    saveProgress(tx, ref, scheduleTick(tx, ref, progress, meta.at + bindingRetryMs(deps.timeScale)))
    return
  }
  const closedUntil = isTestRun ? undefined : hoursOpenAt(deps, loaded, eligibility)
  if (closedUntil !== undefined) {
    const checkAt = Math.min(closedUntil, meta.at + scaledMs(limits.hoursRecheckMs, deps.timeScale))
    saveProgress(tx, ref, scheduleTick(tx, ref, { ...progress, closedUntil }, checkAt))
    return
  }
  const window = windowFor(throughput, deps.dispatchWindow())
  const capacity = capacityLeft(progress, throughput, window)
  const { lastBatchAt = Number.NEGATIVE_INFINITY, nextDrawAt = meta.at } = progress
  const nextAt = Math.max(lastBatchAt + window.intervalMs, nextDrawAt)
  // `lastBatchAt` may be later than now if the clock was set back.
  if (capacity > 0 && lastBatchAt <= meta.at && meta.at < nextAt) {
    saveProgress(tx, ref, scheduleTick(tx, ref, progress, nextAt))
    return
  }
  const claimed =
    capacity > 0
      ? claimBatch(tx, deps, loaded, eligibility, { capacity, batchRows: window.batchRows, throughput }, meta)
      : {}
  const { nextDrawAt: _before, ...after } = progressOf(tx, ref)
  if (claimed.nextDrawAt !== undefined) {
    saveProgress(tx, ref, scheduleTick(tx, ref, { ...after, ...claimed }, claimed.nextDrawAt))
    return
  }
  const lowWatermark = maxInFlightRows(throughput, window) - window.batchRows
  // Only excluded recipients were claimed, so there is no report to wait for.
  const hasMore = capacity > 0 && countOf(after.tally, 'pending') > 0 && capacityLeft(after, throughput, window) > 0
  const updated = { ...after, lowWatermark }
  saveProgress(tx, ref, hasMore ? scheduleTick(tx, ref, updated, meta.at) : updated)
}

/** Recipients that may be claimed now. Without a pace these are whole batches, unless fewer recipients remain. */
function capacityLeft(
  { tally, awaitingReport }: Progress,
  throughput: Pick<Throughput, 'perSecond'>,
  window: DispatchWindow,
): number {
  const free = Math.min(
    maxInFlightRows(throughput, window) - countOf(tally, 'sending'),
    window.awaitingReportRows - awaitingReport,
  )
  const minRows = throughput.perSecond === undefined ? Math.min(window.batchRows, countOf(tally, 'pending')) : 1
  return free >= minRows ? free : 0
}

/**
 * When the campaign's hours open, while they are closed: by the table of guardrails, for a person whom no other check
 * excludes.
 */
function hoursOpenAt(
  deps: CampaignDeps,
  { campaign }: LoadedCampaign,
  { sending, at }: EligibilityInput,
): number | undefined {
  const { safeHours, minTouchIntervalHours } = sending
  const decision = evaluateGuardrails('campaign', {
    at,
    consent: 'granted',
    isOptedOut: false,
    isMarketing: false,
    minTouchIntervalHours,
    ...(safeHours && { safeHours }),
    ...(campaign.sendWindow && { sendWindow: campaign.sendWindow }),
    timeScale: deps.timeScale,
  })
  return decision?.kind === 'wait' ? decision.until : undefined
}

interface BatchCapacity {
  readonly capacity: number
  readonly batchRows: number
  readonly throughput: Partial<Throughput>
}

/**
 * Claims the next recipients. Their rows, their sends, the times at which these leave and the effects that open their
 * conversations are one commit, so no recipient is claimed twice and no time is drawn twice. Answers when to draw from
 * the budget next, where it had no times for all of them.
 */
function claimBatch(
  tx: Tx,
  deps: CampaignDeps,
  loaded: LoadedCampaign,
  eligibility: EligibilityInput,
  { capacity, batchRows, throughput }: BatchCapacity,
  meta: CommandMeta,
): Pick<Progress, 'nextDrawAt'> {
  const { ref, campaign, agentRef } = loaded
  const before = progressOf(tx, ref)
  const key = [...scopeOf(agentRef), ref.campaignId, campaign.snapshot!] as const
  const claimed: ClaimedRecipient[] = []
  const maxRows = Math.min(capacity, maxClaimRows(throughput))
  const end = Math.min(campaign.counts!.total, before.next + limits.rowsPerClaim)
  let { next } = before
  // Reads row by row, since a range reads the keys of rows too.
  for (; next < end && claimed.length < maxRows; next++) {
    const row = tx.get(recipientTable, [...key, next])
    if (row && !row.exclusion) {
      claimed.push({ index: next, send: newSendFor(tx, deps, loaded, row, eligibility) })
    }
  }
  const draw = drawTimes(tx, deps, ref, claimed, throughput, meta.at)
  if (draw.first !== undefined) next = claimed.splice(draw.first)[0]!.index
  const dispatchable = claimed.filter(({ send }) => !send.suppressed).length
  const batches = before.batches + Math.ceil(dispatchable / batchRows)
  const tally = moveCount(before.tally, { state: 'pending' }, { state: 'sending' }, claimed.length)
  const awaitingReport = before.awaitingReport + dispatchable
  saveProgress(tx, ref, { ...before, tally, next, batches, awaitingReport, lastBatchAt: meta.at })
  const ids = deps.bulkSends.create(
    tx,
    agentRef,
    claimed.map(({ send }) => send),
    meta,
  )
  const rows = claimed.map(({ index }) => index)
  const dispatch: Dispatch = { rows, sendIds: ids, ...(eligibility.isTest && { isTest: true }) }
  if (rows.length > 0) tx.put(dispatchTable, [...key, rows[0]!], dispatch)
  const dispatchedIds = ids.filter((_id, nth) => !claimed[nth]!.send.suppressed)
  for (let nth = 0; nth * batchRows < dispatchedIds.length; nth++) {
    const sendIds = dispatchedIds.slice(nth * batchRows, (nth + 1) * batchRows)
    const leaveAt = draw.leaveAt?.slice(nth * batchRows, (nth + 1) * batchRows)
    const payload: Batch = { batch: before.batches + nth, sendIds, ...(leaveAt && { leaveAt }), ...ref }
    tx.put(batchTable, [...scopeOf(agentRef), ref.campaignId, payload.batch], sendIds.length)
    tx.emit({ kind: batchEffect, destination: ref.campaignId, payload })
  }
  return draw.nextDrawAt === undefined || next >= campaign.counts!.total ? {} : { nextDrawAt: draw.nextDrawAt }
}

interface ClaimedRecipient {
  readonly index: number
  readonly send: NewCampaignSend
}

interface DrawResult {
  /** For the recipients who are sent to, in their order; absent where the binding has no pace. */
  readonly leaveAt?: readonly number[]
  /** Index of the first claimed recipient without a time, if any. */
  readonly first?: number
  /** When the budget has times again. */
  readonly nextDrawAt?: number
}

/** Draws a time for each claimed recipient who is sent to. It draws more after half of the drawn times have passed. */
function drawTimes(
  tx: Tx,
  { channels }: CampaignDeps,
  { orgId, agentId }: AgentIncarnation,
  claimed: readonly ClaimedRecipient[],
  { channel, perSecond }: Partial<Throughput>,
  at: number,
): DrawResult {
  if (channel === undefined || perSecond === undefined) return {}
  const dispatchable = [...claimed.keys()].filter((nth) => !claimed[nth]!.send.suppressed)
  const draw = { orgId, agentId, channel, perSecond, count: dispatchable.length }
  const { leaveAt, nextAt } = channels.drawTimes(tx, draw, at, at + limits.claimAheadMs)
  const first = dispatchable[leaveAt.length]
  const isOthers = leaveAt.length === 0 && first !== undefined
  // Where other senders drew all times, the next draw takes the first times that become free.
  const nextDrawAt = Math.ceil(nextAt - (isOthers ? limits.claimAheadMs - bulk.everyMs : limits.claimAheadMs / 2))
  return { leaveAt, ...(first !== undefined && { first }), ...(nextDrawAt > at && { nextDrawAt }) }
}

/** Checks eligibility again: since staging consent may have been withdrawn, a STOP have come or a cap been reached. */
function newSendFor(
  tx: Tx,
  deps: CampaignDeps,
  { ref, campaign }: LoadedCampaign,
  row: Recipient,
  eligibility: EligibilityInput,
): NewCampaignSend {
  const person = deps.people.byId(tx, ref, row.personId)
  const identity = person?.identities.find(({ asid }) => asid === row.asid)
  const needsCheck = person && !eligibility.isTest
  const decision =
    needsCheck && evaluateGuardrails('campaign', factsOf(person, eligibility, identity?.optedOutAt !== undefined))
  return {
    campaignId: campaign.id,
    outreachId: campaign.outreachId,
    personId: person?.id ?? row.personId,
    asid: row.asid!,
    channel: row.channel!,
    address: identity?.address ?? '',
    ...(campaign.sendWindow && !eligibility.isTest && { sendWindow: campaign.sendWindow }),
    ...(eligibility.isTest && { sandbox: true as const }),
    ...(decision && decision.kind === 'skip' && { suppressed: decision.reason }),
  }
}
