/** Wakes for the earliest timer on record and hands over all that are due, oldest first. */
import { shard } from '../../core/limits/index.js'
import type { Clock } from '../clock.js'
import type { Key, Reader, Row } from '../store/contract.js'
import { type StoredTimer, timerTable } from './tables.js'

export type DueTimer = Row<[dueAt: number, owner: string, name: string], StoredTimer>

export interface Timers {
  /** Looks at the record. */
  refresh(): void
  /** Timers of these times were put on the record or taken off: looks at it again unless all are behind the earliest. */
  refreshIfEarlier(dueAt: readonly number[]): void
  /** When the earliest timer is due, or was, that has not been handed over and done with. */
  dueAt(): number | undefined
  /** Hands over nothing more and resolves when what was handed over is done with. */
  stop(): Promise<void>
}

/** `fire` settles once the timer is off the record or has been found gone. */
export function openTimers(options: {
  reader: Reader
  clock: Clock
  fire: (due: DueTimer) => Promise<void>
  /** The latest time of day that is on record for the shard. */
  latestAt: number
  /** Takes timers whose times may be those of a later clock; settles once they have times by the clock as it is. */
  reschedule: (timers: readonly DueTimer[], isLast: boolean) => Promise<void>
}): Timers {
  const { reader, clock, fire, reschedule } = options
  let cancel: (() => void) | undefined
  let wakeAt = Number.POSITIVE_INFINITY
  let earliestDueAt: number | undefined
  let sweepInProgress: Promise<void> | undefined
  let scanInProgress: Promise<void> | undefined
  let stopped = false
  /** The time of day less the time elapsed: it falls when the clock is set back. The last owner may have had a later clock. */
  let offset = options.latestAt - clock.monotonic()

  function refresh(): void {
    if (stopped) return
    detectClockStep()
    if (sweepInProgress) return
    const [earliest] = reader.range(timerTable, { limit: 1 })
    earliestDueAt = earliest?.key[0]
    const dueAt = earliestDueAt ?? Number.POSITIVE_INFINITY
    if (dueAt === wakeAt) return
    cancel?.()
    wakeAt = dueAt
    // Not further ahead than a while, for the time of day may be set right in between.
    cancel = earliest && clock.setTimer(Math.min(dueAt, clock.now() + shard.timerPollMs), startSweep)
  }

  function detectClockStep(): void {
    if (scanInProgress) return
    const before = offset
    const current = clock.now() - clock.monotonic()
    const isBehind = current < before - shard.clockStepMs
    offset = isBehind ? current : Math.max(before, current)
    if (!isBehind) return
    scanInProgress = scan().then((isDone) => {
      scanInProgress = undefined
      if (!isDone) offset = before
    })
  }

  /**
   * Looks at all timers, a bounded number at a time, and has those dated anew that may be late. Answers whether it could: if
   * nothing can be read or written just now, the next look begins again.
   */
  async function scan(): Promise<boolean> {
    try {
      let after: Key | undefined
      while (!stopped) {
        const rows: DueTimer[] = [...reader.range(timerTable, { ...(after && { after }), limit: shard.timersPerSweep })]
        const isLast = rows.length < shard.timersPerSweep
        const futureTimers = rows.filter(
          ({ value: { setAt = 0, onClockSetBack } }) => setAt > clock.now() || onClockSetBack,
        )
        if (futureTimers.length > 0 || isLast) await reschedule(futureTimers, isLast)
        if (isLast) return true
        after = rows.at(-1)!.key
        await new Promise<void>((next) => clock.nextTick(next))
      }
    } catch {
      // The shard has logged why nothing can be read or written.
    }
    return false
  }

  function startSweep(): void {
    sweepInProgress = sweep().then((isClean) => {
      sweepInProgress = undefined
      wakeAt = Number.NaN
      if (isClean) refresh()
      else if (!stopped) cancel = clock.setTimer(clock.now() + shard.effectRetryMs, refresh)
    })
  }

  async function sweep(): Promise<boolean> {
    const due = [...reader.range(timerTable, { before: [clock.now() + 1], limit: shard.timersPerSweep })]
    const results = await Promise.allSettled(due.map(fire))
    return results.every((each) => each.status === 'fulfilled')
  }

  return {
    refresh,
    refreshIfEarlier(dueAt) {
      if (Math.min(...dueAt) <= (earliestDueAt ?? Number.POSITIVE_INFINITY)) refresh()
    },
    dueAt: () => earliestDueAt,
    async stop() {
      stopped = true
      cancel?.()
      await Promise.all([sweepInProgress, scanInProgress])
    },
  }
}
