/** Timers of a shard: wakes for the earliest stored timer and fires all that are due, oldest first. */

import type { Clock } from '../clock.js'
import type { Key, Reader, Row } from '../store/contract.js'
import type { ShardLimits } from './limits.js'
import { type StoredTimer, timerTable } from './tables.js'

export type DueTimer = Row<[dueAt: number, owner: string, name: string], StoredTimer>

export interface Timers {
  /** Reads the earliest timer from the store. */
  refresh(): void
  /** Timers of these times were stored or removed: refreshes unless all are later than the earliest. */
  refreshIfEarlier(dueAt: readonly number[]): void
  /** The due time of the earliest timer that has not fired; it may be in the past. */
  dueAt(): number | undefined
  /** Fires nothing more and resolves when the fired timers have settled. */
  stop(): Promise<void>
}

/** `fire` settles once the timer is removed, or was found to be removed. */
export function openTimers(options: {
  reader: Reader
  clock: Clock
  limits: Pick<ShardLimits, 'timersPerSweep' | 'timerPollMs' | 'clockStepMs' | 'effectRetryMs'>
  fire: (due: DueTimer) => Promise<void>
  /** The latest stored time of day of the shard. */
  latestAt: number
  /** Takes timers whose times may be those of a later clock; settles once they have times of the current clock. */
  reschedule: (timers: readonly DueTimer[], isLast: boolean) => Promise<void>
}): Timers {
  const { reader, clock, fire, reschedule } = options
  const { timersPerSweep, timerPollMs, clockStepMs, effectRetryMs } = options.limits
  let cancel: (() => void) | undefined
  let wakeAt = Number.POSITIVE_INFINITY
  let earliestDueAt: number | undefined
  let sweepInProgress: Promise<void> | undefined
  let scanInProgress: Promise<void> | undefined
  let stopped = false
  /**
   * Time of day minus monotonic time: it falls when the clock is set back. The previous owner may have had a later
   * clock.
   */
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
    // At most `timerPollMs` ahead, since the time of day may be corrected in between.
    cancel = earliest && clock.setTimer(Math.min(dueAt, clock.now() + timerPollMs), startSweep)
  }

  function detectClockStep(): void {
    if (scanInProgress) return
    const before = offset
    const current = clock.now() - clock.monotonic()
    const isBehind = current < before - clockStepMs
    offset = isBehind ? current : Math.max(before, current)
    if (!isBehind) return
    scanInProgress = rescheduleScan().then((isDone) => {
      scanInProgress = undefined
      if (!isDone) offset = before
    })
  }

  /**
   * Reads all timers, a bounded number at a time, and reschedules those that may be late. Returns whether it finished:
   * when the store cannot be read or written, the next refresh begins again.
   */
  async function rescheduleScan(): Promise<boolean> {
    try {
      let after: Key | undefined
      while (!stopped) {
        const rows: DueTimer[] = [...reader.range(timerTable, { ...(after && { after }), limit: timersPerSweep })]
        const isLast = rows.length < timersPerSweep
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
    sweepInProgress = dueSweep().then((isClean) => {
      sweepInProgress = undefined
      wakeAt = Number.NaN
      if (isClean) refresh()
      else if (!stopped) cancel = clock.setTimer(clock.now() + effectRetryMs, refresh)
    })
  }

  async function dueSweep(): Promise<boolean> {
    const due = [...reader.range(timerTable, { before: [clock.now() + 1], limit: timersPerSweep })]
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
