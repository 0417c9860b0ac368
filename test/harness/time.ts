/** Time that the processes of a test share, across their restarts; a test can advance it. */
import type { Clock } from '../../runtime/clock.js'
import { flushPending } from './clock.js'

export interface Time {
  now(): number
  /** Advances time, fires the alarms that fall due, and lets their work finish. */
  advance(ms: number): Promise<void>
  /** Sets the time of day back. No time passes, and no alarm waits longer for it. */
  setBack(ms: number): void
  /** The clock of one more process. */
  process(): ProcessClock
}

export interface ProcessClock extends Clock {
  /** Holds back ticks until the returned function is called. */
  holdTicks(): () => void
  /** The process has ended: its alarms no longer fire. */
  end(): void
}

interface Alarm {
  at: number
  readonly call: () => void
  timer?: NodeJS.Timeout
}

/** Time that moves only when a test advances it. */
export function createManualTime(): Time {
  const began = Date.parse('2026-03-01T12:00:00.000Z')
  let now = began
  const jump = (ms: number) => {
    now += ms
  }
  return createTime({ now: () => now, monotonic: () => now - began, jump, arm: () => undefined })
}

/** Node's timers are limited to about 24 days; a longer alarm is armed again. */
const longestWaitMs = 2 ** 31 - 1

/** Real time, for code with heartbeats; advances of the test come on top. */
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
  /** Fires when that moment comes in real time. */
  arm(at: number, fireAlarm: () => void): NodeJS.Timeout | undefined
}

/** Time advances in one step: all alarms on the way fire at its end, in order of time. */
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
  let heldTicks: (() => void)[] | undefined

  function runNextTick(call: () => void): void {
    if (heldTicks) heldTicks.push(call)
    else clock.nextTick(() => isEnded || (heldTicks ? heldTicks.push(call) : call()))
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
    nextTick: runNextTick,
    holdTicks() {
      heldTicks ??= []
      return () => {
        const calls = heldTicks ?? []
        heldTicks = undefined
        for (const call of calls) runNextTick(call)
      }
    },
    end() {
      isEnded = true
      for (const cancel of cancels) cancel()
      cancels.clear()
    },
  }
}
