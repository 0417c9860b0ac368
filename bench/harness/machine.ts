/** Facts of the machine that a reader of its figures needs. */
import { arch, availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os'
import { filesystemOf } from './scratch.js'

export type Machine = Readonly<Record<string, string>>

export function machineFacts(scratch: string): Machine {
  return {
    processor: cpus()[0]?.model.trim() || arch(),
    cores: String(availableParallelism()),
    memory: `${(totalmem() / 1024 ** 3).toFixed(1)} GB`,
    system: `${platform()} ${release()} ${arch()}`,
    node: process.version,
    'data written to': filesystemOf(scratch),
    'load average before the run': loadavg()
      .map((load) => load.toFixed(2))
      .join(' '),
  }
}
