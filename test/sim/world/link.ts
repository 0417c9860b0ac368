/**
 * One node's connection to the servers of the bus: two directions, each in order as a rule, each of which can be cut. What
 * is sent into a cut is dropped or held until it heals, and a message may straggle far behind those sent after it.
 */
import type { Rng } from './rng.js'
import type { Timeline } from './timeline.js'

export type Direction = 'toBus' | 'toNode'

export interface Cut {
  readonly directions: readonly Direction[]
  /** Whether what was sent meanwhile arrives in the end. */
  readonly keeps: boolean
}

export interface Link {
  /** Carries `arrive` to the other side; false when it never will get there. */
  transmit(direction: Direction, arrive: () => void): boolean
  cut(cut: Cut): void
  heal(): void
  isCut(direction?: Direction): boolean
  /** Whether both ends have noticed by now that they do not hear each other. */
  isKnownDown(): boolean
  /** Multiplies how long everything takes; 1 is the usual. */
  slow(factor: number): void
  /** The share of messages that fall behind. */
  delaySome(share: number): void
  /** Whether a request that was sent now is sent a second time, late: what comes of that depends on the servers. */
  repeats(): boolean
  /** The time for one way, without what may go wrong with it. */
  wayMs(): number
}

const usualMs = [0.2, 4] as const
const stragglesMs = [500, 14_000] as const
/** How long a cut goes unnoticed. */
const noticedMs = [300, 4_000] as const

export function openLink(timeline: Timeline, rng: Rng): Link {
  const lastArrival: Record<Direction, number> = { toBus: 0, toNode: 0 }
  let current: Cut | undefined
  let held: { direction: Direction; arrive: () => void }[] = []
  let knownDown = false
  let factor = 1
  let straggling = 0
  let cuts = 0

  const wayMs = () => rng.between(...usualMs) * factor

  function send(direction: Direction, arrive: () => void): void {
    if (straggling > 0 && rng.chance(straggling)) {
      timeline.after(rng.between(...stragglesMs), arrive)
      return
    }
    const at = Math.max(lastArrival[direction], timeline.now() + wayMs())
    lastArrival[direction] = at
    timeline.after(at - timeline.now(), arrive)
  }

  return {
    transmit(direction, arrive) {
      if (!current?.directions.includes(direction)) {
        send(direction, arrive)
        return true
      }
      if (!current.keeps) return false
      held.push({ direction, arrive })
      return true
    },
    cut(cut) {
      current = cut
      const number = ++cuts
      timeline.after(rng.between(...noticedMs), () => {
        if (number === cuts && current) knownDown = true
      })
    },
    heal() {
      cuts++
      current = undefined
      knownDown = false
      const late = held
      held = []
      for (const { direction, arrive } of late) send(direction, arrive)
    },
    isCut: (direction) => current !== undefined && (!direction || current.directions.includes(direction)),
    isKnownDown: () => knownDown,
    slow(times) {
      factor = times
    },
    delaySome(share) {
      straggling = share
    },
    repeats: () => straggling > 0 && rng.chance(straggling),
    wayMs,
  }
}
