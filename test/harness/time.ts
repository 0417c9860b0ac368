/** Time that processes of a test share while they come and go; a test can let as much of it pass as it likes. */
import type { Clock } from '../../runtime/clock.js'
import { flushPending } from './clock.js'

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
  holdTicks(): () => void
  /** The process is over: nobody in it is woken any more. */
  end(): void
}

interface Alarm {
  at: number
  readonly call: () => void
  timer?: NodeJS.Timeout
}

/** Stands still while a test does not move it on. */
export function createManualTime(): Time {
  const began = Date.parse('2026-03-01T12:00:00.000Z')
  let now = began
  const jump = (ms: number) => {
    now += ms
  }
  return createTime({ now: () => now, monotonic: () => now - began, jump, arm: () => undefined })
}

/** Node's timers end at about 24 days; whoever waits longer is looked after again by then. */
const longestWaitMs = 2 ** 31 - 1

/** Goes on by itself, for what lives on heartbeats; what a test lets pass comes on top. */
export function createRealTime(): Time {
  let ahead = 0
  const now = () => Date.now() + ahead
  return createTime({
    now,
    monotonic: () => performance.now() + ahead,
    jump(ms) {
      ahead += ms
    },
    arm: (at, fireAlarm) => setTimeout(fireAlarm, Math.min(longestWaitMs, Math.max(0, at - now()))),
  })
}

interface TimeSource extends Pick<Clock, 'now' | 'monotonic'> {
  jump(ms: number): void
  /** Rings when that moment has come by itself. */
  arm(at: number, fireAlarm: () => void): NodeJS.Timeout | undefined
}

/** However much passes, it passes at once: whoever wanted to be woken on the way is woken at its end, in the order of time. */
function createTime({ now: baseNow, monotonic: elapsed, jump, arm }: TimeSource): Time {
  const alarms = new Set<Alarm>()
  let offsetMs = 0
  const now = () => baseNow() - offsetMs

  function set(alarm: Alarm): void {
    clearTimeout(alarm.timer)
    alarm.timer = arm(alarm.at + offsetMs, () => (alarm.at > now() ? set(alarm) : fireAlarm(alarm)))
  }

  function fireAlarm(alarm: Alarm): void {
    if (!alarms.delete(alarm)) return
    clearTimeout(alarm.timer)
    alarm.call()
  }

  const clock: Clock = {
    now,
    monotonic: elapsed,
    setTimer(at, call) {
      const alarm: Alarm = { at, call }
      alarms.add(alarm)
      set(alarm)
      return () => {
        clearTimeout(alarm.timer)
        alarms.delete(alarm)
      }
    },
    nextTick: (call) => void setImmediate(call),
  }
  return {
    now,
    async advance(ms) {
      jump(ms)
      for (const alarm of [...alarms].sort((a, b) => a.at - b.at)) if (alarm.at <= now()) fireAlarm(alarm)
      if (ms > 0) for (const alarm of alarms) set(alarm)
      await flushPending()
    },
    setBack(ms) {
      offsetMs += ms
      for (const alarm of alarms) alarm.at -= ms
    },
    process: () => createProcessClock(clock),
  }
}

function createProcessClock(clock: Clock): ProcessClock {
  const cancels = new Set<() => void>()
  let isEnded = false
  let heldCalls: (() => void)[] | undefined

  function soon(call: () => void): void {
    if (heldCalls) heldCalls.push(call)
    else clock.nextTick(() => isEnded || (heldCalls ? heldCalls.push(call) : call()))
  }

  return {
    now: clock.now,
    monotonic: clock.monotonic,
    setTimer(at, call) {
      if (isEnded) return () => {}
      const cancel = clock.setTimer(at, () => {
        cancels.delete(cancel)
        call()
      })
      cancels.add(cancel)
      return () => {
        cancels.delete(cancel)
        cancel()
      }
    },
    nextTick: soon,
    holdTicks() {
      heldCalls ??= []
      return () => {
        const calls = heldCalls ?? []
        heldCalls = undefined
        for (const call of calls) soon(call)
      }
    },
    end() {
      isEnded = true
      for (const cancel of cancels) cancel()
      cancels.clear()
    },
  }
}
