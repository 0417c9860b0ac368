/** Touches every actor once and reads the process's memory in between. */
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { percentilesOf } from '../../harness/load/generator.js'
import { cpuMicros } from '../../harness/rpc.js'
import type { MemoryReading, Sample, Window } from '../../harness/sample.js'
import { ownerOf } from '../commit/command.js'

/** Shares of the work after which memory is read. */
const memoryCheckpoints = [0.1, 0.5, 1]
/** Objects with a finaliser are collected only in a further round. */
const collections = 3

/** Resolves when that actor's first command is durable. */
export type Touch = (owner: string) => Promise<unknown>

export function createTouchWork(touch: Touch): (window: Window) => Promise<Sample> {
  let sequence = 0
  return async ({ operations = 0, concurrency }) => {
    const latency = createHistogram({ figures: 3 })
    const totals = { seconds: 0, cpuMicros: 0 }
    const memory: MemoryReading[] = []
    const first = sequence
    for (const share of memoryCheckpoints) {
      const start = { at: performance.now(), cpu: cpuMicros() }
      const until = first + Math.round(operations * share)
      await Promise.all(Array.from({ length: concurrency }, () => touchUpTo(until, latency)))
      totals.seconds += (performance.now() - start.at) / 1000
      totals.cpuMicros += cpuMicros() - start.cpu
      memory.push({ operations: sequence - first, ...(await readMemory()) })
    }
    return { operations, ...totals, failures: {}, bytes: 0, latencyMs: percentilesOf(latency), memory }
  }

  async function touchUpTo(until: number, latency: RecordableHistogram): Promise<void> {
    while (sequence < until) {
      const start = performance.now()
      await touch(ownerOf(sequence++))
      latency.record(Math.max(1, Math.round((performance.now() - start) * 1000)))
    }
  }
}

/** `external` includes array buffers. */
async function readMemory(): Promise<Omit<MemoryReading, 'operations'>> {
  const { gc } = globalThis
  if (!gc) throw new Error('memory is looked at after collecting garbage: Node needs --expose-gc')
  for (let collected = 0; collected < collections; collected++) {
    gc()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { heapUsed, external, rss } = process.memoryUsage()
  return { usedBytes: heapUsed + external, residentBytes: rss }
}
