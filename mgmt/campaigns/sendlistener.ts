/** Sends of a campaign after they were made: each step is counted, and what comes of it for the campaign follows. */
import { type AgentIncarnation, scopeOf } from '../../core/agent/scope.js'
import { standingOfSend } from '../../core/campaign/recipient.js'
import { isOver } from '../../core/campaign/status.js'
import { countOf, openCount, shifted } from '../../core/campaign/tally.js'
import type { Send, SendReason } from '../../core/outreach/send.js'
import type { Query, Told, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import type { CampaignGate } from '../outreach/listeners.js'
import { isCampaigns } from '../outreach/transitions.js'
import type { CampaignDeps } from './deps.js'
import { loadIncarnation } from './load.js'
import { advance, failedIfLost, scheduleTick } from './scheduler.js'
import { campaignAt, keepProgress, type OneCampaign, type Progress, progressTable, waitingTable } from './store.js'

/** Of sends that have ended because the outreach or the binding of their campaign may be gone. */
const reasonsOfLoss: ReadonlySet<SendReason> = new Set<SendReason>(['outreach_unavailable', 'no_route'])

interface HandedOver {
  readonly sendId: string
  readonly isFollowUp?: true
  readonly at: number
}

export function createSendListener(deps: CampaignDeps) {
  /** Counts every step of a campaign's sends in the commit of the step; sends of a deleted campaign are not counted. */
  function onSendChanged(tx: Tx, place: AgentIncarnation, before: Send, after: Send, told: Told): void {
    if (!isCampaigns(after)) return
    const { orgId, agentId, serial } = place
    const one: OneCampaign = { orgId, agentId, serial, campaignId: after.campaignId! }
    const key = [...scopeOf(place), one.campaignId] as const
    const progress = tx.get(progressTable, key)
    if (!progress) return
    if (after.state === 'queued') tx.put(waitingTable, [...key, after.id], true)
    else if (before.state === 'queued') tx.remove(waitingTable, [...key, after.id])
    const tally = shifted(progress.tally, standingOfSend(before), standingOfSend(after))
    if (tally === progress.tally) return
    keepProgress(tx, one, tickIfThereIsRoom(tx, one, { ...progress, tally }, told))
    const hasNobodyOpen = openCount(tally) === 0 && openCount(progress.tally) > 0
    const mayBeLost = after.reason !== undefined && reasonsOfLoss.has(after.reason)
    const found = hasNobodyOpen || mayBeLost ? loadIncarnation(deps, tx, one) : undefined
    if (!found || (mayBeLost && failedIfLost(tx, deps, found, told))) return
    if (hasNobodyOpen) advance(tx, deps, found, told)
  }

  /** There is room again: the next ones have their turn in a commit of their own, so that news stays quick. */
  function tickIfThereIsRoom(tx: Tx, one: OneCampaign, progress: Progress, { at }: Told): Progress {
    const { tally, wakesBelow, unreported } = progress
    const isFull = wakesBelow === undefined || countOf(tally, 'sending') > wakesBelow
    const { unreportedRows, batchRows } = deps.window()
    const isReported = unreported <= unreportedRows - batchRows
    if (isFull || !isReported || countOf(tally, 'pending') === 0) return progress
    return scheduleTick(tx, one, progress, at)
  }

  /** A campaign that has completed still follows up; one that was cancelled or deleted does not. */
  function leavesFor(reader: Reader, one: OneCampaign, isFollowUp: boolean) {
    const status = campaignAt(reader, one)?.status
    const isEnded = status === undefined || (isFollowUp ? status === 'cancelled' : isOver(status))
    if (isEnded) return 'never' as const
    return status === 'paused' ? ('whenResumed' as const) : ('now' as const)
  }

  function mayLeaveQueue(
    reader: Reader,
    { orgId, agentId, serial }: AgentIncarnation,
    { campaignId, followUpOf }: Pick<Send, 'campaignId' | 'followUpOf'>,
  ) {
    return leavesFor(reader, { orgId, agentId, serial, campaignId: campaignId! }, followUpOf !== undefined)
  }

  function noteResting(tx: Tx, place: AgentIncarnation, { id, campaignId }: Send): void {
    tx.put(waitingTable, [...scopeOf(place), campaignId!, id], 'followUp')
  }

  /** Asked of the message of a send right before it is handed to its provider. */
  const mayLeave: Query<OneCampaign & HandedOver, boolean> = {
    name: 'campaigns.mayLeave',
    read: (reader, { isFollowUp, sendId, at, ...one }) =>
      leavesFor(reader, one, isFollowUp === true) === 'now' && deps.bulkSends.mayBeHandedOver(reader, one, sendId, at),
  }

  const gate: CampaignGate = { mayLeave: mayLeaveQueue, noteResting }
  return { onSendChanged, gate, queries: { mayLeave } }
}
