/**
 * Work of a microsecond or less: synchronous runs, since awaiting each operation would cost more than the operation.
 */
import { createHistogram } from 'node:perf_hooks'
import { setImmediate as breathe } from 'node:timers/promises'
import { percents } from '../../harness/metrics.js'
import { cpuMicros } from '../../harness/rpc.js'
import type { Sample, Window } from '../../harness/sample.js'

/** Operations between two readings of the clock. */
const runLength = 50
/** Gives the process time to answer the bench. */
const yieldEveryMs = 10

/** Does one operation and returns part of its result, so that the compiler cannot remove it. */
export type Operate = () => number

/** Runs of each operation in turn. A latency is the mean of one run, so the percentiles separate the operations. */
export function createBatchedWork(operations: readonly Operate[]): (window: Window) => Promise<Sample> {
  return async ({ warmSeconds, seconds }) => {
    await runFor(operations, warmSeconds)
    const cpu = cpuMicros()
    const start = performance.now()
    const { done, nanos } = await runFor(operations, seconds)
    return {
      operations: done,
      seconds: (performance.now() - start) / 1000,
      failures: {},
      bytes: 0,
      latencyMs: percents.map((percent) => [percent, nanos.percentile(percent) / 1e6] as const),
      cpuMicros: cpuMicros() - cpu,
    }
  }
}

async function runFor(operations: readonly Operate[], seconds: number) {
  const nanos = createHistogram({ figures: 3 })
  const end = performance.now() + seconds * 1000
  let done = 0
  let checksum = 0
  let index = 0
  for (let now = performance.now(), lastYieldAt = now; now < end; ) {
    const operate = operations[index++ % operations.length]!
    for (let count = 0; count < runLength; count++) checksum += operate()
    const after = performance.now()
    nanos.record(Math.max(1, Math.round(((after - now) * 1e6) / runLength)))
    done += runLength
    now = after
    if (now - lastYieldAt < yieldEveryMs) continue
    await breathe()
    now = performance.now()
    lastYieldAt = now
  }
  if (!(checksum > 0)) throw new Error('nothing was made')
  return { done, nanos }
}
