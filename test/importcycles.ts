/** Cycles of a graph of imports: files that reach each other, directly or through others. */

export interface Edge {
  readonly from: string
  readonly to: string
}

/** Each circle as the sorted names of its files: the strongly connected components of more than one (Tarjan). */
export function cyclesOf(edges: readonly Edge[]): string[][] {
  const targets = new Map<string, Set<string>>()
  for (const { from, to } of edges) {
    if (!targets.has(from)) targets.set(from, new Set())
    targets.get(from)!.add(to)
  }
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open = new Set<string>()
  const circles: string[][] = []

  function visit(name: string): void {
    order.set(name, order.size)
    lowest.set(name, order.get(name)!)
    open.add(name)
    for (const next of targets.get(name) ?? []) {
      if (!order.has(next)) visit(next)
      if (open.has(next)) lowest.set(name, Math.min(lowest.get(name)!, lowest.get(next)!))
    }
    if (lowest.get(name) !== order.get(name)) return
    const all = [...open]
    const circle = all.slice(all.indexOf(name))
    for (const each of circle) open.delete(each)
    if (circle.length > 1) circles.push(circle.sort())
  }

  for (const name of targets.keys()) if (!order.has(name)) visit(name)
  return circles.sort(([one = ''], [other = '']) => (one < other ? -1 : 1))
}
