/** Sends of a campaign after they were made: each step is counted, and what comes of it for the campaign follows. */
import { standingOfSend } from '../../core/campaign/recipient.js'
import { isOver } from '../../core/campaign/status.js'
import { countOf, openCount, shifted } from '../../core/campaign/tally.js'
import type { Send } from '../../core/outreach/send.js'
import type { Query, Told, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { driveLater, driven } from './driving.js'
import { sameCampaign } from './finding.js'
import type { Doors } from './needs.js'
import {
  campaignAt,
  type HomePlace,
  homeOf,
  keepProgress,
  type OneCampaign,
  type Progress,
  progressTable,
  waitingTable,
} from './store.js'

export function openWaiting(doors: Doors) {
  /** Told of every step of a campaign's sends, in the same commit. Nobody counts for a campaign that was deleted. */
  function campaigned(tx: Tx, place: HomePlace, before: Send, after: Send, told: Told): void {
    const { orgId, agentId, serial } = place
    const one: OneCampaign = { orgId, agentId, serial, campaignId: after.campaignId! }
    const key = [...homeOf(place), one.campaignId] as const
    const progress = tx.get(progressTable, key)
    if (!progress) return
    if (after.state === 'queued') tx.put(waitingTable, [...key, after.id], true)
    else if (before.state === 'queued') tx.remove(waitingTable, [...key, after.id])
    const tally = shifted(progress.tally, standingOfSend(before), standingOfSend(after))
    if (tally === progress.tally) return
    keepProgress(tx, one, nudged(tx, one, { ...progress, tally }, told))
    if (openCount(tally) === 0 && openCount(progress.tally) > 0) {
      const found = sameCampaign(doors, tx, one)
      if (found) driven(tx, doors, found, told)
    }
  }

  /** There is room again: the next ones have their turn in a commit of their own, so that news stays quick. */
  function nudged(tx: Tx, one: OneCampaign, progress: Progress, { at }: Told): Progress {
    const { tally, wakesBelow, unreported } = progress
    const isFull = wakesBelow === undefined || countOf(tally, 'sending') > wakesBelow
    const { unreportedRows, batchRows } = doors.window()
    const isReported = unreported <= unreportedRows - batchRows
    if (isFull || !isReported || countOf(tally, 'pending') === 0) return progress
    return driveLater(tx, one, progress, at)
  }

  function leaves(reader: Reader, { orgId, agentId, serial }: HomePlace, send: Pick<Send, 'campaignId'>) {
    const campaign = campaignAt(reader, { orgId, agentId, serial, campaignId: send.campaignId! })
    if (!campaign || isOver(campaign.status)) return 'never' as const
    return campaign.status === 'paused' ? ('whenResumed' as const) : ('now' as const)
  }

  /** Asked of a message right before it is handed to its provider. */
  const mayLeave: Query<OneCampaign, boolean> = {
    name: 'campaigns.mayLeave',
    read: (reader, { campaignId, ...place }) => leaves(reader, place, { campaignId }) === 'now',
  }

  return { campaigned, leaves, queries: { mayLeave } }
}
