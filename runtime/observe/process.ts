/**
 * The process's own figures, read only when somebody scrapes. The metrics library has a set of its own, but it watches
 * every garbage collection and ticks every ten milliseconds; with it a busy node measured about a twentieth slower.
 */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { metrics as limits } from '../../core/limits.js'
import type { Metrics } from './metrics.js'

export function addProcessFigures(metrics: Pick<Metrics, 'gauge'>): void {
  const delay = monitorEventLoopDelay({ resolution: limits.loopDelayEveryMs })
  delay.enable()
  let last = performance.eventLoopUtilization()

  const figures: readonly [name: string, help: string, read: () => number][] = [
    ['parley_process_resident_memory_bytes', 'Memory that the process holds', () => process.memoryUsage.rss()],
    ['parley_process_heap_used_bytes', 'Memory that JavaScript values use', () => process.memoryUsage().heapUsed],
    [
      'parley_process_external_memory_bytes',
      'Memory of buffers outside the heap',
      () => process.memoryUsage().external,
    ],
    ['parley_process_cpu_seconds', 'Processor time used since the start', cpuSeconds],
    ['parley_process_uptime_seconds', 'Time since the start', () => process.uptime()],
    ['parley_event_loop_delay_p99_seconds', 'How late the event loop ran, since the last scrape', latest],
    ['parley_event_loop_utilization_ratio', 'Share of time the event loop was busy, since the last scrape', busy],
  ]
  for (const [name, help, read] of figures) metrics.gauge(name, help, read)

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
