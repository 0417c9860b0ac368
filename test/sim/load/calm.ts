/** Whether anything is amiss or moving just now: some promises hold only while nothing is. */

export interface Calm {
  /** Something moved and is where it belongs again. */
  stirred(): void
  /** Something is amiss until the returned function is called. */
  disturbed(): () => void
  /** A number while nothing is amiss and nothing has moved for a while, the same one for as long as that stays so. */
  since(): number | undefined
}

/** What has moved is in its place after this long. */
const settledMs = 2_000

export function openCalm(now: () => number): Calm {
  let stirs = 0
  let lastStir = Number.NEGATIVE_INFINITY
  let troubles = 0

  function stirred(): void {
    stirs++
    lastStir = now()
  }

  return {
    stirred,
    disturbed() {
      stirred()
      troubles++
      return () => {
        stirred()
        troubles--
      }
    },
    since: () => (troubles === 0 && now() - lastStir > settledMs ? stirs : undefined),
  }
}
