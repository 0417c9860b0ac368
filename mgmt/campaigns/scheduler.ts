/**
 * Carries a running campaign on: whose turn it is, in the order of the snapshot, as many as may be on their way; until
 * nobody is left, or its outreach or binding is gone. Everything it needs to go on is in the commit that it went so far in.
 */
import { type AgentIncarnation, scopeOf } from '../../core/agent/scope.js'
import { isTest } from '../../core/campaign/campaign.js'
import { type Pace, rowsAhead, rowsUnderWay, type Window, windowFor } from '../../core/campaign/pace.js'
import { overStanding, type Recipient } from '../../core/campaign/recipient.js'
import { factsOf, type Screening } from '../../core/campaign/screening.js'
import { countOf, openCount, shifted } from '../../core/campaign/tally.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { bulk, campaign as limits } from '../../core/limits.js'
import { guard } from '../../core/outreach/guardrails.js'
import { bindingLookMs } from '../../core/outreach/machine.js'
import { isOutreachChannel } from '../../core/outreach/request.js'
import type { SendReason } from '../../core/outreach/send.js'
import type { Command, Told, Tx } from '../../runtime/shard/contract.js'
import type { NewCampaignSend } from '../outreach/bulksends.js'
import type { CampaignDeps } from './deps.js'
import { type LoadedCampaign, loadIncarnation, outreachOf, stepped } from './load.js'
import { screeningOf } from './staging.js'
import {
  atRest,
  batchTable,
  campaignAt,
  keepProgress,
  type OneCampaign,
  type Progress,
  progressOf,
  recipientTable,
  type Turn,
  turnTable,
} from './store.js'
import { resumeOrCancelWaiting } from './waitingsends.js'

export const batchEffect = 'campaignBatch'
const driveName = 'campaigns.drive'

/** Recipients whose openings are handed to their conversations together; each for the first time. */
export interface Batch extends AgentIncarnation {
  readonly campaignId: string
  readonly batch: number
  readonly sendIds: readonly string[]
  /** When each of them may leave; absent where the binding has no pace. */
  readonly leaveAt?: readonly number[]
}

export function scheduleTick(tx: Tx, one: OneCampaign, progress: Progress, dueAt: number): Progress {
  if (progress.drivesAt !== undefined && progress.drivesAt <= dueAt) return progress
  const name = `${driveName}:${one.serial}:${one.campaignId}`
  tx.schedule({ name, dueAt, command: driveName, input: one, isDelay: true })
  return { ...progress, drivesAt: dueAt }
}

export function unscheduleTick(tx: Tx, one: OneCampaign): void {
  tx.unschedule(`${driveName}:${one.serial}:${one.campaignId}`)
}

/** Puts an end to it: those whose turn has not come are past it, those who wait are told in bounded steps. */
export function ended(
  tx: Tx,
  deps: CampaignDeps,
  found: LoadedCampaign,
  on: 'cancel' | 'fail' | 'settle',
  told: Told,
  failReason?: SendReason,
): LoadedCampaign | Refusal {
  const holds = () => openCount(progressOf(tx, found.one).tally) === 0
  const becomes = failReason ? { ...found.campaign, failReason } : found.campaign
  const after = stepped(tx, deps, found, { on, holds, becomes }, told)
  if (isRefusal(after)) return after
  const progress = atRest(progressOf(tx, found.one))
  const left = countOf(progress.tally, 'pending')
  const tally = shifted(progress.tally, { state: 'pending' }, overStanding(failReason), left)
  keepProgress(tx, found.one, { ...progress, tally })
  unscheduleTick(tx, found.one)
  resumeOrCancelWaiting(tx, deps, after, told)
  return after
}

export function createScheduler(deps: CampaignDeps) {
  const drive: Command<OneCampaign, true> = {
    name: driveName,
    decide(tx, one, told) {
      const found = loadIncarnation(deps, tx, one)
      if (found) advance(tx, deps, found, told)
      return true
    },
  }
  return { commands: { drive } }
}

/** Goes as far as it may just now. Whatever makes it stop brings it back: a report, a send that left, an hour. */
export function advance(tx: Tx, deps: CampaignDeps, found: LoadedCampaign, told: Told): void {
  const { one, campaign } = found
  if (campaign.status !== 'running') return
  const progress = atRest(progressOf(tx, one))
  keepProgress(tx, one, progress)
  unscheduleTick(tx, one)
  if (countOf(progress.tally, 'pending') > 0) dispatchNext(tx, deps, found, progress, told)
  const now = campaignAt(tx, one)
  const isDone = now?.status === 'running' && openCount(progressOf(tx, one).tally) === 0
  if (isDone) ended(tx, deps, { ...found, campaign: now }, 'settle', told)
}

/** Fails a running campaign whose outreach is gone or switched off, or whose binding is gone. */
export function failedIfLost(tx: Tx, deps: CampaignDeps, found: LoadedCampaign, told: Told): boolean {
  const { one, campaign } = found
  if (campaign.status !== 'running') return false
  const isBound = () => isTest(campaign) || deps.channels.boundTo(tx, one).some(isOutreachChannel)
  const lost = !outreachOf(found)?.enabled ? 'outreach_unavailable' : isBound() ? undefined : 'no_binding'
  if (lost === undefined) return false
  ended(tx, deps, found, 'fail', told, lost)
  return true
}

function dispatchNext(tx: Tx, deps: CampaignDeps, found: LoadedCampaign, progress: Progress, told: Told): void {
  if (failedIfLost(tx, deps, found, told)) return
  const { one, campaign } = found
  const isRehearsed = isTest(campaign)
  const screening = screeningOf(deps, tx, found, told.at)!
  const pace = isRehearsed ? {} : deps.channels.pacesOf(tx, one).find(({ channel }) => isOutreachChannel(channel))
  if (!pace) {
    keepProgress(tx, one, scheduleTick(tx, one, progress, told.at + bindingLookMs(deps.timeScale)))
    return
  }
  const closedUntil = isRehearsed ? undefined : opensAt(deps, found, screening)
  if (closedUntil !== undefined) {
    const looksAt = Math.min(closedUntil, told.at + Math.ceil(limits.hoursLookMs / deps.timeScale))
    keepProgress(tx, one, scheduleTick(tx, one, { ...progress, waitsUntil: closedUntil }, looksAt))
    return
  }
  const window = windowFor(pace, deps.window())
  const room = roomIn(progress, pace, window)
  const { handedAt = Number.NEGATIVE_INFINITY, drawsAt = told.at } = progress
  const nextAt = Math.max(handedAt + window.everyMs, drawsAt)
  // The time of day may have been set back since.
  if (room > 0 && handedAt <= told.at && told.at < nextAt) {
    keepProgress(tx, one, scheduleTick(tx, one, progress, nextAt))
    return
  }
  const claimed = room > 0 ? claim(tx, deps, found, screening, { room, batchRows: window.batchRows, pace }, told) : {}
  const { drawsAt: _before, ...after } = progressOf(tx, one)
  if (claimed.drawsAt !== undefined) {
    keepProgress(tx, one, scheduleTick(tx, one, { ...after, ...claimed }, claimed.drawsAt))
    return
  }
  const wakesBelow = rowsUnderWay(pace, window) - window.batchRows
  // Nobody was found among those who were left out, so there is no report to wait for.
  const goesOn = room > 0 && countOf(after.tally, 'pending') > 0 && roomIn(after, pace, window) > 0
  const woken = { ...after, wakesBelow }
  keepProgress(tx, one, goesOn ? scheduleTick(tx, one, woken, told.at) : woken)
}

/** Recipients that may be claimed now. Without a pace these are whole batches, unless there are no more than that. */
function roomIn({ tally, unreported }: Progress, pace: Pick<Pace, 'perSecond'>, window: Window): number {
  const free = Math.min(rowsUnderWay(pace, window) - countOf(tally, 'sending'), window.unreportedRows - unreported)
  const least = pace.perSecond === undefined ? Math.min(window.batchRows, countOf(tally, 'pending')) : 1
  return free >= least ? free : 0
}

/** When its hours open, while they are closed: by the table of guardrails, for somebody whom nothing else holds back. */
function opensAt(deps: CampaignDeps, { campaign }: LoadedCampaign, { sending, at }: Screening): number | undefined {
  const { safeHours, minTouchIntervalHours } = sending
  const found = guard('campaign', {
    at,
    consent: 'granted',
    isOptedOut: false,
    isMarketing: false,
    minTouchIntervalHours,
    ...(safeHours && { safeHours }),
    ...(campaign.sendWindow && { sendWindow: campaign.sendWindow }),
    timeScale: deps.timeScale,
  })
  return found?.kind === 'wait' ? found.until : undefined
}

interface Room {
  readonly room: number
  readonly batchRows: number
  readonly pace: Partial<Pace>
}

/**
 * Claims the next recipients: their rows, their sends, the times at which these leave and the effects that open their
 * conversations are one commit, so nobody is claimed twice and no time is drawn twice. Answers when the budget is drawn
 * from next, where it had no times for all of them.
 */
function claim(
  tx: Tx,
  deps: CampaignDeps,
  found: LoadedCampaign,
  screening: Screening,
  { room, batchRows, pace }: Room,
  told: Told,
): Pick<Progress, 'drawsAt'> {
  const { one, campaign, place } = found
  const before = progressOf(tx, one)
  const key = [...scopeOf(place), one.campaignId, campaign.snapshot!] as const
  const claimed: Claimed[] = []
  const most = Math.min(room, rowsAhead(pace))
  const end = Math.min(campaign.counts!.total, before.next + limits.rowsPerClaim)
  let { next } = before
  // One by one, since a range reads the keys of rows too.
  for (; next < end && claimed.length < most; next++) {
    const row = tx.get(recipientTable, [...key, next])
    if (row && !row.exclusion) {
      claimed.push({ index: next, launched: launchedOf(tx, deps, found, row, screening) })
    }
  }
  const drawn = drawTimes(tx, deps, one, claimed, pace, told.at)
  if (drawn.first !== undefined) next = claimed.splice(drawn.first)[0]!.index
  const going = claimed.filter(({ launched }) => !launched.suppressed).length
  const batches = before.batches + Math.ceil(going / batchRows)
  const tally = shifted(before.tally, { state: 'pending' }, { state: 'sending' }, claimed.length)
  const unreported = before.unreported + going
  keepProgress(tx, one, { ...before, tally, next, batches, unreported, handedAt: told.at })
  const ids = deps.bulkSends.create(
    tx,
    place,
    claimed.map(({ launched }) => launched),
    told,
  )
  const rows = claimed.map(({ index }) => index)
  const turn: Turn = { rows, sendIds: ids, ...(screening.isTest && { isTest: true }) }
  if (rows.length > 0) tx.put(turnTable, [...key, rows[0]!], turn)
  const handed = ids.filter((_id, nth) => !claimed[nth]!.launched.suppressed)
  for (let nth = 0; nth * batchRows < handed.length; nth++) {
    const sendIds = handed.slice(nth * batchRows, (nth + 1) * batchRows)
    const leaveAt = drawn.leaveAt?.slice(nth * batchRows, (nth + 1) * batchRows)
    const payload: Batch = { batch: before.batches + nth, sendIds, ...(leaveAt && { leaveAt }), ...one }
    tx.put(batchTable, [...scopeOf(place), one.campaignId, payload.batch], sendIds.length)
    tx.effect({ kind: batchEffect, destination: one.campaignId, payload })
  }
  return drawn.drawsAt === undefined || next >= campaign.counts!.total ? {} : { drawsAt: drawn.drawsAt }
}

interface Claimed {
  readonly index: number
  readonly launched: NewCampaignSend
}

interface Drawn {
  /** Of those that are sent to, in their order; absent where the binding has no pace. */
  readonly leaveAt?: readonly number[]
  /** The first of the claimed for whom there was no time, if any. */
  readonly first?: number
  /** When there are times again. */
  readonly drawsAt?: number
}

/** Draws a time for each of the claimed who is sent to. Half of what is drawn has left before more is drawn. */
function drawTimes(
  tx: Tx,
  { channels }: CampaignDeps,
  { orgId, agentId }: AgentIncarnation,
  claimed: readonly Claimed[],
  { channel, perSecond }: Partial<Pace>,
  at: number,
): Drawn {
  if (channel === undefined || perSecond === undefined) return {}
  const going = [...claimed.keys()].filter((nth) => !claimed[nth]!.launched.suppressed)
  const draw = { orgId, agentId, channel, perSecond, count: going.length }
  const { leaveAt, nextAt } = channels.drawTimes(tx, draw, at, at + limits.aheadMs)
  const first = going[leaveAt.length]
  const isOthers = leaveAt.length === 0 && first !== undefined
  // Where others drew all of it, whatever comes free next is taken.
  const drawsAt = Math.ceil(nextAt - (isOthers ? limits.aheadMs - bulk.everyMs : limits.aheadMs / 2))
  return { leaveAt, ...(first !== undefined && { first }), ...(drawsAt > at && { drawsAt }) }
}

/** Asked once more, since consent may have been withdrawn, a STOP have come or a cap been reached since it was staged. */
function launchedOf(
  tx: Tx,
  deps: CampaignDeps,
  { one, campaign }: LoadedCampaign,
  row: Recipient,
  screening: Screening,
): NewCampaignSend {
  const person = deps.people.byId(tx, one, row.personId)
  const identity = person?.identities.find(({ asid }) => asid === row.asid)
  const isAsked = person && !screening.isTest
  const held = isAsked && guard('campaign', factsOf(person, screening, identity?.optedOutAt !== undefined))
  return {
    campaignId: campaign.id,
    outreachId: campaign.outreachId,
    personId: person?.id ?? row.personId,
    asid: row.asid!,
    channel: row.channel!,
    address: identity?.address ?? '',
    ...(campaign.sendWindow && !screening.isTest && { sendWindow: campaign.sendWindow }),
    ...(screening.isTest && { sandbox: true as const }),
    ...(held && held.kind === 'skip' && { suppressed: held.reason }),
  }
}
