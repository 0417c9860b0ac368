/** The commands by which a campaign is sent: started, paused, resumed, cancelled, and what its batches came to. */
import { scopeOf } from '../../core/agent/scope.js'
import { countOf } from '../../core/campaign/tally.js'
import type { CampaignView } from '../../core/campaign/view.js'
import { isRefusal } from '../../core/errors.js'
import type { AttemptReport } from '../../core/outreach/attempt.js'
import type { Command, Told, Tx } from '../../runtime/shard/contract.js'
import type { CampaignDeps } from './deps.js'
import { type CampaignId, type LoadedCampaign, loadCampaign, loadIncarnation, stepped, viewOf } from './load.js'
import { advance, type Batch, ended, unscheduleTick } from './scheduler.js'
import { atRest, batchTable, campaignAt, keepProgress, progressOf, stagingTable } from './store.js'
import { clearLater, retireLater } from './sweep.js'
import { resumeOrCancelWaiting } from './waitingsends.js'

export interface BatchReport extends Omit<Batch, 'sendIds' | 'leaveAt'> {
  readonly reports: readonly AttemptReport[]
  /** Nothing of the batch is left to find out. */
  readonly isWhole: boolean
}

export function createLifecycle(deps: CampaignDeps) {
  function command(
    name: string,
    act: (tx: Tx, found: LoadedCampaign, told: Told) => ReturnType<typeof stepped>,
  ): Command<CampaignId, CampaignView> {
    return {
      name: `campaigns.${name}`,
      decide(tx, named, told) {
        const found = loadCampaign(deps, tx, named)
        if (isRefusal(found)) return found
        const after = act(tx, found, told)
        if (isRefusal(after)) return after
        // It may have come to its end in the very same commit.
        return viewOf(deps, tx, { ...after, campaign: campaignAt(tx, found.one)! })
      },
    }
  }

  /** A snapshot that is just being taken anew is given up: it is sent as it was staged. */
  function giveUpStaging(tx: Tx, { one, place }: LoadedCampaign, at: number): void {
    const key = [...scopeOf(place), one.campaignId] as const
    const staging = tx.get(stagingTable, key)
    if (!staging) return
    tx.remove(stagingTable, key)
    clearLater(tx, { ...one, of: staging.snapshot }, at)
  }

  const start = command('start', (tx, found, told) => {
    const hasSendable = countOf(progressOf(tx, found.one).tally, 'pending') > 0
    const becomes = { ...found.campaign, startedAt: told.at }
    const after = stepped(tx, deps, found, { on: 'start', holds: () => hasSendable, becomes }, told)
    if (isRefusal(after)) return after
    giveUpStaging(tx, found, told.at)
    retireLater(tx, deps, found.one, told.at)
    advance(tx, deps, after, told)
    return after
  })

  /** What a provider has not got yet does not leave before it is resumed, wherever it is on its way: it asks right before it does. */
  const pause = command('pause', (tx, found, told) => {
    const after = stepped(tx, deps, found, { on: 'pause' }, told)
    if (isRefusal(after)) return after
    keepProgress(tx, found.one, atRest(progressOf(tx, found.one)))
    unscheduleTick(tx, found.one)
    return after
  })

  const resume = command('resume', (tx, found, told) => {
    const after = stepped(tx, deps, found, { on: 'resume' }, told)
    if (isRefusal(after)) return after
    resumeOrCancelWaiting(tx, deps, after, told)
    advance(tx, deps, after, told)
    return after
  })

  const cancel = command('cancel', (tx, found, told) => {
    const after = ended(tx, deps, found, 'cancel', told)
    if (!isRefusal(after)) giveUpStaging(tx, found, told.at)
    return after
  })

  /** What was reported before changes nothing, and a batch is counted as reported on once. */
  const report: Command<BatchReport, boolean> = {
    name: 'campaigns.report',
    decide(tx, { batch, reports, isWhole, ...one }, told) {
      const { orgId, agentId, serial, campaignId } = one
      const place = { orgId, agentId, serial }
      deps.bulkSends.report(tx, place, reports, told)
      const key = [...scopeOf(place), campaignId, batch] as const
      const rows = tx.get(batchTable, key)
      const found = loadIncarnation(deps, tx, one)
      if (!isWhole || rows === undefined || !found) return false
      tx.remove(batchTable, key)
      const progress = progressOf(tx, one)
      keepProgress(tx, one, { ...progress, unreported: progress.unreported - rows })
      advance(tx, deps, found, told)
      return true
    },
  }

  return { commands: { start, pause, resume, cancel, report } }
}
