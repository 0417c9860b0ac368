/** Writes a run's report under its time, and as the latest report of its scenario. */
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Outcome } from '../run.js'
import { page } from './page.js'

/** From the compiled file back to the project's folder. */
export const reportsFolder = fileURLToPath(new URL('../../../../bench/reports', import.meta.url))

/** A time as the beginning of a file name. */
export function timestampOf(time: string): string {
  return time.slice(0, 19).replaceAll(':', '')
}

export async function writeReport(outcome: Outcome, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  const file = join(folder, `${timestampOf(outcome.startedAt)}-${outcome.scenario.name}.html`)
  // The plotting library is large; only a run with something to plot loads it.
  const { charts } = await import('./charts.js')
  await writeFile(file, page(outcome, await charts(outcome)))
  await copyFile(file, join(folder, `latest-${outcome.scenario.name}.html`))
  return file
}
