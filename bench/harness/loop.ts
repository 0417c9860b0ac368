/** A closed loop: each worker begins an operation, awaits it, and begins the next. */
import { createHistogram } from 'node:perf_hooks'
import { percentilesOf } from './load/generator.js'
import { sleep, waitForWindow } from './load/window.js'
import { cpuMicros } from './rpc.js'
import type { Sample, Window } from './sample.js'

/**
 * `sequence` counts the operations of all workers. Resolves when the operation is complete; a rejection ends the run.
 */
export type Operation = (worker: number, sequence: number) => Promise<unknown>

/** The candidate's own counters since its start, where it has them: commits to the disk, bytes received. */
export interface Counts {
  readonly transactions?: number
  readonly bytes?: number
}

export function closedLoop(operate: Operation, counts: () => Counts = () => ({})): (window: Window) => Promise<Sample> {
  let sequence = 0
  return async (window) => {
    let latency = createHistogram({ figures: 3 })
    let operations = 0
    let stopped = false
    const runWorker = async (worker: number) => {
      while (!stopped) {
        const start = performance.now()
        await operate(worker, sequence++)
        operations++
        latency.record(Math.max(1, Math.round((performance.now() - start) * 1000)))
      }
    }
    const all = Promise.all(Array.from({ length: window.concurrency }, (_, worker) => runWorker(worker)))
    const failed = all.then(() => undefined)
    await Promise.race([sleep(window.warmSeconds), failed])
    latency = createHistogram({ figures: 3 })
    operations = 0
    const start = { at: performance.now(), cpu: cpuMicros(), ...counts() }
    await Promise.race([waitForWindow(window.seconds, () => operations > 0), failed])
    const end = { at: performance.now(), cpu: cpuMicros(), ...counts() }
    const sample: Sample = {
      operations,
      seconds: (end.at - start.at) / 1000,
      failures: {},
      bytes: (end.bytes ?? 0) - (start.bytes ?? 0),
      latencyMs: percentilesOf(latency),
      cpuMicros: end.cpu - start.cpu,
      ...(end.transactions !== undefined && { transactions: end.transactions - start.transactions! }),
    }
    stopped = true
    await all
    return sample
  }
}
