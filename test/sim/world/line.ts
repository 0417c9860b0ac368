/** The line to the world outside: requests and their answers may be lost on it, each by itself. */
import type { Rng } from './rng.js'

export interface Line {
  /** Whether a request that is sent now arrives. */
  arrives(): boolean
  /** Whether the answer to a request comes back. */
  answers(): boolean
  setUp(up: boolean): void
  /** The share of requests, and of answers, that are lost. */
  trouble(share: number): void
}

export function openLine(rng: Rng): Line {
  let up = true
  let failing = 0
  return {
    arrives: () => up && !rng.chance(failing),
    answers: () => !rng.chance(failing),
    setUp(isUp) {
      up = isUp
    },
    trouble(share) {
      failing = share
    },
  }
}
