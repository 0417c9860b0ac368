/** Touches every actor once and looks, on the way, at what the process holds in memory. */
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { ownerOf } from '../commit/command.js'
import { cpuMicros } from '../control.js'
import { percentilesOf } from '../load/generator.js'
import type { MemoryReading, Sample, Window } from '../sample.js'

/** Shares of the work after which memory is looked at. */
const lookedAt = [0.1, 0.5, 1]
/** Objects that wait for a finaliser are gone only after another round. */
const collections = 3

/** Resolves when that actor's first command is durable. */
export type Touch = (owner: string) => Promise<unknown>

export function touching(touch: Touch): (window: Window) => Promise<Sample> {
  let serial = 0
  return async ({ operations = 0, concurrency }) => {
    const latency = createHistogram({ figures: 3 })
    const spent = { seconds: 0, cpuMicros: 0 }
    const memory: MemoryReading[] = []
    const first = serial
    for (const share of lookedAt) {
      const begun = { at: performance.now(), cpu: cpuMicros() }
      const until = first + Math.round(operations * share)
      await Promise.all(Array.from({ length: concurrency }, () => touchUpTo(until, latency)))
      spent.seconds += (performance.now() - begun.at) / 1000
      spent.cpuMicros += cpuMicros() - begun.cpu
      memory.push({ operations: serial - first, ...(await memoryHeld()) })
    }
    return { operations, ...spent, failures: {}, bytes: 0, latencyMs: percentilesOf(latency), memory }
  }

  async function touchUpTo(until: number, latency: RecordableHistogram): Promise<void> {
    while (serial < until) {
      const begun = performance.now()
      await touch(ownerOf(serial++))
      latency.record(Math.max(1, Math.round((performance.now() - begun) * 1000)))
    }
  }
}

/** `external` includes array buffers. */
async function memoryHeld(): Promise<Omit<MemoryReading, 'operations'>> {
  const { gc } = globalThis
  if (!gc) throw new Error('memory is looked at after collecting garbage: Node needs --expose-gc')
  for (let collected = 0; collected < collections; collected++) {
    gc()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { heapUsed, external, rss } = process.memoryUsage()
  return { heldBytes: heapUsed + external, residentBytes: rss }
}
