/** The commands that run a campaign: start, pause, resume, cancel, and reports of its batches. */
import { scopeOf } from '../../core/agent/scope.js'
import { countOf } from '../../core/campaign/counts.js'
import type { CampaignView } from '../../core/campaign/view.js'
import { isRefusal } from '../../core/errors.js'
import type { AttemptReport } from '../../core/outreach/attempt.js'
import type { Command, CommandMeta, Tx } from '../../runtime/shard/contract.js'
import type { CampaignDeps } from './deps.js'
import { applyTransition, type CampaignId, type LoadedCampaign, loadCampaign, loadIncarnation, viewOf } from './load.js'
import { advance, type Batch, finish, unscheduleTick } from './scheduler.js'
import { batchTable, clearTick, getCampaign, progressOf, saveProgress, stagingTable } from './store.js'
import { scheduleClear, scheduleRetire } from './sweep.js'
import { resumeOrCancelWaiting } from './waitingsends.js'

export interface BatchReport extends Omit<Batch, 'sendIds' | 'leaveAt'> {
  readonly reports: readonly AttemptReport[]
  /** Every send of the batch has its outcome. */
  readonly isComplete: boolean
}

export function createLifecycle(deps: CampaignDeps) {
  function command(
    name: string,
    apply: (tx: Tx, loaded: LoadedCampaign, meta: CommandMeta) => ReturnType<typeof applyTransition>,
  ): Command<CampaignId, CampaignView> {
    return {
      name: `campaigns.${name}`,
      decide(tx, ids, meta) {
        const loaded = loadCampaign(deps, tx, ids)
        if (isRefusal(loaded)) return loaded
        const after = apply(tx, loaded, meta)
        if (isRefusal(after)) return after
        // Reads the campaign again: it may have finished in the same commit.
        return viewOf(deps, tx, { ...after, campaign: getCampaign(tx, loaded.ref)! })
      },
    }
  }

  /** Gives up a snapshot that is being staged again: the campaign is sent with the snapshot it has. */
  function abandonStaging(tx: Tx, { ref, agentRef }: LoadedCampaign, at: number): void {
    const key = [...scopeOf(agentRef), ref.campaignId] as const
    const staging = tx.get(stagingTable, key)
    if (!staging) return
    tx.remove(stagingTable, key)
    scheduleClear(tx, { ...ref, part: staging.snapshot }, at)
  }

  const start = command('start', (tx, loaded, meta) => {
    const hasSendable = countOf(progressOf(tx, loaded.ref).tally, 'pending') > 0
    const record = { ...loaded.campaign, startedAt: meta.at }
    const after = applyTransition(tx, deps, loaded, { on: 'start', isMet: () => hasSendable, record }, meta)
    if (isRefusal(after)) return after
    abandonStaging(tx, loaded, meta.at)
    scheduleRetire(tx, deps, loaded.ref, meta.at)
    advance(tx, deps, after, meta)
    return after
  })

  /** No message that the provider does not have yet leaves before the resume: each asks right before its handover. */
  const pause = command('pause', (tx, loaded, meta) => {
    const after = applyTransition(tx, deps, loaded, { on: 'pause' }, meta)
    if (isRefusal(after)) return after
    saveProgress(tx, loaded.ref, clearTick(progressOf(tx, loaded.ref)))
    unscheduleTick(tx, loaded.ref)
    return after
  })

  const resume = command('resume', (tx, loaded, meta) => {
    const after = applyTransition(tx, deps, loaded, { on: 'resume' }, meta)
    if (isRefusal(after)) return after
    resumeOrCancelWaiting(tx, deps, after, meta)
    advance(tx, deps, after, meta)
    return after
  })

  const cancel = command('cancel', (tx, loaded, meta) => {
    const after = finish(tx, deps, loaded, 'cancel', meta)
    if (!isRefusal(after)) abandonStaging(tx, loaded, meta.at)
    return after
  })

  /** A repeated report changes nothing, and a batch counts as reported once. */
  const report: Command<BatchReport, boolean> = {
    name: 'campaigns.report',
    decide(tx, { batch, reports, isComplete, ...ref }, meta) {
      const { orgId, agentId, incarnation, campaignId } = ref
      const agentRef = { orgId, agentId, incarnation }
      deps.bulkSends.report(tx, agentRef, reports, meta)
      const key = [...scopeOf(agentRef), campaignId, batch] as const
      const rows = tx.get(batchTable, key)
      const loaded = loadIncarnation(deps, tx, ref)
      if (!isComplete || rows === undefined || !loaded) return false
      tx.remove(batchTable, key)
      const progress = progressOf(tx, ref)
      saveProgress(tx, ref, { ...progress, awaitingReport: progress.awaitingReport - rows })
      advance(tx, deps, loaded, meta)
      return true
    },
  }

  return { commands: { start, pause, resume, cancel, report } }
}
