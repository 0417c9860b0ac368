/** Sends of a campaign that wait for another attempt: they rest while it does, and end with it. */
import { scopeOf } from '../../core/agent/scope.js'
import { isOver } from '../../core/campaign/status.js'
import { campaign as limits } from '../../core/limits.js'
import type { Command, Told, Tx } from '../../runtime/shard/contract.js'
import type { CampaignDeps } from './deps.js'
import { type LoadedCampaign, loadIncarnation } from './load.js'
import { type OneCampaign, waitingTable } from './store.js'

const tendName = 'campaigns.tend'

interface Tending extends OneCampaign {
  readonly after?: string
}

const timerOf = ({ serial, campaignId }: OneCampaign) => `${tendName}:${serial}:${campaignId}`

/** Walks through those that wait: they go back into the queue when the campaign goes on, and end when it is over. */
export function resumeOrCancelWaiting(
  tx: Tx,
  deps: Pick<CampaignDeps, 'bulkSends'>,
  found: LoadedCampaign,
  told: Told,
  after?: string,
): void {
  const { one, campaign, place } = found
  const prefix = [...scopeOf(place), one.campaignId] as const
  const from = after === undefined ? {} : { after: [...prefix, after] }
  const rows = [...tx.range(waitingTable, { prefix, ...from, limit: limits.rowsPerSweep })]
  for (const { key, value } of rows) {
    const sendId = key[4]
    // The campaign does not follow the steps of follow-ups, so their row goes here.
    if (value === 'followUp') tx.remove(waitingTable, key)
    if (isOver(campaign.status)) deps.bulkSends.cancel(tx, place, sendId, `The campaign is ${campaign.status}.`, told)
    else if (campaign.status === 'running') deps.bulkSends.resume(tx, place, sendId, told)
  }
  const last = rows.length === limits.rowsPerSweep ? rows.at(-1)!.key[4] : undefined
  if (last === undefined) tx.unschedule(timerOf(one))
  else resumeOrCancelLater(tx, { ...one, after: last }, told.at)
}

/** The same in a commit of its own. */
export function resumeOrCancelLater(tx: Tx, input: Tending, dueAt: number): void {
  tx.schedule({ name: timerOf(input), dueAt, command: tendName, input })
}

export function tendCommand(deps: CampaignDeps): Command<Tending, true> {
  return {
    name: tendName,
    decide(tx, { after, ...one }, told) {
      const found = loadIncarnation(deps, tx, one)
      if (found) resumeOrCancelWaiting(tx, deps, found, told, after)
      return true
    },
  }
}
