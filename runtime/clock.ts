/** Time as the house is told it: now, and a way to be woken. Tests put their own in its place. */
import { performance } from 'node:perf_hooks'

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Milliseconds since some fixed moment: it never steps, so it measures how long something took. */
  monotonic(): number
  /** Calls back once at or after `at`; the returned function takes it back. */
  setTimer(at: number, call: () => void): () => void
  /** Calls back once everything that is ready to run now has run. */
  nextTick(call: () => void): void
}

/** Node's timers end at about 24 days; a longer wait is taken in several. */
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

/** Those of one turn are called together, so that what they write to the same place goes in one piece. */
let tickCalls: (() => void)[] = []

function runTickCalls(): void {
  const calls = tickCalls
  tickCalls = []
  let called = 0
  try {
    while (called < calls.length) calls[called++]!()
  } finally {
    // One that throws keeps nobody else from being called.
    for (; called < calls.length; called++) setImmediate(calls[called]!)
  }
}
