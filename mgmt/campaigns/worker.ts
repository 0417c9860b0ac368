/**
 * Effect handler of a batch: hands each opener to its conversation in the order of the snapshot, and reports on all in
 * one command.
 */
import { formatAgentKey } from '../../core/agentref.js'
import { isRefusal } from '../../core/errors.js'
import type { AttemptReport } from '../../core/outreach/attempt.js'
import type { Command, EffectContext, Shards } from '../../runtime/shard/contract.js'
import type { Outreach } from '../outreach/index.js'
import type { BatchReport } from './lifecycle.js'
import type { Batch } from './scheduler.js'

export interface WorkerOptions {
  readonly shards: Shards
  readonly attempt: Outreach['attempt']
  readonly commands: { readonly report: Command<BatchReport, boolean> }
}

/** A batch makes the first attempt of each send; later attempts are scheduled per send. */
const attempt = 1

/**
 * It may run again after a crash: a conversation accepts an attempt once, and a reported attempt is not repeated. Sends
 * with an unknown outcome keep the effect pending, and the others are reported meanwhile.
 */
export function createBatchHandler({ shards, attempt: attemptSend, commands }: WorkerOptions) {
  return async (
    { sendIds, leaveAt = [], ...batchRef }: Batch,
    { reader, completes, isRepeat }: EffectContext,
  ): Promise<void> => {
    const { batch: _batch, campaignId: _campaign, ...agentRef } = batchRef
    const reports: AttemptReport[] = []
    let failure: unknown
    // All attempts start at once and in order, so that each shard is asked in the order of rows.
    await Promise.all(
      sendIds.map(async (sendId, nth) => {
        try {
          const time = leaveAt[nth] === undefined ? {} : { leaveAt: leaveAt[nth] }
          const outcome = await attemptSend(reader, { sendId, attempt, ...time, ...agentRef }, isRepeat)
          if (outcome) reports.push({ sendId, attempt, ...outcome })
        } catch (error) {
          failure ??= error
        }
      }),
    )
    const isComplete = failure === undefined
    const report = { reports, isComplete, ...batchRef }
    const answer = await shards.execute(
      formatAgentKey(agentRef),
      commands.report,
      report,
      isComplete ? { completes } : {},
    )
    if (isRefusal(answer)) throw new Error(`the outcome of a batch was not taken: ${answer.refused}`)
    if (!isComplete) throw failure
  }
}
