/**
 * One node's connection to the servers of the bus: two directions, each normally in order, each of which can be cut.
 * Messages into a cut are dropped or held until it heals, and a message may fall behind later ones.
 */
import type { Rng } from './rng.js'
import type { Timeline } from './timeline.js'

export type Direction = 'toBus' | 'toNode'

export interface Cut {
  readonly directions: readonly Direction[]
  /** Whether the messages of a cut arrive after it. */
  readonly keeps: boolean
}

export interface Link {
  /** Carries `arrive` to the other side; false when it never arrives. */
  transmit(direction: Direction, arrive: () => void): boolean
  cut(cut: Cut): void
  heal(): void
  isCut(direction?: Direction): boolean
  /** Whether both ends have noticed that the connection is broken. */
  isKnownDown(): boolean
  /** Factor on all durations; 1 is normal. */
  slow(factor: number): void
  /** The share of messages that fall behind. */
  delaySome(share: number): void
  /** Whether a request sent now is sent a second time, late; its effect depends on the servers. */
  repeats(): boolean
  /** The time for one direction, without faults. */
  wayMs(): number
}

const usualMs = [0.2, 4] as const
const stragglesMs = [500, 14_000] as const
/** How long a cut goes unnoticed. */
const noticedMs = [300, 4_000] as const

export function openLink(timeline: Timeline, rng: Rng): Link {
  const lastArrival: Record<Direction, number> = { toBus: 0, toNode: 0 }
  let current: Cut | undefined
  let delayed: { direction: Direction; arrive: () => void }[] = []
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
      delayed.push({ direction, arrive })
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
      const late = delayed
      delayed = []
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
