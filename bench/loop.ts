/** A closed loop: askers that each begin an operation, wait until it is done, and then begin their next. */
import { createHistogram } from 'node:perf_hooks'
import { cpuMicros } from './control.js'
import { percentilesOf } from './load/generator.js'
import { pause, windowPasses } from './load/window.js'
import type { Sample, Window } from './sample.js'

/** `serial` counts the operations of all askers. Resolves when the operation is done for good; a failure ends the run. */
export type Operation = (asker: number, serial: number) => Promise<unknown>

/** What the candidate has counted of its own since it began, where it can: commits to the disk, bytes handed to it. */
export interface Counts {
  readonly transactions?: number
  readonly bytes?: number
}

export function closedLoop(operate: Operation, counts: () => Counts = () => ({})): (window: Window) => Promise<Sample> {
  let serial = 0
  return async (window) => {
    let latency = createHistogram({ figures: 3 })
    let operations = 0
    let stopped = false
    const ask = async (asker: number) => {
      while (!stopped) {
        const begun = performance.now()
        await operate(asker, serial++)
        operations++
        latency.record(Math.max(1, Math.round((performance.now() - begun) * 1000)))
      }
    }
    const all = Promise.all(Array.from({ length: window.concurrency }, (_, asker) => ask(asker)))
    const failed = all.then(() => undefined)
    await Promise.race([pause(window.warmSeconds), failed])
    latency = createHistogram({ figures: 3 })
    operations = 0
    const begun = { at: performance.now(), cpu: cpuMicros(), ...counts() }
    await Promise.race([windowPasses(window.seconds, () => operations > 0), failed])
    const ended = { at: performance.now(), cpu: cpuMicros(), ...counts() }
    const sample: Sample = {
      operations,
      seconds: (ended.at - begun.at) / 1000,
      failures: {},
      bytes: (ended.bytes ?? 0) - (begun.bytes ?? 0),
      latencyMs: percentilesOf(latency),
      cpuMicros: ended.cpu - begun.cpu,
      ...(ended.transactions !== undefined && { transactions: ended.transactions - begun.transactions! }),
    }
    stopped = true
    await all
    return sample
  }
}
