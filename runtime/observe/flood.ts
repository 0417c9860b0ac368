/**
 * Keeps a trouble that comes with every request from filling the log and the disk: of one event so many lines are written
 * within a second, and then how many more there were.
 */
import { log as limits } from '../../core/limits.js'

export interface Flood {
  /** Whether one more line of the event may be written now; one that may not is counted. */
  admits(event: string): boolean
  /** Tells now of what was counted, and begins anew. */
  end(): void
}

/** `left` is told of each event of which lines were left out, within a second. */
export function holdBack(left: (event: string, lines: number) => void): Flood {
  const lines = new Map<string, number>()
  let ending: NodeJS.Timeout | undefined

  function end(): void {
    clearTimeout(ending)
    ending = undefined
    const counted = [...lines]
    lines.clear()
    for (const [event, count] of counted) {
      if (count > limits.linesAtOnce) left(event, count - limits.linesAtOnce)
    }
  }

  return {
    admits(event) {
      const count = (lines.get(event) ?? 0) + 1
      lines.set(event, count)
      ending ??= setTimeout(end, limits.atOnceMs).unref()
      return count <= limits.linesAtOnce
    },
    end,
  }
}
