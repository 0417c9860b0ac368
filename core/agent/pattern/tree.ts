/** Parses a regular expression of the subset that runs in linear time into a tree, or says what it may not contain. */
import { agentLimits } from '../../limits/index.js'
import { type CharTest, escapedClass, propertyClass } from './characters.js'

export type Tree =
  | { readonly kind: 'char'; readonly test: CharTest }
  | { readonly kind: 'assert'; readonly at: 'start' | 'end' | 'word' | 'notWord' }
  | { readonly kind: 'sequence'; readonly parts: readonly Tree[] }
  | { readonly kind: 'alternation'; readonly parts: readonly Tree[] }
  | { readonly kind: 'repeat'; readonly part: Tree; readonly min: number; readonly max: number }

export interface ReadOptions {
  readonly ignoreCase: boolean
  readonly dotAll: boolean
}

class PatternError extends Error {}

interface Reader {
  readonly chars: readonly string[]
  readonly options: ReadOptions
  at: number
  depth: number
}

const maxDepth = 50

export function readTree(source: string, options: ReadOptions): Tree | { readonly problem: string } {
  const reader: Reader = { chars: [...source], options, at: 0, depth: 0 }
  try {
    const tree = readAlternation(reader)
    if (reader.at < reader.chars.length) throw new PatternError('has a ) that closes nothing')
    return tree
  } catch (error) {
    if (error instanceof PatternError) return { problem: error.message }
    throw error
  }
}

function readAlternation(reader: Reader): Tree {
  if (++reader.depth > maxDepth) throw new PatternError('has too many groups inside each other')
  const parts = [readSequence(reader)]
  while (accept(reader, '|')) parts.push(readSequence(reader))
  reader.depth--
  return parts.length === 1 ? parts[0]! : { kind: 'alternation', parts }
}

function readSequence(reader: Reader): Tree {
  const parts: Tree[] = []
  for (;;) {
    const next = reader.chars[reader.at]
    if (next === undefined || next === '|' || next === ')') return { kind: 'sequence', parts }
    parts.push(readRepeat(reader, readAtom(reader)))
  }
}

function readRepeat(reader: Reader, part: Tree): Tree {
  const bounds = readBounds(reader)
  if (!bounds) return part
  if (part.kind === 'assert') throw new PatternError('repeats something that has no length')
  accept(reader, '?')
  if (/[*+?]/.test(reader.chars[reader.at] ?? '')) throw new PatternError('repeats a repeat')
  return { kind: 'repeat', part, ...bounds }
}

function readBounds(reader: Reader): { min: number; max: number } | undefined {
  if (accept(reader, '*')) return { min: 0, max: Number.POSITIVE_INFINITY }
  if (accept(reader, '+')) return { min: 1, max: Number.POSITIVE_INFINITY }
  if (accept(reader, '?')) return { min: 0, max: 1 }
  if (reader.chars[reader.at] !== '{') return undefined
  const counts = /^\{(\d{1,5})(,(\d{0,5}))?\}/.exec(reader.chars.slice(reader.at, reader.at + 14).join(''))
  if (!counts) throw new PatternError('has a { that is no count; the sign itself is written \\{')
  reader.at += counts[0].length
  const min = Number(counts[1])
  const max = counts[2] === undefined ? min : counts[3] === '' ? Number.POSITIVE_INFINITY : Number(counts[3])
  if (max < min) throw new PatternError(`counts from ${min} down to ${max}`)
  return { min, max }
}

function readAtom(reader: Reader): Tree {
  const char = reader.chars[reader.at++]!
  if (char === '^') return { kind: 'assert', at: 'start' }
  if (char === '$') return { kind: 'assert', at: 'end' }
  if (char === '(') return readGroup(reader)
  if (char === '[') return { kind: 'char', test: readClass(reader) }
  if (char === '.')
    return { kind: 'char', test: reader.options.dotAll ? () => true : (each) => !/[\n\r\u2028\u2029]/.test(each) }
  if (char === '\\') return readEscape(reader)
  if (/[*+?{]/.test(char)) throw new PatternError(`has a ${char} that repeats nothing`)
  return { kind: 'char', test: literal(reader, char) }
}

function readGroup(reader: Reader): Tree {
  if (accept(reader, '?')) {
    const name = /^<[A-Za-z_]\w{0,30}>/.exec(reader.chars.slice(reader.at, reader.at + 33).join(''))
    if (name) reader.at += name[0].length
    else if (!accept(reader, ':')) throw new PatternError('looks ahead or behind, which takes more than linear time')
  }
  const inside = readAlternation(reader)
  if (!accept(reader, ')')) throw new PatternError('has a ( that is not closed')
  return inside
}

function readEscape(reader: Reader): Tree {
  const char = reader.chars[reader.at]
  if (char === 'b' || char === 'B') {
    reader.at++
    return { kind: 'assert', at: char === 'b' ? 'word' : 'notWord' }
  }
  if (char !== undefined && /[1-9k]/.test(char))
    throw new PatternError('refers back to a group, which takes more than linear time')
  const escaped = readEscaped(reader)
  return { kind: 'char', test: typeof escaped === 'string' ? literal(reader, escaped) : escaped }
}

/** After a backslash: a class, or one character. */
function readEscaped(reader: Reader): CharTest | string {
  const char = reader.chars[reader.at++]
  if (char === undefined) throw new PatternError('ends in a backslash')
  const named = escapedClass(char)
  if (named) return named
  const control = { t: '\t', n: '\n', r: '\r', f: '\f', v: '\v', 0: '\0' }[char]
  if (control !== undefined) return control
  if (char === 'x' || char === 'u') return readCodePoint(reader, char)
  if (char === 'p' || char === 'P') {
    const name = /^\{([A-Za-z_=]{1,40})\}/.exec(reader.chars.slice(reader.at, reader.at + 42).join(''))
    const property = name && propertyClass(name[1]!)
    if (!name || !property) throw new PatternError('names a property of characters that is not known here')
    reader.at += name[0].length
    return char === 'p' ? property : (each) => !property(each)
  }
  if (/[A-Za-z0-9]/.test(char)) throw new PatternError(`has an escape that is not known: \\${char}`)
  return char
}

function readCodePoint(reader: Reader, sign: 'x' | 'u'): string {
  const lookahead = reader.chars.slice(reader.at, reader.at + 8).join('')
  const match =
    sign === 'x' ? /^([0-9a-fA-F]{2})/.exec(lookahead) : /^([0-9a-fA-F]{4})|^\{([0-9a-fA-F]{1,6})\}/.exec(lookahead)
  const code = Number.parseInt(match?.[1] ?? match?.[2] ?? '', 16)
  if (!match || !(code <= 0x10ffff)) throw new PatternError(`has \\${sign} without the code of a character`)
  reader.at += match[0].length
  return String.fromCodePoint(code)
}

function readClass(reader: Reader): CharTest {
  const isNegated = accept(reader, '^')
  const tests: CharTest[] = []
  while (!accept(reader, ']')) {
    const from = readMember(reader)
    const isRange = reader.chars[reader.at] === '-' && reader.chars[reader.at + 1] !== ']'
    if (!isRange || typeof from !== 'string') {
      tests.push(typeof from === 'string' ? literal(reader, from) : from)
      continue
    }
    reader.at++
    const to = readMember(reader)
    if (typeof to !== 'string' || to.codePointAt(0)! < from.codePointAt(0)!)
      throw new PatternError('has a range that goes nowhere')
    tests.push(range(reader, from.codePointAt(0)!, to.codePointAt(0)!))
  }
  if (tests.length > agentLimits.rules.patternChars) throw new PatternError('lists too many characters')
  const includes: CharTest = (char) => tests.some((test) => test(char))
  return isNegated ? (char) => !includes(char) : includes
}

function readMember(reader: Reader): CharTest | string {
  const char = reader.chars[reader.at++]
  if (char === undefined) throw new PatternError('has a [ that is not closed')
  if (char !== '\\') return char
  if (accept(reader, 'b')) return '\b'
  if (accept(reader, '-')) return '-'
  return readEscaped(reader)
}

function literal({ options }: Reader, expected: string): CharTest {
  if (!options.ignoreCase) return (char) => char === expected
  const lowerCase = expected.toLowerCase()
  return (char) => char === expected || char.toLowerCase() === lowerCase
}

function range({ options }: Reader, from: number, to: number): CharTest {
  const includes = (char: string) => {
    const code = char.codePointAt(0)!
    return code >= from && code <= to
  }
  return options.ignoreCase
    ? (char) => includes(char) || includes(char.toLowerCase()) || includes(char.toUpperCase())
    : includes
}

function accept(reader: Reader, char: string): boolean {
  if (reader.chars[reader.at] !== char) return false
  reader.at++
  return true
}
