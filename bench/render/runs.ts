/** Work that takes a microsecond or less: done in runs without waiting, since to await each would cost more than doing it. */
import { createHistogram } from 'node:perf_hooks'
import { setImmediate as breathe } from 'node:timers/promises'
import { cpuMicros } from '../control.js'
import { percents } from '../metrics.js'
import type { Sample, Window } from '../sample.js'

/** Operations between two looks at the clock. */
const runLength = 50
/** The process answers the bench in between. */
const breatheMs = 10

/** Does one operation and answers something of its result, so that no compiler finds out that nobody wants it. */
export type Operate = () => number

/** Runs of each operation in turn. A latency is the mean of one run, so the percentiles tell the operations apart. */
export function inRuns(operations: readonly Operate[]): (window: Window) => Promise<Sample> {
  return async ({ warmSeconds, seconds }) => {
    await during(operations, warmSeconds)
    const cpu = cpuMicros()
    const begun = performance.now()
    const { done, nanos } = await during(operations, seconds)
    return {
      operations: done,
      seconds: (performance.now() - begun) / 1000,
      failures: {},
      bytes: 0,
      latencyMs: percents.map((percent) => [percent, nanos.percentile(percent) / 1e6] as const),
      cpuMicros: cpuMicros() - cpu,
    }
  }
}

async function during(operations: readonly Operate[], seconds: number) {
  const nanos = createHistogram({ figures: 3 })
  const end = performance.now() + seconds * 1000
  let done = 0
  let made = 0
  let turn = 0
  for (let now = performance.now(), breath = now; now < end; ) {
    const operate = operations[turn++ % operations.length]!
    for (let count = 0; count < runLength; count++) made += operate()
    const after = performance.now()
    nanos.record(Math.max(1, Math.round(((after - now) * 1e6) / runLength)))
    done += runLength
    now = after
    if (now - breath < breatheMs) continue
    await breathe()
    now = performance.now()
    breath = now
  }
  if (!(made > 0)) throw new Error('nothing was made')
  return { done, nanos }
}
