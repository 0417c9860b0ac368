/** What a node shows of the file that holds its data, read when somebody scrapes. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Metrics } from '../observe/metrics.js'
import { gaugeOf } from '../observe/named.js'
import { dataFileName, freeBytesAt } from './directory.js'

export function storeFigures(metrics: Pick<Metrics, 'gauge'>, dir: string): void {
  gaugeOf(metrics, 'parley_store_file_bytes', () => statSync(join(dir, dataFileName)).size)
  gaugeOf(metrics, 'parley_store_disk_free_bytes', () => freeBytesAt(dir))
}
