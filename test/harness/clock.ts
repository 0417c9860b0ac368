/** Clocks that move only when a test moves them: one fires the alarms on the way, the other at the end of each step. */
import type { Clock } from '../../runtime/clock.js'

export interface ManualClock extends Clock {
  /** Moves on, fires due alarms in order of time, and lets each finish its work. */
  advance(ms: number): Promise<void>
}

export function manualClock(start = Date.parse('2026-03-01T12:00:00.000Z')): ManualClock {
  let now = start
  const timers = new Set<{ at: number; call: () => void }>()
  return {
    now: () => now,
    monotonic: () => now - start,
    setTimer(at, call) {
      const timer = { at, call }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    nextTick: (call) => void setImmediate(call),
    async advance(ms) {
      const deadline = now + ms
      for (;;) {
        const next = [...timers].filter((timer) => timer.at <= deadline).sort((a, b) => a.at - b.at)[0]
        if (!next) break
        now = Math.max(now, next.at)
        timers.delete(next)
        next.call()
        await flushPending()
      }
      now = deadline
      await flushPending()
    },
  }
}

/** The time at which a leaping clock begins. */
export const began = Date.parse('2030-01-01T00:00:00Z')

export interface LeapingClock extends Clock {
  /** Moves time on in one step and fires the alarms that are now past. */
  advance(ms: number): void
  /** Sets the time of day back. No time passes, and no alarm waits longer for it. */
  setBack(ms: number): void
}

/** An alarm for a past moment fires at once: the disk, not the test, decides when commits end. */
export function createLeapingClock(): LeapingClock {
  let now = began
  let behind = 0
  const waiting = new Set<{ at: number; call: () => void }>()
  const ring = () => {
    for (const each of [...waiting].filter(({ at }) => at <= now)) {
      if (waiting.delete(each)) each.call()
    }
  }
  return {
    now: () => now,
    monotonic: () => now + behind - began,
    nextTick: (call) => void setImmediate(call),
    setTimer(at, call) {
      const each = { at, call }
      waiting.add(each)
      if (at <= now) setImmediate(ring)
      return () => void waiting.delete(each)
    },
    advance(ms) {
      now += ms
      ring()
    },
    setBack(ms) {
      now -= ms
      behind += ms
      for (const each of waiting) each.at -= ms
    },
  }
}

/**
 * Lets pending commits and the work after them finish: a commit is a few turns of the loop and one sync of the disk.
 */
export async function flushPending(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setTimeout(resolve, 1))
}

/**
 * Waits for a condition that needs the disk, firing alarms that were set meanwhile. The wait has no limit of its own: a
 * condition that never holds ends with the test runner's timeout.
 */
export async function waitUntil(condition: () => boolean | Promise<boolean>, clock?: ManualClock): Promise<void> {
  while (!(await condition())) await (clock ? clock.advance(0) : flushPending())
}

/** Lets time pass step by step until a delayed answer has arrived. */
export async function advanceUntilAnswered<T>(answer: Promise<T>, advanceStep: () => void): Promise<T> {
  let isAnswered = false
  const answered = () => {
    isAnswered = true
  }
  answer.then(answered, answered)
  await waitUntil(() => {
    if (!isAnswered) advanceStep()
    return isAnswered
  })
  return answer
}
