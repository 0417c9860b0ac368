/**
 * Runs a tree as a machine of states, all of which it is in at once: each character of a text is looked at once and
 * costs at most as many steps as there are states, so that no text and no expression can make it slow.
 */
import { agentLimits } from '../../limits.js'
import { type CharTest, isWordChar } from './characters.js'
import type { Tree } from './tree.js'

type State =
  | { readonly kind: 'char'; readonly test: CharTest; next: number }
  | { readonly kind: 'assert'; readonly at: 'start' | 'end' | 'word' | 'notWord'; next: number }
  | { readonly kind: 'split'; ways: number[] }
  | { readonly kind: 'match' }

export interface Machine {
  readonly states: readonly State[]
  readonly start: number
}

/** Undefined when it would have too many states. */
export function machineOf(tree: Tree): Machine | undefined {
  if (sizeOf(tree) > agentLimits.patternStates) return undefined
  const states: State[] = [{ kind: 'match' }]
  const start = lay(states, tree, 0)
  return { states, start }
}

function sizeOf(tree: Tree): number {
  if (tree.kind === 'char' || tree.kind === 'assert') return 1
  if (tree.kind === 'row') return tree.parts.reduce((sum, part) => sum + sizeOf(part), 0)
  if (tree.kind === 'either') return tree.parts.reduce((sum, part) => sum + sizeOf(part), 1)
  const copies = tree.most === Number.POSITIVE_INFINITY ? Math.max(tree.least, 1) : tree.most
  return copies * (sizeOf(tree.part) + 1)
}

/** Lays the states of a tree before those that begin at `next`, and gives back where it begins. */
function lay(states: State[], tree: Tree, next: number): number {
  if (tree.kind === 'char') return states.push({ kind: 'char', test: tree.test, next }) - 1
  if (tree.kind === 'assert') return states.push({ kind: 'assert', at: tree.at, next }) - 1
  if (tree.kind === 'row') return tree.parts.reduceRight((behind, part) => lay(states, part, behind), next)
  if (tree.kind === 'either') {
    const ways = tree.parts.map((part) => lay(states, part, next))
    return states.push({ kind: 'split', ways }) - 1
  }
  return layRepeat(states, tree, next)
}

function layRepeat(states: State[], { part, least, most }: Extract<Tree, { kind: 'repeat' }>, next: number): number {
  let begin = next
  let laid = 0
  if (most === Number.POSITIVE_INFINITY) {
    const loop: State = { kind: 'split', ways: [next] }
    const place = states.push(loop) - 1
    const inside = lay(states, part, place)
    loop.ways.push(inside)
    begin = least === 0 ? place : inside
    laid = Math.min(least, 1)
  } else {
    for (let nth = least; nth < most; nth++) {
      const inside = lay(states, part, begin)
      begin = states.push({ kind: 'split', ways: [inside, next] }) - 1
    }
  }
  for (; laid < least; laid++) begin = lay(states, part, begin)
  return begin
}

/** Whether the expression is found anywhere in the text. */
export function findsIn({ states, start }: Machine, text: string, multiline: boolean): boolean {
  const chars = [...text]
  const seen = new Int32Array(states.length).fill(-1)
  let now: number[] = []
  for (let at = 0; at <= chars.length; at++) {
    const reached: number[] = []
    const open = [...now, start]
    while (open.length > 0) {
      const place = open.pop()!
      if (seen[place] === at) continue
      seen[place] = at
      const state = states[place]!
      if (state.kind === 'match') return true
      if (state.kind === 'split') open.push(...state.ways)
      else if (state.kind === 'char') reached.push(place)
      else if (holds(state.at, chars, at, multiline)) open.push(state.next)
    }
    const char = chars[at]
    now = []
    if (char === undefined) return false
    for (const place of reached) {
      const state = states[place]!
      if (state.kind === 'char' && state.test(char)) now.push(state.next)
    }
  }
  return false
}

function holds(
  what: 'start' | 'end' | 'word' | 'notWord',
  chars: readonly string[],
  at: number,
  multiline: boolean,
): boolean {
  if (what === 'start') return at === 0 || (multiline && chars[at - 1] === '\n')
  if (what === 'end') return at === chars.length || (multiline && chars[at] === '\n')
  return (isWordChar(chars[at - 1]) !== isWordChar(chars[at])) === (what === 'word')
}
