/**
 * Runs a machine over a text, in all its states at once: each character is read once and costs at most as many steps as
 * there are states, so that no text and no expression can make it slow. Transitions are cached for the length of the
 * text, so that most characters cost one step. The search is a generator and stops when its caller stops.
 */
import { agentLimits } from '../../limits/index.js'
import { isWordChar } from './characters.js'
import type { Machine } from './machine.js'

const limits = agentLimits.patternSearch

/** Yields the steps since its last yield; returns whether the expression matches anywhere in the text. */
export type Search = Generator<number, boolean, void>

/** The states that a character leads to, and that character for the assertions after it. */
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

/** Whether the expression matches anywhere in the text. */
export function matchesIn(machine: Machine, text: string, multiline: boolean): boolean {
  return runSearch(searchIn(machine, text, multiline))
}

export function runSearch(search: Search): boolean {
  for (;;) {
    const { done, value } = search.next()
    if (done) return value
  }
}

function createSimulation({ states, start }: Machine, multiline: boolean) {
  /** The round in which each state was last visited, and last reached. */
  const seen = new Uint32Array(states.length)
  const reachedInRound = new Uint32Array(states.length)
  const nodeCache = new Map<string, Node>()
  let round = 0
  const first: Node = { stateIds: [], before: undefined, next: new Map() }

  /** The node after a character; the empty one is the end of the text. */
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

  /** Stops caching when the cache is full: a text that leads to ever new states gains nothing from it. */
  function nodeOf(stateIds: number[], before: string): Node {
    const isFull = nodeCache.size >= limits.cachedStateSets
    const key = isFull ? '' : `${charClassOf(before)}${stateIds.sort((one, other) => one - other)}`
    const node = nodeCache.get(key) ?? { stateIds, before, next: new Map() }
    if (!isFull) nodeCache.set(key, node)
    return node
  }

  function cacheNext(node: Node, char: string, next: Node | 'match') {
    if (nodeCache.size < limits.cachedStateSets) node.next.set(char, next)
    return next
  }

  const simulation = { first, advance, steps: 0 }
  return simulation
}

/** What assertions depend on in the character before them. */
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

/** The code point at an offset, as iteration over the text yields it, without an iterator; empty at the end. */
export function charAt(text: string, at: number): string {
  const point = text.codePointAt(at)
  if (point === undefined) return ''
  return point > 0xffff ? String.fromCodePoint(point) : text[at]!
}
