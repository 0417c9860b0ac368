/** Whether anything is amiss or moving just now: some promises hold only while nothing is. */

export interface QuietPeriod {
  /** Something moved and is where it belongs again. */
  disturb(): void
  /** Something is amiss until the returned function is called. */
  disturbed(): () => void
  /** A number while nothing is amiss and nothing has moved for a while, the same one for as long as that stays so. */
  since(): number | undefined
}

/** What has moved is in its place after this long. */
const settledMs = 2_000

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
    since: () => (troubles === 0 && now() - lastStir > settledMs ? disturbances : undefined),
  }
}
