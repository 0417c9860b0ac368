/** Wakes for the earliest timer on record and hands over all that are due, oldest first. */
import { shard } from '../../core/limits.js'
import type { Clock } from '../clock.js'
import type { Reader, Row } from '../store/contract.js'
import { type StoredTimer, timerTable } from './tables.js'

export type DueTimer = Row<[dueAt: number, owner: string, name: string], StoredTimer>

export interface Timers {
  /** Looks at the record. */
  look(): void
  /** Timers of these times were put on the record or taken off: looks at it again unless all are behind the earliest. */
  changed(dueAt: readonly number[]): void
  /** When the earliest timer is due, or was, that has not been handed over and done with. */
  dueAt(): number | undefined
  /** Hands over nothing more and resolves when what was handed over is done with. */
  stop(): Promise<void>
}

/** `fire` settles once the timer is off the record or has been found gone. */
export function openTimers(options: { reader: Reader; clock: Clock; fire: (due: DueTimer) => Promise<void> }): Timers {
  const { reader, clock, fire } = options
  let cancel: (() => void) | undefined
  let wakeAt = Number.POSITIVE_INFINITY
  let earliestDueAt: number | undefined
  let sweeping: Promise<void> | undefined
  let stopped = false

  function look(): void {
    if (stopped || sweeping) return
    const [earliest] = reader.range(timerTable, { limit: 1 })
    earliestDueAt = earliest?.key[0]
    const dueAt = earliestDueAt ?? Number.POSITIVE_INFINITY
    if (dueAt === wakeAt) return
    cancel?.()
    wakeAt = dueAt
    // Not further ahead than a while, for the time of day may be set right in between.
    cancel = earliest && clock.wake(Math.min(dueAt, clock.now() + shard.timerLookMs), begin)
  }

  function begin(): void {
    sweeping = sweep().then((clean) => {
      sweeping = undefined
      wakeAt = Number.NaN
      if (clean) look()
      else if (!stopped) cancel = clock.wake(clock.now() + shard.effectRetryMs, look)
    })
  }

  async function sweep(): Promise<boolean> {
    const due = [...reader.range(timerTable, { before: [clock.now() + 1], limit: shard.timersPerSweep })]
    const fired = await Promise.allSettled(due.map(fire))
    return fired.every((each) => each.status === 'fulfilled')
  }

  return {
    look,
    changed(dueAt) {
      if (Math.min(...dueAt) <= (earliestDueAt ?? Number.POSITIVE_INFINITY)) look()
    },
    dueAt: () => earliestDueAt,
    async stop() {
      stopped = true
      cancel?.()
      await sweeping
    },
  }
}
