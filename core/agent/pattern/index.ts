/**
 * Operators' patterns: a plain phrase, or `/expression/flags`. They never reach the JavaScript regex engine, which
 * backtracks: expressions are compiled to a state machine of our own, and those that it cannot run in linear time are
 * refused. A search can be interrupted and counts its steps, which no library offers (decision 080).
 */
import { agentLimits } from '../../limits/index.js'
import { compileCharRun } from './charrun.js'
import { type Machine, machineOf, statesOf } from './machine.js'
import { runSearch, type Search, searchIn } from './search.js'
import { readTree } from './tree.js'

export interface Pattern {
  /** Linear in the text. */
  matches(text: string): boolean
  /** The same as a generator, for work of unknown total length over many texts and patterns. */
  search(text: SearchedText): Search
  /** The most steps that one character of a text costs. */
  readonly states: number
}

/** A text that is searched for many patterns. */
export interface SearchedText {
  readonly text: string
  readonly lowerCase: string
}

export function searchedText(text: string): SearchedText {
  let lowerCase: string | undefined
  return {
    text,
    get lowerCase() {
      lowerCase ??= text.toLowerCase()
      return lowerCase
    },
  }
}

export type PatternResult = Pattern | { readonly problem: string }

export function isPattern(read: PatternResult): read is Pattern {
  return 'matches' in read
}

/** `/expression/flags` is an expression; anything else is a phrase, found anywhere and without regard to case. */
export function readPattern(source: string): PatternResult {
  const expression = asExpression(source)
  if (expression) return readExpression(expression.source, expression.flags)
  const phrase = source.toLowerCase()
  if (phrase.trim() === '') return { problem: 'is empty and would be found in every text' }
  function* search({ lowerCase }: SearchedText): Search {
    // `includes` is faster than a machine step by this factor.
    yield Math.ceil(lowerCase.length / agentLimits.patternSearch.phraseCharsPerStep)
    return lowerCase.includes(phrase)
  }
  return { matches: (text) => text.toLowerCase().includes(phrase), search, states: 1 }
}

/** Source and flags of `/expression/flags`; undefined for anything else. */
export function asExpression(source: string): { readonly source: string; readonly flags: string } | undefined {
  const match = /^\/(.+)\/([A-Za-z]*)$/s.exec(source)
  return match ? { source: match[1]!, flags: match[2]! } : undefined
}

/** The supported subset of expressions, as the API describes it. */
export const expressionSubset =
  'A phrase, found anywhere whatever its case, or /expression/flags. Expressions run in linear time: classes, groups, alternatives, quantifiers and anchors are taken; look-around, back references and the flag y are refused.'

export function readExpression(source: string, flags = ''): PatternResult {
  if (flags.includes('y')) return { problem: 'has the flag y: an expression is found anywhere in the text' }
  if (!/^[dgimsuv]*$/.test(flags)) return { problem: `has flags that are not known: ${flags}` }
  const tree = readTree(source, { ignoreCase: flags.includes('i'), dotAll: flags.includes('s') })
  if ('problem' in tree) return tree
  const states = statesOf(tree)
  if (states > agentLimits.patternStates) return { problem: 'repeats too much: written out it is too large' }
  const multiline = flags.includes('m')
  const matches = multiline ? undefined : compileCharRun(tree)
  if (matches) return patternOfMatcher(matches)
  // Built at the first search: many patterns are only validated and never run.
  let machine: Machine | undefined
  const search = ({ text }: SearchedText) => {
    machine ??= machineOf(tree)!
    return searchIn(machine, text, multiline)
  }
  return { matches: (text) => runSearch(search(searchedText(text))), search, states }
}

/** A pattern that one scan of the text decides. */
function patternOfMatcher(matches: (text: string) => boolean): Pattern {
  function* search({ text }: SearchedText): Search {
    yield text.length
    return matches(text)
  }
  return { matches, search, states: 1 }
}
