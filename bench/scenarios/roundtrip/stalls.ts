/**
 * Stalls of the machine. On a shared machine the slowest one in a hundred operations often met a stall and says nothing
 * about the program; a comparison may leave those out on both sides.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { programFile } from '../../harness/children.js'

/** Milliseconds of the time of day. */
export interface Stall {
  readonly from: number
  readonly to: number
}

export interface StallWatch {
  /** The stalls of every core since the last call. */
  stalls(): Promise<Stall[]>
  stop(): void
}

export function tasksetMissing(): string | undefined {
  return spawnSync('taskset', ['--version']).error ? 'taskset is not installed here' : undefined
}

/** One process per core, pinned by `taskset`, since one core may stall while another does not. */
export function watchStalls(): StallWatch {
  const watchers = Array.from({ length: availableParallelism() }, (_, core) => startWatcher(core))
  return {
    async stalls() {
      const perCore = await Promise.all(
        watchers.map(async (watcher) => {
          const message = once(watcher, 'message')
          watcher.send('tell')
          const [coreStalls] = (await message) as [Stall[]]
          return coreStalls
        }),
      )
      return perCore.flat().sort((a, b) => a.from - b.from)
    },
    stop: () => {
      for (const watcher of watchers) watcher.disconnect()
    },
  }
}

function startWatcher(core: number): ChildProcess {
  const args = ['-c', String(core), process.execPath, programFile('roundtrip/stallprobe')]
  return spawn('taskset', args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
}

/** Whether a stall lies between two readings of `performance.now()` of this process. */
export function overlapsAny(stalls: readonly Stall[], from: number, to: number): boolean {
  const [begin, end] = [performance.timeOrigin + from, performance.timeOrigin + to]
  return stalls.some((each) => each.from < end && each.to > begin)
}
