/** Counts the turns of the event loop, to check that long work yields. */

export interface TurnCount {
  /** The count so far; it stops after `end`. */
  readonly turns: number
  end(): number
}

export function countTurns(): TurnCount {
  let turns = 0
  let isOver = false
  const turn = () => {
    turns++
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  return {
    get turns() {
      return turns
    },
    end() {
      isOver = true
      return turns
    },
  }
}
