/** Compiles a tree to the states of a nondeterministic machine. */
import { agentLimits } from '../../limits/index.js'
import type { CharTest } from './characters.js'
import type { Tree } from './tree.js'

export type State =
  | { readonly kind: 'char'; readonly test: CharTest; next: number }
  | { readonly kind: 'assert'; readonly at: 'start' | 'end' | 'word' | 'notWord'; next: number }
  | { readonly kind: 'split'; branches: number[] }
  | { readonly kind: 'match' }

export interface Machine {
  readonly states: readonly State[]
  readonly start: number
}

/** Undefined when it would have too many states. */
export function machineOf(tree: Tree): Machine | undefined {
  if (statesOf(tree) > agentLimits.patternStates) return undefined
  const states: State[] = [{ kind: 'match' }]
  const start = addStates(states, tree, 0)
  return { states, start }
}

/** The number of states of a tree, computed in time linear in the tree. */
export function statesOf(tree: Tree): number {
  if (tree.kind === 'char' || tree.kind === 'assert') return 1
  if (tree.kind === 'sequence') return tree.parts.reduce((sum, part) => sum + statesOf(part), 0)
  if (tree.kind === 'alternation') return tree.parts.reduce((sum, part) => sum + statesOf(part), 1)
  const copies = tree.max === Number.POSITIVE_INFINITY ? Math.max(tree.min, 1) : tree.max
  return copies * (statesOf(tree.part) + 1)
}

/** Adds the states of a tree that lead on to `next`; returns the start state. */
function addStates(states: State[], tree: Tree, next: number): number {
  if (tree.kind === 'char') return states.push({ kind: 'char', test: tree.test, next }) - 1
  if (tree.kind === 'assert') return states.push({ kind: 'assert', at: tree.at, next }) - 1
  if (tree.kind === 'sequence')
    return tree.parts.reduceRight((following, part) => addStates(states, part, following), next)
  if (tree.kind === 'alternation') {
    const branches = tree.parts.map((part) => addStates(states, part, next))
    return states.push({ kind: 'split', branches }) - 1
  }
  return addRepeat(states, tree, next)
}

function addRepeat(states: State[], { part, min, max }: Extract<Tree, { kind: 'repeat' }>, next: number): number {
  let begin = next
  let copies = 0
  if (max === Number.POSITIVE_INFINITY) {
    const loop: State = { kind: 'split', branches: [next] }
    const stateId = states.push(loop) - 1
    const copyStart = addStates(states, part, stateId)
    loop.branches.push(copyStart)
    begin = min === 0 ? stateId : copyStart
    copies = Math.min(min, 1)
  } else {
    for (let nth = min; nth < max; nth++) {
      const copyStart = addStates(states, part, begin)
      begin = states.push({ kind: 'split', branches: [copyStart, next] }) - 1
    }
  }
  for (; copies < min; copies++) begin = addStates(states, part, begin)
  return begin
}
