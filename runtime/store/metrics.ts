/** Metrics of the data file, read at scrape time. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { registerGauge } from '../observe/meters.js'
import type { Metrics } from '../observe/metrics.js'
import { dataFileName, freeBytesAt } from './directory.js'

export function registerStoreMetrics(metrics: Pick<Metrics, 'gauge'>, dir: string): void {
  registerGauge(metrics, 'parley_store_file_bytes', () => statSync(join(dir, dataFileName)).size)
  registerGauge(metrics, 'parley_store_disk_free_bytes', () => freeBytesAt(dir))
}
