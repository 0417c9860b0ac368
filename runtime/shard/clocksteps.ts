/** Clock steps: the shard stores the latest time of its clock, and reschedules delays after the clock was set back. */

import type { Reader } from '../store/contract.js'
import type { ShardLimits } from './limits.js'
import type { Overlay } from './overlay.js'
import { latestTimeTable, timerNameTable, timerTable } from './tables.js'
import type { DueTimer } from './timers.js'

/** The time of day at which the shard last committed. It lags by up to `clockNotedMs`, so that few commits write it. */
export function createLatestTime(reader: Reader, { clockNotedMs }: Pick<ShardLimits, 'clockNotedMs'>) {
  let latestAt = reader.get(latestTimeTable, []) ?? Number.NEGATIVE_INFINITY

  function set(overlay: Overlay, at: number): void {
    latestAt = at
    overlay.put(latestTimeTable, [], at)
  }

  return {
    at: () => latestAt,
    /** Never lowers the time: until the timers are rescheduled, the next owner must detect the step as well. */
    advance(overlay: Overlay, at: number): void {
      if (at >= latestAt + clockNotedMs) set(overlay, at)
    },
    set,
  }
}

/**
 * A delay that was set in the future of the clock starts again now, with the length that it had when it was set. For a
 * timer with `onClockSetBack` that command is due now.
 */
export function rescheduleTimers(overlay: Overlay, timers: readonly DueTimer[], at: number): void {
  for (const { key } of timers) {
    const [dueAt, owner, name] = key
    const timer = overlay.get(timerTable, key)
    if (!timer || overlay.get(timerNameTable, [owner, name]) !== dueAt) continue
    const { command, input, setAt, onClockSetBack } = timer
    if (onClockSetBack !== undefined) {
      overlay.put(timerTable, [at, owner, `${name}:${onClockSetBack}`], { command: onClockSetBack, input })
    }
    if (setAt === undefined || setAt <= at || dueAt <= at) continue
    const newDueAt = at + Math.max(0, dueAt - setAt)
    overlay.remove(timerTable, key)
    overlay.put(timerTable, [newDueAt, owner, name], { command, input, setAt: at })
    overlay.put(timerNameTable, [owner, name], newDueAt)
  }
}
