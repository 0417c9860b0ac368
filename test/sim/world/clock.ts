/** A node's clock: it runs a little fast or slow, and its time of day may be wrong or be set. */
import type { Clock } from '../../../runtime/clock.js'
import type { Life } from './life.js'
import type { Rng } from './rng.js'
import type { Timeline } from './timeline.js'

export interface NodeClock {
  /** The clock of one life of the node. */
  of(life: Life): Clock
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
const looksPerEvent = 100_000

export interface ClockOptions {
  readonly rate: number
  readonly offsetMs: number
  readonly violated: (sentence: string) => void
}

export function nodeClock(timeline: Timeline, rng: Rng, about: ClockOptions): NodeClock {
  let offset = about.offsetMs
  const now = () => Math.floor(worldBegan + offset + timeline.now() * about.rate)
  const worldMs = (ms: number) => ms / about.rate
  let looks = 0
  let event = 0

  function checkClock(life: Life, time: number): number {
    if (timeline.events() !== event) {
      event = timeline.events()
      looks = 0
    }
    if (++looks > looksPerEvent) {
      const spins = `${life.name} turns in a circle and lets nothing else happen`
      about.violated(spins)
      life.end()
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
      offset = about.offsetMs
    },
    of: (life) => ({
      now: () => checkClock(life, now()),
      monotonic: () => checkClock(life, timeline.now() * about.rate),
      // As with a real timer, the delay is fixed when it is set; a step of the time of day does not change it.
      setTimer(at, call) {
        let wanted = true
        const late = 1 + rng.next() * latestMs
        const cancel = timeline.after(worldMs(Math.max(0, at - now())) + late, () =>
          life.enter(() => wanted && call(), 'alarm'),
        )
        return () => {
          wanted = false
          cancel()
        }
      },
      nextTick: (call) => void timeline.after(0, () => life.enter(call)),
    }),
  }
}
