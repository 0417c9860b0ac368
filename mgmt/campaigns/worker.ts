/** Performs a batch: hands each opening to its conversation in the order of the snapshot, and reports on all of them at once. */
import { agentKeyOf } from '../../core/agentkey.js'
import { isRefusal } from '../../core/errors.js'
import type { AttemptReport } from '../../core/outreach/attempt.js'
import type { Command, Performing, Shards } from '../../runtime/shard/contract.js'
import type { Outreach } from '../outreach/index.js'
import type { BatchReport } from './lifecycle.js'
import type { Batch } from './scheduler.js'

export interface WorkerOptions {
  readonly shards: Shards
  readonly attempt: Outreach['attempt']
  readonly commands: { readonly report: Command<BatchReport, boolean> }
}

/** Every recipient of a batch is sent to for the first time; later attempts are those of any send. */
const attempt = 1

/**
 * It may run again after a crash: a conversation takes an attempt once, and one that was reported on is not made again. What
 * nobody can tell yet is owed on, and the rest is reported meanwhile.
 */
export function batchPerformer({ shards, attempt: make, commands }: WorkerOptions) {
  return async ({ sendIds, leaveAt = [], ...which }: Batch, { reader, settles }: Performing): Promise<void> => {
    const { batch: _batch, campaignId: _campaign, ...place } = which
    const reports: AttemptReport[] = []
    let failure: unknown
    // All begin at once and one behind the other, so that whatever is asked of one shard is asked in the order of rows.
    await Promise.all(
      sendIds.map(async (sendId, nth) => {
        try {
          const time = leaveAt[nth] === undefined ? {} : { leaveAt: leaveAt[nth] }
          const found = await make(reader, { sendId, attempt, ...time, ...place })
          if (found) reports.push({ sendId, attempt, ...found })
        } catch (error) {
          failure ??= error
        }
      }),
    )
    const isWhole = failure === undefined
    const report = { reports, isWhole, ...which }
    const answer = await shards.ask(agentKeyOf(place), commands.report, report, isWhole ? { settles } : {})
    if (isRefusal(answer)) throw new Error(`the outcome of a batch was not taken: ${answer.refused}`)
    if (!isWhole) throw failure
  }
}
