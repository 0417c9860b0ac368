/**
 * Throttles log lines by event: writes a number of lines of one event within a second, then the count of the others, so
 * that a failure of every request does not fill the disk.
 */
import { log as limits } from '../../core/limits/index.js'

export interface LogThrottle {
  /** Whether one more line of the event may be written now; one that may not is counted. */
  allows(event: string): boolean
  /** Reports the counts now, and starts a new second. */
  flush(): void
}

/** Calls `onSuppressed` within a second for each event with suppressed lines. */
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
