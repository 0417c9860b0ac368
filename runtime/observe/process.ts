/**
 * Metrics of the process, read only at scrape time: a library that observes every garbage collection and samples every
 * ten milliseconds slowed a busy node by about a twentieth.
 */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { metrics as limits } from '../../core/limits/index.js'
import { registerCounter, registerGauge } from './meters.js'
import type { Metrics } from './metrics.js'

export function registerProcessMetrics(metrics: Pick<Metrics, 'gauge' | 'readCounter'>): void {
  const delay = monitorEventLoopDelay({ resolution: limits.loopDelayEveryMs })
  delay.enable()
  let last = performance.eventLoopUtilization()

  registerGauge(metrics, 'parley_process_resident_memory_bytes', () => process.memoryUsage.rss())
  registerGauge(metrics, 'parley_process_heap_used_bytes', () => process.memoryUsage().heapUsed)
  registerGauge(metrics, 'parley_process_external_memory_bytes', () => process.memoryUsage().external)
  registerCounter(metrics, 'parley_process_cpu_seconds_total', cpuSeconds)
  registerGauge(metrics, 'parley_process_uptime_seconds', () => process.uptime())
  registerGauge(metrics, 'parley_event_loop_delay_p99_seconds', loopDelay)
  registerGauge(metrics, 'parley_event_loop_utilization_ratio', utilizationRatio)

  function loopDelay(): number {
    const delaySeconds = delay.percentile(99) / 1e9
    delay.reset()
    return delaySeconds
  }

  function utilizationRatio(): number {
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
