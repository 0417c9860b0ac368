/** Intervals of absolute time, in milliseconds since 1970: joined, clipped, subtracted and searched. */

/** From its start to right before its end. */
export interface Interval {
  readonly from: number
  readonly to: number
}

/** In order of time and apart from each other: intervals that overlap or touch become one, and empty ones vanish. */
export function mergeIntervals(intervals: readonly Interval[]): Interval[] {
  const merged: { from: number; to: number }[] = []
  for (const { from, to } of intervals.toSorted((one, other) => one.from - other.from)) {
    const last = merged.at(-1)
    if (from >= to) continue
    if (last && from <= last.to) last.to = Math.max(last.to, to)
    else merged.push({ from, to })
  }
  return merged
}

/** The parts of intervals that lie in a window. */
export function clipIntervals(intervals: readonly Interval[], from: number, to: number): Interval[] {
  return intervals.flatMap((each) => {
    const clipped = { from: Math.max(each.from, from), to: Math.min(each.to, to) }
    return clipped.from < clipped.to ? [clipped] : []
  })
}

/** What remains of merged intervals without other merged intervals. */
export function subtractIntervals(intervals: readonly Interval[], removed: readonly Interval[]): Interval[] {
  const remaining: Interval[] = []
  let next = 0
  for (const { from, to } of intervals) {
    let start = from
    while (next < removed.length && removed[next]!.to <= start) next++
    for (let at = next; at < removed.length && removed[at]!.from < to; at++) {
      if (removed[at]!.from > start) remaining.push({ from: start, to: removed[at]!.from })
      start = Math.max(start, removed[at]!.to)
    }
    if (start < to) remaining.push({ from: start, to })
  }
  return remaining
}

/** Does one of the merged intervals contain all of this one? */
export function isWithin(intervals: readonly Interval[], { from, to }: Interval): boolean {
  const last = intervals[countStartedBy(intervals, from) - 1]
  return last !== undefined && to <= last.to
}

/** How many of the intervals, which are in order of time, start at that moment or earlier. */
function countStartedBy(intervals: readonly Interval[], at: number): number {
  let [low, high] = [0, intervals.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (intervals[middle]!.from <= at) low = middle + 1
    else high = middle
  }
  return low
}
