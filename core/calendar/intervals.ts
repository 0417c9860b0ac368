/** Intervals of time: from a start up to, and without, an end, in milliseconds since 1970. */

export interface Interval {
  readonly start: number
  readonly end: number
}

/** The same time in as few intervals as possible, ascending. */
export function mergeIntervals(intervals: readonly Interval[]): Interval[] {
  const merged: { start: number; end: number }[] = []
  for (const { start, end } of intervals.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1)
    if (last && start <= last.end) last.end = Math.max(last.end, end)
    else merged.push({ start, end })
  }
  return merged
}

/** The parts of intervals that lie in a window. */
export function clipIntervals(intervals: readonly Interval[], from: number, to: number): Interval[] {
  return intervals.flatMap(({ start, end }) => {
    const clipped = { start: Math.max(start, from), end: Math.min(end, to) }
    return clipped.start < clipped.end ? [clipped] : []
  })
}
