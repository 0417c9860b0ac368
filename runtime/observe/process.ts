/**
 * The process's own figures, read only when somebody scrapes: a library that watches every garbage collection and ticks
 * every ten milliseconds made a busy node about a twentieth slower.
 */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { metrics as limits } from '../../core/limits.js'
import type { Metrics } from './metrics.js'
import { countReadings, gaugeOf } from './named.js'

export function addProcessFigures(metrics: Pick<Metrics, 'gauge' | 'readCounter'>): void {
  const delay = monitorEventLoopDelay({ resolution: limits.loopDelayEveryMs })
  delay.enable()
  let last = performance.eventLoopUtilization()

  gaugeOf(metrics, 'parley_process_resident_memory_bytes', () => process.memoryUsage.rss())
  gaugeOf(metrics, 'parley_process_heap_used_bytes', () => process.memoryUsage().heapUsed)
  gaugeOf(metrics, 'parley_process_external_memory_bytes', () => process.memoryUsage().external)
  countReadings(metrics, 'parley_process_cpu_seconds_total', cpuSeconds)
  gaugeOf(metrics, 'parley_process_uptime_seconds', () => process.uptime())
  gaugeOf(metrics, 'parley_event_loop_delay_p99_seconds', latest)
  gaugeOf(metrics, 'parley_event_loop_utilization_ratio', busy)

  function latest(): number {
    const late = delay.percentile(99) / 1e9
    delay.reset()
    return late
  }

  function busy(): number {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    return utilization
  }
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
