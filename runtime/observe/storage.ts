/** What a node shows of where its state is kept, read when somebody scrapes. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Bus } from '../bus/contract.js'
import { dataFileName, freeBytesAt } from '../store/directory.js'
import type { Metrics } from './metrics.js'
import { gaugeOf } from './named.js'

export function storeFigures(metrics: Pick<Metrics, 'gauge'>, dir: string): void {
  gaugeOf(metrics, 'parley_store_file_bytes', () => statSync(join(dir, dataFileName)).size)
  gaugeOf(metrics, 'parley_store_disk_free_bytes', () => freeBytesAt(dir))
}

export function busFigures(metrics: Pick<Metrics, 'gauge'>, bus: Pick<Bus, 'failure'>): void {
  gaugeOf(metrics, 'parley_bus_connected', () => (bus.failure() === undefined ? 1 : 0))
}
