/** A node's clock: it runs a little fast or slow, and its time of day may be wrong or be set. */
import type { Clock } from '../../../runtime/clock.js'
import type { Incarnation } from './life.js'
import type { Rng } from './rng.js'
import type { Timeline } from './timeline.js'

export interface NodeClock {
  /** The clock of one life of the node. */
  of(incarnation: Incarnation): Clock
  /** Sets the time of day forward or back. */
  step(ms: number): void
  /** Corrects the time of day. */
  setRight(): void
  now(): number
  /** World time that passes during this much of the node's time. */
  worldMs(ms: number): number
}

export const worldBegan = Date.parse('2026-03-01T12:00:00.000Z')
const latestMs = 3
/** More readings of the clock than this without another event mean an endless loop. */
const readsPerEvent = 100_000

export interface ClockOptions {
  readonly rate: number
  readonly offsetMs: number
  readonly addViolation: (sentence: string) => void
}

export function nodeClock(timeline: Timeline, rng: Rng, options: ClockOptions): NodeClock {
  let offset = options.offsetMs
  const now = () => Math.floor(worldBegan + offset + timeline.now() * options.rate)
  const worldMs = (ms: number) => ms / options.rate
  let reads = 0
  let event = 0

  function checkClock(incarnation: Incarnation, time: number): number {
    if (timeline.events() !== event) {
      event = timeline.events()
      reads = 0
    }
    if (++reads > readsPerEvent) {
      const spins = `${incarnation.name} turns in a circle and lets nothing else happen`
      options.addViolation(spins)
      incarnation.end()
      throw new Error(spins)
    }
    return time
  }

  return {
    now,
    worldMs,
    step(ms) {
      offset += ms
    },
    setRight() {
      offset = options.offsetMs
    },
    of: (incarnation) => ({
      now: () => checkClock(incarnation, now()),
      monotonic: () => checkClock(incarnation, timeline.now() * options.rate),
      // As with a real timer, the delay is fixed when it is set; a step of the time of day does not change it.
      setTimer(at, call) {
        let isPending = true
        const late = 1 + rng.next() * latestMs
        const cancel = timeline.after(worldMs(Math.max(0, at - now())) + late, () =>
          incarnation.enter(() => isPending && call(), 'alarm'),
        )
        return () => {
          isPending = false
          cancel()
        }
      },
      nextTick: (call) => void timeline.after(0, () => incarnation.enter(call)),
    }),
  }
}
