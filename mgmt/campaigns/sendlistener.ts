/** Listener on sends of campaigns: counts each step and updates the campaign. */
import { type AgentIncarnation, scopeOf } from '../../core/agent/scope.js'
import { countOf, moveCount, openCount } from '../../core/campaign/counts.js'
import { recipientStatusOf } from '../../core/campaign/recipient.js'
import { isFinished } from '../../core/campaign/status.js'
import type { Send, SendReason } from '../../core/outreach/send.js'
import type { CommandMeta, Query, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import type { CampaignGate } from '../outreach/listeners.js'
import { isCampaignSend } from '../outreach/transitions.js'
import type { CampaignDeps } from './deps.js'
import { loadIncarnation } from './load.js'
import { advance, failIfLost, scheduleTick } from './scheduler.js'
import { type CampaignRef, getCampaign, type Progress, progressTable, saveProgress, waitingTable } from './store.js'

/** Reasons of ended sends after which the campaign's outreach or binding may have been deleted. */
const lossReasons: ReadonlySet<SendReason> = new Set<SendReason>(['outreach_unavailable', 'no_route'])

interface DispatchQuery {
  readonly sendId: string
  readonly isFollowUp?: true
  readonly at: number
}

export function createSendListener(deps: CampaignDeps) {
  /** Counts every step of a campaign's sends in the commit of the step; sends of a deleted campaign are not counted. */
  function onSendChanged(tx: Tx, agent: AgentIncarnation, before: Send, after: Send, meta: CommandMeta): void {
    if (!isCampaignSend(after)) return
    const { orgId, agentId, incarnation } = agent
    const ref: CampaignRef = { orgId, agentId, incarnation, campaignId: after.campaignId! }
    const key = [...scopeOf(agent), ref.campaignId] as const
    const progress = tx.get(progressTable, key)
    if (!progress) return
    if (after.state === 'queued') tx.put(waitingTable, [...key, after.id], true)
    else if (before.state === 'queued') tx.remove(waitingTable, [...key, after.id])
    const tally = moveCount(progress.tally, recipientStatusOf(before), recipientStatusOf(after))
    if (tally === progress.tally) return
    saveProgress(tx, ref, maybeScheduleTick(tx, ref, { ...progress, tally }, meta))
    const isDone = openCount(tally) === 0 && openCount(progress.tally) > 0
    const mayHaveLostRoute = after.reason !== undefined && lossReasons.has(after.reason)
    const loaded = isDone || mayHaveLostRoute ? loadIncarnation(deps, tx, ref) : undefined
    if (!loaded || (mayHaveLostRoute && failIfLost(tx, deps, loaded, meta))) return
    if (isDone) advance(tx, deps, loaded, meta)
  }

  /**
   * Schedules the next batch when there is capacity. The batch has a commit of its own, so that delivery reports stay
   * fast.
   */
  function maybeScheduleTick(tx: Tx, ref: CampaignRef, progress: Progress, { at }: CommandMeta): Progress {
    const { tally, lowWatermark, awaitingReport } = progress
    const isFull = lowWatermark === undefined || countOf(tally, 'sending') > lowWatermark
    const { awaitingReportRows: unreportedRows, batchRows } = deps.dispatchWindow()
    const isReported = awaitingReport <= unreportedRows - batchRows
    if (isFull || !isReported || countOf(tally, 'pending') === 0) return progress
    return scheduleTick(tx, ref, progress, at)
  }

  /** Follow-ups of a completed campaign are sent; those of a cancelled or deleted campaign are not. */
  function dispatchDecision(reader: Reader, ref: CampaignRef, isFollowUp: boolean) {
    const status = getCampaign(reader, ref)?.status
    const isEnded = status === undefined || (isFollowUp ? status === 'cancelled' : isFinished(status))
    if (isEnded) return 'never' as const
    return status === 'paused' ? ('whenResumed' as const) : ('now' as const)
  }

  function mayLeaveQueue(
    reader: Reader,
    { orgId, agentId, incarnation }: AgentIncarnation,
    { campaignId, followUpOf }: Pick<Send, 'campaignId' | 'followUpOf'>,
  ) {
    return dispatchDecision(reader, { orgId, agentId, incarnation, campaignId: campaignId! }, followUpOf !== undefined)
  }

  function recordWaiting(tx: Tx, agent: AgentIncarnation, { id, campaignId }: Send): void {
    tx.put(waitingTable, [...scopeOf(agent), campaignId!, id], 'followUp')
  }

  /** Queried for the message of a send right before it is handed to its provider. */
  const mayDispatch: Query<CampaignRef & DispatchQuery, boolean> = {
    name: 'campaigns.mayDispatch',
    read: (reader, { isFollowUp, sendId, at, ...ref }) =>
      dispatchDecision(reader, ref, isFollowUp === true) === 'now' &&
      deps.bulkSends.mayDispatch(reader, ref, sendId, at),
  }

  const gate: CampaignGate = { mayDispatch: mayLeaveQueue, recordWaiting }
  return { onSendChanged, gate, queries: { mayDispatch } }
}
