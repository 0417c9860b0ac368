/** Time that processes of a test share while they come and go; a test can let as much of it pass as it likes. */
import type { Clock } from '../../runtime/clock.js'
import { settle } from './clock.js'

export interface Time {
  now(): number
  /** Lets that long pass, calls whoever wanted to be woken meanwhile, and lets them finish what they began. */
  advance(ms: number): Promise<void>
  /** Sets the time of day back. No time passes, and who wanted to be woken waits no longer for it. */
  setBack(ms: number): void
  /** The clock of one more process. */
  process(): ProcessClock
}

export interface ProcessClock extends Clock {
  /** Keeps back what should be done soon, until the returned function is called. */
  hold(): () => void
  /** The process is over: nobody in it is woken any more. */
  end(): void
}

interface Alarm {
  at: number
  readonly call: () => void
  timer?: NodeJS.Timeout
}

/** Stands still while a test does not move it on. */
export function standingTime(): Time {
  const began = Date.parse('2026-03-01T12:00:00.000Z')
  let now = began
  const leap = (ms: number) => {
    now += ms
  }
  return leaping({ now: () => now, elapsed: () => now - began, leap, arm: () => undefined })
}

/** Node's timers end at about 24 days; whoever waits longer is looked after again by then. */
const longestWaitMs = 2 ** 31 - 1

/** Goes on by itself, for what lives on heartbeats; what a test lets pass comes on top. */
export function runningTime(): Time {
  let ahead = 0
  const now = () => Date.now() + ahead
  return leaping({
    now,
    elapsed: () => performance.now() + ahead,
    leap(ms) {
      ahead += ms
    },
    arm: (at, ring) => setTimeout(ring, Math.min(longestWaitMs, Math.max(0, at - now()))),
  })
}

interface Pace extends Pick<Clock, 'now' | 'elapsed'> {
  leap(ms: number): void
  /** Rings when that moment has come by itself. */
  arm(at: number, ring: () => void): NodeJS.Timeout | undefined
}

/** However much passes, it passes at once: whoever wanted to be woken on the way is woken at its end, in the order of time. */
function leaping({ now: unset, elapsed, leap, arm }: Pace): Time {
  const alarms = new Set<Alarm>()
  let behind = 0
  const now = () => unset() - behind

  function set(alarm: Alarm): void {
    clearTimeout(alarm.timer)
    alarm.timer = arm(alarm.at + behind, () => (alarm.at > now() ? set(alarm) : ring(alarm)))
  }

  function ring(alarm: Alarm): void {
    if (!alarms.delete(alarm)) return
    clearTimeout(alarm.timer)
    alarm.call()
  }

  const clock: Clock = {
    now,
    elapsed,
    wake(at, call) {
      const alarm: Alarm = { at, call }
      alarms.add(alarm)
      set(alarm)
      return () => {
        clearTimeout(alarm.timer)
        alarms.delete(alarm)
      }
    },
    soon: (call) => void setImmediate(call),
  }
  return {
    now,
    async advance(ms) {
      leap(ms)
      for (const alarm of [...alarms].sort((a, b) => a.at - b.at)) if (alarm.at <= now()) ring(alarm)
      if (ms > 0) for (const alarm of alarms) set(alarm)
      await settle()
    },
    setBack(ms) {
      behind += ms
      for (const alarm of alarms) alarm.at -= ms
    },
    process: () => processOver(clock),
  }
}

function processOver(clock: Clock): ProcessClock {
  const cancels = new Set<() => void>()
  let over = false
  let kept: (() => void)[] | undefined

  function soon(call: () => void): void {
    if (kept) kept.push(call)
    else clock.soon(() => over || (kept ? kept.push(call) : call()))
  }

  return {
    now: clock.now,
    elapsed: clock.elapsed,
    wake(at, call) {
      if (over) return () => {}
      const cancel = clock.wake(at, () => {
        cancels.delete(cancel)
        call()
      })
      cancels.add(cancel)
      return () => {
        cancels.delete(cancel)
        cancel()
      }
    },
    soon,
    hold() {
      kept ??= []
      return () => {
        const calls = kept ?? []
        kept = undefined
        for (const call of calls) soon(call)
      }
    },
    end() {
      over = true
      for (const cancel of cancels) cancel()
      cancels.clear()
    },
  }
}
