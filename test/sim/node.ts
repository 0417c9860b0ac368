/** A simulated node: a lasting disk, clock and link, and one process after another on them. */
import type { Engine } from '../../runtime/shard/contract.js'
import type { ClientTarget } from './load/target.js'
import type { NodeClock } from './world/clock.js'
import type { Disk } from './world/disk.js'
import type { Incarnation } from './world/life.js'
import type { Link } from './world/link.js'
import type { Timeline } from './world/timeline.js'

export interface SimNode {
  readonly id: string
  readonly disk?: Disk
  readonly clock: NodeClock
  readonly link: Link
  /** The process that runs now, if there is one. */
  incarnation(): Incarnation | undefined
  /** The running process once it takes requests. */
  target(): ClientTarget | undefined
  /** Runs a process from now on, and retries one that could not start. */
  start(): void
  /** Starts no process any more. */
  stopForGood(): void
  isRetired(): boolean
  /** Ends the process at once, or after that many more outside calls. */
  crash(afterReaching?: number): void
  /** Asks the process to stop, and ends it after its stop or the timeout; resolves with whether it stopped in time. */
  stop(patienceMs: number): Promise<boolean>
}

export interface NodeOptions {
  readonly id: string
  readonly timeline: Timeline
  readonly note: (line: string) => void
  readonly disk?: Disk
  readonly clock: NodeClock
  readonly link: Link
  readonly begin: (name: string) => Incarnation
  readonly open: (incarnation: Incarnation) => Promise<Engine>
  readonly targetFor: (incarnation: Incarnation, engine: Engine) => ClientTarget
}

/** The pause before another attempt to start. */
const restartMs = 1_000

export function openNode(options: NodeOptions): SimNode {
  const { id, timeline, note } = options
  let incarnationCount = 0
  let incarnation: Incarnation | undefined
  let engine: Engine | undefined
  let target: ClientTarget | undefined
  let shouldRun = false
  let retired = false

  function start(): void {
    if (retired || incarnation?.alive()) return
    shouldRun = true
    const mine = options.begin(`${id}.${++incarnationCount}`)
    incarnation = mine
    target = undefined
    note(`${mine.name} starts`)
    mine.ended(() => {
      note(`${mine.name} is over`)
      if (incarnation !== mine) return
      incarnation = undefined
      engine = undefined
      target = undefined
    })
    run(mine).catch((error) => {
      note(`${mine.name} could not start: ${error}`)
      mine.end()
      timeline.after(restartMs, () => shouldRun && start())
    })
  }

  async function run(mine: Incarnation): Promise<void> {
    const opened = await options.open(mine)
    engine = opened
    await opened.start()
    if (!mine.alive()) return
    note(`${mine.name} is ready`)
    target = options.targetFor(mine, opened)
  }

  return {
    id,
    disk: options.disk,
    clock: options.clock,
    link: options.link,
    incarnation: () => incarnation,
    target: () => (target?.incarnation.alive() ? target : undefined),
    start,
    stopForGood() {
      retired = true
      shouldRun = false
    },
    isRetired: () => retired,
    crash(afterReaching) {
      shouldRun = false
      incarnation?.end(afterReaching)
    },
    stop(patienceMs) {
      shouldRun = false
      const mine = incarnation
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
        // Another caller of stop may be the one who ends it.
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
