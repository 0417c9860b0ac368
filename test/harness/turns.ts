/** Counts the turns of the event loop, to see that long work lets others have theirs. */

export interface TurnCount {
  /** So far; none are counted after `end`. */
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
