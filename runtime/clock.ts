/** The clock: current time, timers and event loop turns, injected so that tests can replace it. */
import { performance } from 'node:perf_hooks'

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Milliseconds from a fixed point in time. It never steps, so it measures durations. */
  monotonic(): number
  /** Calls back once at or after `at`; the returned function cancels the timer. */
  setTimer(at: number, call: () => void): () => void
  /** Calls back once everything that is ready to run now has run. */
  nextTick(call: () => void): void
}

/** Node's timers are limited to about 24 days; a longer wait takes several timers. */
const longestWaitMs = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(at, call) {
    const due = performance.now() + at - Date.now()
    let timer: NodeJS.Timeout
    // Node's timers drop fractions of a millisecond, so one may fire before `due`.
    const wait = () => {
      timer = setTimeout(fire, Math.min(Math.max(0, due - performance.now()), longestWaitMs))
    }
    const fire = () => (performance.now() < due ? wait() : call())
    wait()
    return () => clearTimeout(timer)
  },
  nextTick(call) {
    if (tickCalls.push(call) === 1) setImmediate(runTickCalls)
  },
}

/** Callbacks of one turn run together, so that their writes to one socket or file are combined. */
let tickCalls: (() => void)[] = []

function runTickCalls(): void {
  const calls = tickCalls
  tickCalls = []
  let called = 0
  try {
    while (called < calls.length) calls[called++]!()
  } finally {
    // A callback that throws does not keep the others from running.
    for (; called < calls.length; called++) setImmediate(calls[called]!)
  }
}
