/**
 * Runs a machine over a text, in all its states at once: each character is looked at once and costs at most as many steps
 * as there are states, so that no text and no expression can make it slow. Which states follow on which is remembered for
 * the length of the text, so that mostly a character costs one step. It goes on only as long as somebody asks it to.
 */
import { agentLimits } from '../../limits/index.js'
import { isWordChar } from './characters.js'
import type { Machine } from './machine.js'

const limits = agentLimits.patternSearch

/** Gives the steps it took since it was last asked, and whether the expression is anywhere in the text once it knows. */
export type Search = Generator<number, boolean, void>

/** The states that a character led to, and what it is to the one that follows. */
interface Node {
  readonly stateIds: readonly number[]
  readonly before: string | undefined
  readonly next: Map<string, Node | 'match'>
}

export function* searchIn(machine: Machine, text: string, multiline: boolean): Search {
  const simulation = createSimulation(machine, multiline)
  let node = simulation.first
  for (let at = 0, reportedSteps = 0; ; ) {
    const char = charAt(text, at)
    const next = node.next.get(char) ?? simulation.advance(node, char)
    simulation.steps++
    if (next === 'match') return true
    if (char === '') return false
    node = next
    at += char.length
    if (simulation.steps - reportedSteps < limits.stepsPerAsk) continue
    yield simulation.steps - reportedSteps
    reportedSteps = simulation.steps
  }
}

/** Whether the expression is found anywhere in the text. */
export function matchesIn(machine: Machine, text: string, multiline: boolean): boolean {
  return runToEnd(searchIn(machine, text, multiline))
}

export function runToEnd(search: Search): boolean {
  for (;;) {
    const { done, value } = search.next()
    if (done) return value
  }
}

function createSimulation({ states, start }: Machine, multiline: boolean) {
  /** When each state was last looked at, and last led to. */
  const seen = new Uint32Array(states.length)
  const reachedInRound = new Uint32Array(states.length)
  const nodeCache = new Map<string, Node>()
  let round = 0
  const first: Node = { stateIds: [], before: undefined, next: new Map() }

  /** Where a node leads with a character; the empty one is the end of the text. */
  function advance(node: Node, char: string): Node | 'match' {
    round++
    const pending = [...node.stateIds, start]
    const stateIds: number[] = []
    while (pending.length > 0) {
      const stateId = pending.pop()!
      if (seen[stateId] === round) continue
      seen[stateId] = round
      simulation.steps++
      const state = states[stateId]!
      if (state.kind === 'match') return cacheNext(node, char, 'match')
      if (state.kind === 'split') pending.push(...state.branches)
      else if (state.kind === 'assert') {
        if (assertionHolds(state.at, node.before, char, multiline)) pending.push(state.next)
      } else if (char !== '' && reachedInRound[state.next] !== round && state.test(char)) {
        reachedInRound[state.next] = round
        stateIds.push(state.next)
      }
    }
    return cacheNext(node, char, nodeOf(stateIds, char))
  }

  /** A text that leads to ever other states is not helped by remembering them. */
  function nodeOf(stateIds: number[], before: string): Node {
    const isFull = nodeCache.size >= limits.nodesKept
    const key = isFull ? '' : `${charClassOf(before)}${stateIds.sort((one, other) => one - other)}`
    const node = nodeCache.get(key) ?? { stateIds, before, next: new Map() }
    if (!isFull) nodeCache.set(key, node)
    return node
  }

  function cacheNext(node: Node, char: string, next: Node | 'match') {
    if (nodeCache.size < limits.nodesKept) node.next.set(char, next)
    return next
  }

  const simulation = { first, advance, steps: 0 }
  return simulation
}

/** All that an assertion tells of the character before it. */
function charClassOf(char: string): string {
  return char === '\n' ? 'n' : isWordChar(char) ? 'w' : 'o'
}

function assertionHolds(
  assertion: 'start' | 'end' | 'word' | 'notWord',
  before: string | undefined,
  char: string,
  multiline: boolean,
): boolean {
  if (assertion === 'start') return before === undefined || (multiline && before === '\n')
  if (assertion === 'end') return char === '' || (multiline && char === '\n')
  return (isWordChar(before) !== isWordChar(char)) === (assertion === 'word')
}

/** As walking over the text would give it, without what that makes on the way; empty at its end. */
export function charAt(text: string, at: number): string {
  const point = text.codePointAt(at)
  if (point === undefined) return ''
  return point > 0xffff ? String.fromCodePoint(point) : text[at]!
}
