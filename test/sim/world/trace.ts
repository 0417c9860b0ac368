/** The trace of a run: its last lines for the reader of a failure, and a hash over all of them. */

export interface Trace {
  note(line: string): void
  last(): readonly string[]
  /** Equal for two runs only if every line was equal. */
  hash(): string
  lines(): number
}

const maxLines = 60
const maxChars = 400

export function openTrace(now: () => number, print?: (line: string) => void): Trace {
  const lastLines: string[] = []
  let [high, low] = [0x811c9dc5, 0x9e3779b9]
  let count = 0
  return {
    note(text) {
      const line = `${now().toFixed(1).padStart(9)}  ${text.length > maxChars ? `${text.slice(0, maxChars)}…` : text}`
      count++
      for (let at = 0; at < line.length; at++) {
        const code = line.charCodeAt(at)
        high = Math.imul(high ^ code, 0x01000193)
        low = Math.imul(low ^ code ^ (high >>> 13), 0x5bd1e995)
      }
      lastLines.push(line)
      if (lastLines.length > maxLines) lastLines.shift()
      print?.(line)
    },
    last: () => lastLines,
    hash: () => [high, low].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join(''),
    lines: () => count,
  }
}
