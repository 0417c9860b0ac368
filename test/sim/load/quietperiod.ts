/** Whether a fault or a change is going on: some promises hold only in quiet. */

export interface QuietPeriod {
  /** Reports one change that is complete. */
  disturb(): void
  /** Begins a disturbance that lasts until the returned function is called. */
  disturbed(): () => void
  /** The number of the quiet period; undefined during a disturbance and for a while after a change. */
  since(): number | undefined
}

/** A change has taken full effect after this long. */
const recoveryMs = 2_000

export function createQuietPeriod(now: () => number): QuietPeriod {
  let disturbances = 0
  let lastStir = Number.NEGATIVE_INFINITY
  let troubles = 0

  function disturb(): void {
    disturbances++
    lastStir = now()
  }

  return {
    disturb,
    disturbed() {
      disturb()
      troubles++
      return () => {
        disturb()
        troubles--
      }
    },
    since: () => (troubles === 0 && now() - lastStir > recoveryMs ? disturbances : undefined),
  }
}
