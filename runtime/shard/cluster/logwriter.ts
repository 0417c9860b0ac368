/** Appends to a log with retries until the outcome is known. */

import type { Clock } from '../../clock.js'
import { BusUnreachable, type Log } from '../../nats/contract.js'
import { sleep } from '../../time.js'
import { LogTruncated, NotOwner, OutcomeUnknown } from '../errors.js'
import type { ClusterLimits } from '../limits.js'

export interface AppendContext {
  readonly log: Log
  readonly clock: Clock
  readonly limits: Pick<ClusterLimits, 'retryMs'>
}

/**
 * Resolves when all messages are in the log, one after the other, right behind `after`. Rejects with NotOwner when
 * another node wrote there, so the messages never will be in the log; with LogTruncated when the log ends before
 * `after`; with OutcomeUnknown when the log is trimmed so far that the outcome cannot be determined. Retries for as
 * long as the servers are silent: a call under the same number never appends twice.
 */
export async function appendWithRetry(
  context: AppendContext,
  messages: readonly Uint8Array[],
  after: number,
): Promise<void> {
  for (const [index, message] of messages.entries()) await appendOne(context, message, after + index)
}

async function appendOne({ log, clock, limits }: AppendContext, message: Uint8Array, after: number): Promise<void> {
  for (;;) {
    try {
      if ((await log.append(message, after)) === 'appended') return
      const existing = await log.read(after + 1)
      if (existing && Buffer.compare(existing, message) === 0) return
      const { last } = await log.bounds()
      if (last < after) throw new LogTruncated(`the log ends at ${last} and had ${after} entries`)
      if (last > after && existing) throw new NotOwner('the shard has another owner')
      if ((await log.bounds()).first > after + 1)
        throw new OutcomeUnknown('another owner went on and has trimmed the log')
    } catch (error) {
      if (!(error instanceof BusUnreachable)) throw error
    }
    await sleep(clock, limits.retryMs)
  }
}
