/** The known name closest to a mistyped one. */

/** Among equally distant names, the one with the longest common prefix wins. */
export function closestMatch(name: string, candidates: readonly string[]): string {
  const distance = (candidate: string) =>
    editsBetween(name, candidate) - sharedStart(name, candidate) / (name.length + 1)
  return candidates.reduce((best, candidate) => (distance(candidate) < distance(best) ? candidate : best))
}

function sharedStart(one: string, other: string): number {
  let chars = 0
  while (chars < one.length && one[chars] === other[chars]) chars++
  return chars
}

/** The number of insertions and deletions, one row of the table at a time. */
function editsBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const replaced = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 2)
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[to.length]!
}
