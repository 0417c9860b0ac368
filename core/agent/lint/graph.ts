/** Graph checks of a flow: unreachable steps, loops without an exit, loops in which nothing can change. */
import { type AnyStep, indexesById, nextIndexes } from '../flows/steps.js'

export interface FlowGraph {
  readonly unreachable: readonly number[]
  /** Steps from which no end can be reached, one for each loop. */
  readonly endless: readonly number[]
  /** Steps that lead back to themselves without a question or an action on the way. */
  readonly idle: readonly number[]
}

export function analyzeFlow(steps: readonly AnyStep[]): FlowGraph {
  const indexById = indexesById(steps)
  const next = steps.map((_, index) => nextIndexes(steps, index, indexById))
  const reached = reachFrom([0], next, steps.length)
  const predecessors: number[][] = steps.map(() => [])
  const ends: number[] = []
  next.forEach((targets, index) => {
    if (targets.length === 0 || targets.includes(steps.length)) ends.push(index)
    for (const target of targets) predecessors[target]?.push(index)
  })
  const canEnd = reachFrom(ends, predecessors, steps.length)
  const stuck = steps.map((_, index) => index).filter((index) => reached.has(index) && !canEnd.has(index))
  return {
    unreachable: steps.map((_, index) => index).filter((index) => !reached.has(index)),
    endless: firstOfEach(stuck, next, steps.length),
    idle: idleLoops(steps, next, reached),
  }
}

function reachFrom(starts: readonly number[], next: readonly (readonly number[])[], length: number): Set<number> {
  const reached = new Set<number>()
  const pending = starts.filter((index) => index < length)
  while (pending.length > 0) {
    const index = pending.pop()!
    if (reached.has(index)) continue
    reached.add(index)
    for (const target of next[index] ?? []) if (target < length) pending.push(target)
  }
  return reached
}

/** Of steps that reach each other, only the first is reported. */
function firstOfEach(indexes: readonly number[], next: readonly (readonly number[])[], length: number): number[] {
  const covered = new Set<number>()
  return indexes.filter((index) => {
    if (covered.has(index)) return false
    for (const each of reachFrom([index], next, length)) covered.add(each)
    return true
  })
}

/** A branch decides by collected values and actions: a cycle of steps without either always decides the same. */
function idleLoops(
  steps: readonly AnyStep[],
  next: readonly (readonly number[])[],
  reached: ReadonlySet<number>,
): number[] {
  const isIdle = ({ collect, action, call }: AnyStep) =>
    collect === undefined && action === undefined && call === undefined
  const idle = next.map((targets, index) =>
    isIdle(steps[index]!) ? targets.filter((target) => target < steps.length) : [],
  )
  const state = new Map<number, 'open' | 'done'>()
  const loopStarts: number[] = []
  for (const start of reached) {
    if (state.has(start)) continue
    const stack: { index: number; targets: number[] }[] = [{ index: start, targets: [...idle[start]!] }]
    state.set(start, 'open')
    while (stack.length > 0) {
      const top = stack.at(-1)!
      const target = top.targets.pop()
      if (target === undefined) {
        state.set(top.index, 'done')
        stack.pop()
      } else if (state.get(target) === 'open') loopStarts.push(target)
      else if (!state.has(target)) {
        state.set(target, 'open')
        stack.push({ index: target, targets: [...idle[target]!] })
      }
    }
  }
  return [...new Set(loopStarts)].sort((one, other) => one - other)
}

/** Cycles among named things; each node and each edge is visited once. */
export function findCycles(next: ReadonlyMap<string, readonly string[]>): string[][] {
  const state = new Map<string, 'open' | 'done'>()
  const cycles: string[][] = []
  for (const start of next.keys()) {
    if (state.has(start)) continue
    const stack: { name: string; targets: string[] }[] = [{ name: start, targets: [...next.get(start)!] }]
    state.set(start, 'open')
    while (stack.length > 0) {
      const top = stack.at(-1)!
      const target = top.targets.pop()
      if (target === undefined) {
        state.set(top.name, 'done')
        stack.pop()
      } else if (state.get(target) === 'open') {
        cycles.push(stack.slice(stack.findIndex(({ name }) => name === target)).map(({ name }) => name))
      } else if (!state.has(target) && next.has(target)) {
        state.set(target, 'open')
        stack.push({ name: target, targets: [...next.get(target)!] })
      }
    }
  }
  return cycles
}
