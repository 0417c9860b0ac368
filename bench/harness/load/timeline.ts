/** A window in slices: throughput, latency and resident memory of each. */
import { createHistogram } from 'node:perf_hooks'
import type { CandidateProcess } from '../process.js'
import type { Slice } from '../sample.js'

/** Few enough for each slice to hold operations, and as many as a plot can show. */
export const slicesPerWindow = 20

export interface Timeline {
  record(micros: number): void
  /** Ends the last slice. */
  end(): Slice[]
}

export function createTimeline(seconds: number): Timeline {
  const slices: Slice[] = []
  const micros = createHistogram({ figures: 3 })
  const start = performance.now()
  let sliceStart = start

  function slice(): void {
    const now = performance.now()
    const answered = micros.count > 0 && {
      p50: micros.percentile(50) / 1000,
      p99: micros.percentile(99) / 1000,
    }
    const rate = micros.count / ((now - sliceStart) / 1000)
    slices.push({ atSeconds: (now - start) / 1000, rate, ...answered })
    sliceStart = now
    micros.reset()
  }

  const timer = setInterval(slice, (seconds * 1000) / slicesPerWindow)
  return {
    record: (value) => micros.record(value),
    end() {
      clearInterval(timer)
      if (micros.count > 0) slice()
      return slices
    },
  }
}

/** Reads the candidate's resident memory once per slice until it is stopped. */
export function watchMemory(target: CandidateProcess, seconds: number): { end(): readonly number[] } {
  const readings: number[] = []
  const timer = setInterval(
    () =>
      target.residentBytes().then(
        (bytes) => readings.push(bytes),
        () => clearInterval(timer),
      ),
    (seconds * 1000) / slicesPerWindow,
  )
  return {
    end() {
      clearInterval(timer)
      return readings
    },
  }
}

/** A slice without a reading repeats the previous one. */
export function withMemory(timeline: readonly Slice[], readings: readonly number[]): Slice[] {
  return timeline.map((slice, at) => {
    const residentBytes = readings[Math.min(at, readings.length - 1)]
    return residentBytes === undefined ? slice : { ...slice, residentBytes }
  })
}
