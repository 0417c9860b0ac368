/** The work of a store candidate: writers that each put one record, wait until it is durable, and put the next. */
import { createHistogram } from 'node:perf_hooks'
import { cpuMicros } from '../control.js'
import { percentilesOf } from '../load/generator.js'
import type { Sample, Window } from '../scenario.js'

/** Written by every candidate: about 300 bytes when encoded. */
export interface Entry {
  readonly id: string
  readonly at: number
  readonly state: string
  readonly to: { readonly channel: string; readonly address: string }
  readonly text: string
}

const text = 'Your order left the warehouse this morning and arrives on Thursday between nine and noon. '.repeat(2)

export function entry(writer: number, serial: number): Entry {
  return {
    id: `entry-${writer}-${serial}`,
    at: 1_700_000_000_000 + serial,
    state: 'queued',
    to: { channel: 'sms', address: '+15550100' },
    text,
  }
}

/** Puts one record; resolves when it would survive a power cut. */
export type DurablePut = (writer: number, serial: number) => Promise<unknown>

/** `transactions` reads a counter of commits to the disk, where the store shows one. */
export function writersOver(put: DurablePut, transactions?: () => number): (window: Window) => Promise<Sample> {
  let serial = 0
  return async (window) => {
    let latency = createHistogram({ figures: 3 })
    let operations = 0
    let stopped = false
    const write = async (writer: number) => {
      while (!stopped) {
        const begun = performance.now()
        await put(writer, ++serial)
        operations++
        latency.record(Math.max(1, Math.round((performance.now() - begun) * 1000)))
      }
    }
    const writers = Array.from({ length: window.concurrency }, (_, writer) => write(writer))
    const all = Promise.all(writers)
    const failed = all.then(() => undefined)
    await Promise.race([pause(window.warmSeconds), failed])
    latency = createHistogram({ figures: 3 })
    operations = 0
    const begun = { at: performance.now(), cpu: cpuMicros(), transactions: transactions?.() ?? 0 }
    await Promise.race([pause(window.seconds), failed])
    const sample: Sample = {
      operations,
      seconds: (performance.now() - begun.at) / 1000,
      failures: {},
      bytes: operations * JSON.stringify(entry(1, serial)).length,
      latencyMs: percentilesOf(latency),
      cpuMicros: cpuMicros() - begun.cpu,
      ...(transactions && { transactions: transactions() - begun.transactions }),
    }
    stopped = true
    await all
    return sample
  }
}

function pause(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000))
}
