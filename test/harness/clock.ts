/** A clock that moves only when a test moves it, and wakes whoever asked to be woken on the way. */
import type { Clock } from '../../runtime/clock.js'

export interface ManualClock extends Clock {
  /** Moves on, firing what falls due in the order of time, and lets each finish what it started. */
  advance(ms: number): Promise<void>
}

export function manualClock(start = Date.parse('2026-03-01T12:00:00.000Z')): ManualClock {
  let now = start
  const alarms = new Set<{ at: number; call: () => void }>()
  return {
    now: () => now,
    elapsed: () => now - start,
    wake(at, call) {
      const alarm = { at, call }
      alarms.add(alarm)
      return () => alarms.delete(alarm)
    },
    soon: (call) => void setImmediate(call),
    async advance(ms) {
      const until = now + ms
      for (;;) {
        const next = [...alarms].filter((alarm) => alarm.at <= until).sort((a, b) => a.at - b.at)[0]
        if (!next) break
        now = Math.max(now, next.at)
        alarms.delete(next)
        next.call()
        await settle()
      }
      now = until
      await settle()
    },
  }
}

/** Lets pending commits and their followers run: a commit is a few turns of the loop and one sync of the disk. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setTimeout(resolve, 1))
}

/**
 * Waits until something that needs the disk has come about, ringing alarms that were set meanwhile. However slow the
 * disk is, it waits; what never comes about ends with the runner's patience.
 */
export async function until(holds: () => boolean | Promise<boolean>, clock?: ManualClock): Promise<void> {
  while (!(await holds())) await (clock ? clock.advance(0) : settle())
}

/** Lets time pass, a step at a time, until an answer that takes time has come. */
export async function answeredInTime<T>(answer: Promise<T>, passStep: () => void): Promise<T> {
  let isAnswered = false
  const answered = () => {
    isAnswered = true
  }
  answer.then(answered, answered)
  await until(() => {
    if (!isAnswered) passStep()
    return isAnswered
  })
  return answer
}
