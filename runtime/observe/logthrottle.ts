/**
 * Keeps a trouble that comes with every request from filling the log and the disk: of one event so many lines are written
 * within a second, and then how many more there were.
 */
import { log as limits } from '../../core/limits/index.js'

export interface LogThrottle {
  /** Whether one more line of the event may be written now; one that may not is counted. */
  allows(event: string): boolean
  /** Tells now of what was counted, and begins anew. */
  flush(): void
}

/** `onSuppressed` is told of each event of which lines were left out, within a second. */
export function createLogThrottle(onSuppressed: (event: string, lines: number) => void): LogThrottle {
  const lines = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    const counts = [...lines]
    lines.clear()
    for (const [event, count] of counts) {
      if (count > limits.linesAtOnce) onSuppressed(event, count - limits.linesAtOnce)
    }
  }

  return {
    allows(event) {
      const count = (lines.get(event) ?? 0) + 1
      lines.set(event, count)
      timer ??= setTimeout(flush, limits.atOnceMs).unref()
      return count <= limits.linesAtOnce
    },
    flush,
  }
}
