/** A simulated node: a disk, a clock and a link that last, and one process after another that lives on them. */
import type { Engine } from '../../runtime/shard/contract.js'
import type { ClientTarget } from './load/target.js'
import type { NodeClock } from './world/clock.js'
import type { Disk } from './world/disk.js'
import type { Life } from './world/life.js'
import type { Link } from './world/link.js'
import type { Timeline } from './world/timeline.js'

export interface SimNode {
  readonly id: string
  readonly disk?: Disk
  readonly clock: NodeClock
  readonly link: Link
  /** The process that runs now, if one does. */
  life(): Life | undefined
  /** The same once it takes requests. */
  target(): ClientTarget | undefined
  /** Runs a process from now on: one that could not start is tried again. */
  start(): void
  /** It will not come back. */
  stopForGood(): void
  isRetired(): boolean
  /** Ends the process at once, or after it has reached outside that many times more. */
  crash(afterReaching?: number): void
  /** Asks the process to stop, and ends it when it has or when patience is over; resolves with whether it was over by then. */
  stop(patienceMs: number): Promise<boolean>
}

export interface NodeOptions {
  readonly id: string
  readonly timeline: Timeline
  readonly note: (line: string) => void
  readonly disk?: Disk
  readonly clock: NodeClock
  readonly link: Link
  readonly begin: (name: string) => Life
  readonly open: (life: Life) => Promise<Engine>
  readonly settle: (life: Life, engine: Engine) => ClientTarget
}

/** A process that could not start is tried again after this long. */
const restartMs = 1_000

export function openNode(options: NodeOptions): SimNode {
  const { id, timeline, note } = options
  let lifeCount = 0
  let life: Life | undefined
  let engine: Engine | undefined
  let target: ClientTarget | undefined
  let wanted = false
  let retired = false

  function start(): void {
    if (retired || life?.alive()) return
    wanted = true
    const mine = options.begin(`${id}.${++lifeCount}`)
    life = mine
    target = undefined
    note(`${mine.name} starts`)
    mine.ended(() => {
      note(`${mine.name} is over`)
      if (life !== mine) return
      life = undefined
      engine = undefined
      target = undefined
    })
    run(mine).catch((error) => {
      note(`${mine.name} could not start: ${error}`)
      mine.end()
      timeline.after(restartMs, () => wanted && start())
    })
  }

  async function run(mine: Life): Promise<void> {
    const opened = await options.open(mine)
    engine = opened
    await opened.start()
    if (!mine.alive()) return
    note(`${mine.name} is ready`)
    target = options.settle(mine, opened)
  }

  return {
    id,
    disk: options.disk,
    clock: options.clock,
    link: options.link,
    life: () => life,
    target: () => (target?.life.alive() ? target : undefined),
    start,
    stopForGood() {
      retired = true
      wanted = false
    },
    isRetired: () => retired,
    crash(afterReaching) {
      wanted = false
      life?.end(afterReaching)
    },
    stop(patienceMs) {
      wanted = false
      const mine = life
      if (!mine || !engine) {
        mine?.end()
        return Promise.resolve(true)
      }
      note(`${mine.name} is asked to stop`)
      target = undefined
      const stopping = engine.stop()
      return new Promise((resolve) => {
        const cancel = timeline.after(patienceMs, () => end(false))
        function end(stopped: boolean): void {
          cancel()
          resolve(stopped)
          if (!mine!.alive()) return
          note(`${mine!.name} ${stopped ? 'has stopped' : 'is made to stop'}`)
          mine!.end()
        }
        // Somebody else who asked it to stop may be the one who ends it.
        mine.ended(() => end(true))
        stopping.then(
          () => end(true),
          (error) => {
            note(`${mine.name} could not stop: ${error}`)
            end(false)
          },
        )
      })
    },
  }
}
