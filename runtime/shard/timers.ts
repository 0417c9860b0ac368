/** Wakes for the earliest timer on record and hands over all that are due, oldest first. */
import { shard } from '../../core/limits.js'
import type { Clock } from '../clock.js'
import type { Reader, Row } from '../store/contract.js'
import { type StoredTimer, timerTable } from './tables.js'

export type DueTimer = Row<[dueAt: number, owner: string, name: string], StoredTimer>

export interface Timers {
  /** Looks at the record again: the earliest timer may have changed. */
  look(): void
  stop(): void
}

/** `fire` settles once the timer is off the record or has been found gone. */
export function openTimers(options: { reader: Reader; clock: Clock; fire: (due: DueTimer) => Promise<void> }): Timers {
  const { reader, clock, fire } = options
  let cancel: (() => void) | undefined
  let wakeAt = Number.POSITIVE_INFINITY
  let sweeping = false
  let stopped = false

  function look(): void {
    if (stopped || sweeping) return
    const [earliest] = reader.range(timerTable, { limit: 1 })
    const dueAt = earliest ? earliest.key[0] : Number.POSITIVE_INFINITY
    if (dueAt === wakeAt) return
    cancel?.()
    wakeAt = dueAt
    cancel = earliest ? clock.wake(dueAt, () => void sweep()) : undefined
  }

  async function sweep(): Promise<void> {
    sweeping = true
    const due = [...reader.range(timerTable, { before: [clock.now() + 1], limit: shard.timersPerSweep })]
    const fired = await Promise.allSettled(due.map(fire))
    sweeping = false
    wakeAt = Number.NaN
    if (fired.every((each) => each.status === 'fulfilled')) look()
    else if (!stopped) cancel = clock.wake(clock.now() + shard.effectRetryMs, look)
  }

  return {
    look,
    stop() {
      stopped = true
      cancel?.()
    },
  }
}
