/** Sends of a campaign that wait for another attempt: they pause and end with the campaign. */
import { scopeOf } from '../../core/agent/scope.js'
import { isFinished } from '../../core/campaign/status.js'
import { campaign as limits } from '../../core/limits/index.js'
import type { Command, CommandMeta, Tx } from '../../runtime/shard/contract.js'
import type { CampaignDeps } from './deps.js'
import { type LoadedCampaign, loadIncarnation } from './load.js'
import { type CampaignRef, waitingTable } from './store.js'

const updateWaitingName = 'campaigns.updateWaiting'

interface WaitingCursor extends CampaignRef {
  readonly after?: string
}

const timerName = ({ incarnation, campaignId }: CampaignRef) => `${updateWaitingName}:${incarnation}:${campaignId}`

/**
 * Walks through the waiting sends: returns them to the queue when the campaign runs, and cancels them when it is
 * finished.
 */
export function resumeOrCancelWaiting(
  tx: Tx,
  deps: Pick<CampaignDeps, 'bulkSends'>,
  loaded: LoadedCampaign,
  meta: CommandMeta,
  after?: string,
): void {
  const { ref, campaign, agentRef } = loaded
  const prefix = [...scopeOf(agentRef), ref.campaignId] as const
  const from = after === undefined ? {} : { after: [...prefix, after] }
  const rows = [...tx.range(waitingTable, { prefix, ...from, limit: limits.rowsPerSweep })]
  for (const { key, value } of rows) {
    const sendId = key[4]
    // The campaign does not follow the steps of follow-ups, so their row is removed here.
    if (value === 'followUp') tx.remove(waitingTable, key)
    if (isFinished(campaign.status))
      deps.bulkSends.cancel(tx, agentRef, sendId, `The campaign is ${campaign.status}.`, meta)
    else if (campaign.status === 'running') deps.bulkSends.resume(tx, agentRef, sendId, meta)
  }
  const last = rows.length === limits.rowsPerSweep ? rows.at(-1)!.key[4] : undefined
  if (last === undefined) tx.unschedule(timerName(ref))
  else resumeOrCancelLater(tx, { ...ref, after: last }, meta.at)
}

/** The same in a commit of its own. */
export function resumeOrCancelLater(tx: Tx, input: WaitingCursor, dueAt: number): void {
  tx.schedule({ name: timerName(input), dueAt, command: updateWaitingName, input })
}

export function createUpdateWaitingCommand(deps: CampaignDeps): Command<WaitingCursor, true> {
  return {
    name: updateWaitingName,
    decide(tx, { after, ...ref }, meta) {
      const loaded = loadIncarnation(deps, tx, ref)
      if (loaded) resumeOrCancelWaiting(tx, deps, loaded, meta, after)
      return true
    },
  }
}
