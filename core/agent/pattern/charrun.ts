/**
 * Fast path for the most common expressions: from start to end some characters, then optionally one repeated kind of
 * them. One scan of the text decides a match, without a state machine.
 */
import type { CharTest } from './characters.js'
import { charAt } from './search.js'
import type { Tree } from './tree.js'

/** Undefined for any other expression. */
export function compileCharRun(tree: Tree): ((text: string) => boolean) | undefined {
  const parts = tree.kind === 'sequence' ? tree.parts : []
  const inner = parts.slice(1, -1)
  if (inner.length === 0 || !isAssert(parts[0], 'start') || !isAssert(parts.at(-1), 'end')) return undefined
  const last = inner.at(-1)!
  const repeated = last.kind === 'repeat' && last.part.kind === 'char' ? last : undefined
  const first: CharTest[] = []
  for (const part of repeated ? inner.slice(0, -1) : inner) {
    if (part.kind !== 'char') return undefined
    first.push(part.test)
  }
  const rest = repeated && (repeated.part as Extract<Tree, { kind: 'char' }>).test
  const min = first.length + (repeated?.min ?? 0)
  const max = first.length + (repeated?.max ?? 0)
  return (text) => {
    let length = 0
    for (let at = 0; at < text.length; length++) {
      const char = charAt(text, at)
      if (length >= max || !(first[length] ?? rest)!(char)) return false
      at += char.length
    }
    return length >= min
  }
}

function isAssert(part: Tree | undefined, at: 'start' | 'end'): boolean {
  return part?.kind === 'assert' && part.at === at
}
