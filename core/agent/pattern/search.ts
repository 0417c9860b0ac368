/**
 * Runs a machine over a text, in all its states at once: each character is looked at once and costs at most as many steps
 * as there are states, so that no text and no expression can make it slow. Which states follow on which is remembered for
 * the length of the text, so that mostly a character costs one step. It goes on only as long as somebody asks it to.
 */
import { agentLimits } from '../../limits.js'
import { isWordChar } from './characters.js'
import type { Machine } from './machine.js'

const limits = agentLimits.patternSearch

/** Gives the steps it took since it was last asked, and whether the expression is anywhere in the text once it knows. */
export type Search = Generator<number, boolean, void>

/** The states that a character led to, and what it is to the one that follows. */
interface Node {
  readonly places: readonly number[]
  readonly before: string | undefined
  readonly next: Map<string, Node | 'found'>
}

export function* searchIn(machine: Machine, text: string, multiline: boolean): Search {
  const walk = newWalk(machine, multiline)
  let node = walk.first
  for (let at = 0, told = 0; ; ) {
    const char = charAt(text, at)
    const next = node.next.get(char) ?? walk.follow(node, char)
    walk.steps++
    if (next === 'found') return true
    if (char === '') return false
    node = next
    at += char.length
    if (walk.steps - told < limits.stepsPerAsk) continue
    yield walk.steps - told
    told = walk.steps
  }
}

/** Whether the expression is found anywhere in the text. */
export function findsIn(machine: Machine, text: string, multiline: boolean): boolean {
  return ended(searchIn(machine, text, multiline))
}

export function ended(search: Search): boolean {
  for (;;) {
    const { done, value } = search.next()
    if (done) return value
  }
}

function newWalk({ states, start }: Machine, multiline: boolean) {
  /** When each state was last looked at, and last led to. */
  const seen = new Uint32Array(states.length)
  const led = new Uint32Array(states.length)
  const known = new Map<string, Node>()
  let round = 0
  const first: Node = { places: [], before: undefined, next: new Map() }

  /** Where a node leads with a character; the empty one is the end of the text. */
  function follow(node: Node, char: string): Node | 'found' {
    round++
    const open = [...node.places, start]
    const places: number[] = []
    while (open.length > 0) {
      const place = open.pop()!
      if (seen[place] === round) continue
      seen[place] = round
      walk.steps++
      const state = states[place]!
      if (state.kind === 'match') return remember(node, char, 'found')
      if (state.kind === 'split') open.push(...state.ways)
      else if (state.kind === 'assert') {
        if (holds(state.at, node.before, char, multiline)) open.push(state.next)
      } else if (char !== '' && led[state.next] !== round && state.test(char)) {
        led[state.next] = round
        places.push(state.next)
      }
    }
    return remember(node, char, nodeOf(places, char))
  }

  /** A text that leads to ever other states is not helped by remembering them. */
  function nodeOf(places: number[], before: string): Node {
    const isFull = known.size >= limits.nodesKept
    const key = isFull ? '' : `${kindOf(before)}${places.sort((one, other) => one - other)}`
    const made = known.get(key) ?? { places, before, next: new Map() }
    if (!isFull) known.set(key, made)
    return made
  }

  function remember(node: Node, char: string, next: Node | 'found') {
    if (known.size < limits.nodesKept) node.next.set(char, next)
    return next
  }

  const walk = { first, follow, steps: 0 }
  return walk
}

/** All that an assertion tells of the character before it. */
function kindOf(char: string): string {
  return char === '\n' ? 'n' : isWordChar(char) ? 'w' : 'o'
}

function holds(
  what: 'start' | 'end' | 'word' | 'notWord',
  before: string | undefined,
  char: string,
  multiline: boolean,
): boolean {
  if (what === 'start') return before === undefined || (multiline && before === '\n')
  if (what === 'end') return char === '' || (multiline && char === '\n')
  return (isWordChar(before) !== isWordChar(char)) === (what === 'word')
}

/** As walking over the text would give it, without what that makes on the way; empty at its end. */
export function charAt(text: string, at: number): string {
  const point = text.codePointAt(at)
  if (point === undefined) return ''
  return point > 0xffff ? String.fromCodePoint(point) : text[at]!
}
