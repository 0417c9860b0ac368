/**
 * Expressions that operators write: a plain phrase, or `/expression/flags`. They never reach the engine of the language,
 * which backtracks: they are read into a machine of our own, and what it cannot run in linear time is refused.
 */
import { findsIn, machineOf } from './machine.js'
import { runOf } from './run.js'
import { readTree } from './tree.js'

export interface Pattern {
  /** Takes time linear in the text. */
  matches(text: string): boolean
}

export type PatternRead = Pattern | { readonly problem: string }

export function isPattern(read: PatternRead): read is Pattern {
  return 'matches' in read
}

/** `/expression/flags` is an expression, everything else a phrase: found anywhere, in capitals or not. */
export function readPattern(written: string): PatternRead {
  const expression = asExpression(written)
  if (expression) return readExpression(expression.source, expression.flags)
  const phrase = written.toLowerCase()
  if (phrase.trim() === '') return { problem: 'is empty and would be found in every text' }
  return { matches: (text) => text.toLowerCase().includes(phrase) }
}

/** The two halves of `/expression/flags`; undefined for anything else. */
export function asExpression(written: string): { readonly source: string; readonly flags: string } | undefined {
  const found = /^\/(.+)\/([A-Za-z]*)$/s.exec(written)
  return found ? { source: found[1]!, flags: found[2]! } : undefined
}

export function readExpression(source: string, flags = ''): PatternRead {
  if (!/^[dgimsuvy]*$/.test(flags)) return { problem: `has flags that are not known: ${flags}` }
  const tree = readTree(source, { ignoreCase: flags.includes('i'), dotAll: flags.includes('s') })
  if ('problem' in tree) return tree
  const machine = machineOf(tree)
  if (!machine) return { problem: 'repeats too much: written out it is too large' }
  const multiline = flags.includes('m')
  const run = multiline ? undefined : runOf(tree)
  return { matches: run ?? ((text) => findsIn(machine, text, multiline)) }
}
