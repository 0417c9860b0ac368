/** Reads a regular expression of the subset that can run in linear time into a tree, or says what it may not hold. */
import { agentLimits } from '../../limits.js'
import { type CharTest, escapedClass, propertyClass } from './characters.js'

export type Tree =
  | { readonly kind: 'char'; readonly test: CharTest }
  | { readonly kind: 'assert'; readonly at: 'start' | 'end' | 'word' | 'notWord' }
  | { readonly kind: 'row'; readonly parts: readonly Tree[] }
  | { readonly kind: 'either'; readonly parts: readonly Tree[] }
  | { readonly kind: 'repeat'; readonly part: Tree; readonly least: number; readonly most: number }

export interface ReadOptions {
  readonly ignoreCase: boolean
  readonly dotAll: boolean
}

class Unreadable extends Error {}

interface Reader {
  readonly chars: readonly string[]
  readonly options: ReadOptions
  at: number
  depth: number
}

const deepest = 50

export function readTree(source: string, options: ReadOptions): Tree | { readonly problem: string } {
  const reader: Reader = { chars: [...source], options, at: 0, depth: 0 }
  try {
    const tree = readEither(reader)
    if (reader.at < reader.chars.length) throw new Unreadable('has a ) that closes nothing')
    return tree
  } catch (error) {
    if (error instanceof Unreadable) return { problem: error.message }
    throw error
  }
}

function readEither(reader: Reader): Tree {
  if (++reader.depth > deepest) throw new Unreadable('has too many groups inside each other')
  const parts = [readRow(reader)]
  while (take(reader, '|')) parts.push(readRow(reader))
  reader.depth--
  return parts.length === 1 ? parts[0]! : { kind: 'either', parts }
}

function readRow(reader: Reader): Tree {
  const parts: Tree[] = []
  for (;;) {
    const next = reader.chars[reader.at]
    if (next === undefined || next === '|' || next === ')') return { kind: 'row', parts }
    parts.push(readRepeat(reader, readOne(reader)))
  }
}

function readRepeat(reader: Reader, part: Tree): Tree {
  const bounds = readBounds(reader)
  if (!bounds) return part
  if (part.kind === 'assert') throw new Unreadable('repeats something that has no length')
  take(reader, '?')
  if (/[*+?]/.test(reader.chars[reader.at] ?? '')) throw new Unreadable('repeats a repeat')
  return { kind: 'repeat', part, ...bounds }
}

function readBounds(reader: Reader): { least: number; most: number } | undefined {
  if (take(reader, '*')) return { least: 0, most: Number.POSITIVE_INFINITY }
  if (take(reader, '+')) return { least: 1, most: Number.POSITIVE_INFINITY }
  if (take(reader, '?')) return { least: 0, most: 1 }
  if (reader.chars[reader.at] !== '{') return undefined
  const counted = /^\{(\d{1,5})(,(\d{0,5}))?\}/.exec(reader.chars.slice(reader.at, reader.at + 14).join(''))
  if (!counted) throw new Unreadable('has a { that is no count; the sign itself is written \\{')
  reader.at += counted[0].length
  const least = Number(counted[1])
  const most = counted[2] === undefined ? least : counted[3] === '' ? Number.POSITIVE_INFINITY : Number(counted[3])
  if (most < least) throw new Unreadable(`counts from ${least} down to ${most}`)
  return { least, most }
}

function readOne(reader: Reader): Tree {
  const char = reader.chars[reader.at++]!
  if (char === '^') return { kind: 'assert', at: 'start' }
  if (char === '$') return { kind: 'assert', at: 'end' }
  if (char === '(') return readGroup(reader)
  if (char === '[') return { kind: 'char', test: readClass(reader) }
  if (char === '.')
    return { kind: 'char', test: reader.options.dotAll ? () => true : (each) => !/[\n\r\u2028\u2029]/.test(each) }
  if (char === '\\') return readEscape(reader)
  if (/[*+?{]/.test(char)) throw new Unreadable(`has a ${char} that repeats nothing`)
  return { kind: 'char', test: literal(reader, char) }
}

function readGroup(reader: Reader): Tree {
  if (take(reader, '?')) {
    const name = /^<[A-Za-z_]\w{0,30}>/.exec(reader.chars.slice(reader.at, reader.at + 33).join(''))
    if (name) reader.at += name[0].length
    else if (!take(reader, ':')) throw new Unreadable('looks ahead or behind, which takes more than linear time')
  }
  const inside = readEither(reader)
  if (!take(reader, ')')) throw new Unreadable('has a ( that is not closed')
  return inside
}

function readEscape(reader: Reader): Tree {
  const char = reader.chars[reader.at]
  if (char === 'b' || char === 'B') {
    reader.at++
    return { kind: 'assert', at: char === 'b' ? 'word' : 'notWord' }
  }
  if (char !== undefined && /[1-9k]/.test(char))
    throw new Unreadable('refers back to a group, which takes more than linear time')
  const escaped = readEscaped(reader)
  return { kind: 'char', test: typeof escaped === 'string' ? literal(reader, escaped) : escaped }
}

/** What follows a backslash: a class, or one character. */
function readEscaped(reader: Reader): CharTest | string {
  const char = reader.chars[reader.at++]
  if (char === undefined) throw new Unreadable('ends in a backslash')
  const named = escapedClass(char)
  if (named) return named
  const control = { t: '\t', n: '\n', r: '\r', f: '\f', v: '\v', 0: '\0' }[char]
  if (control !== undefined) return control
  if (char === 'x' || char === 'u') return readCodePoint(reader, char)
  if (char === 'p' || char === 'P') {
    const name = /^\{([A-Za-z_=]{1,40})\}/.exec(reader.chars.slice(reader.at, reader.at + 42).join(''))
    const property = name && propertyClass(name[1]!)
    if (!name || !property) throw new Unreadable('names a property of characters that is not known here')
    reader.at += name[0].length
    return char === 'p' ? property : (each) => !property(each)
  }
  if (/[A-Za-z0-9]/.test(char)) throw new Unreadable(`has an escape that is not known: \\${char}`)
  return char
}

function readCodePoint(reader: Reader, sign: 'x' | 'u'): string {
  const ahead = reader.chars.slice(reader.at, reader.at + 8).join('')
  const found = sign === 'x' ? /^([0-9a-fA-F]{2})/.exec(ahead) : /^([0-9a-fA-F]{4})|^\{([0-9a-fA-F]{1,6})\}/.exec(ahead)
  const code = Number.parseInt(found?.[1] ?? found?.[2] ?? '', 16)
  if (!found || !(code <= 0x10ffff)) throw new Unreadable(`has \\${sign} without the code of a character`)
  reader.at += found[0].length
  return String.fromCodePoint(code)
}

function readClass(reader: Reader): CharTest {
  const isNegated = take(reader, '^')
  const tests: CharTest[] = []
  while (!take(reader, ']')) {
    const from = readMember(reader)
    const isRange = reader.chars[reader.at] === '-' && reader.chars[reader.at + 1] !== ']'
    if (!isRange || typeof from !== 'string') {
      tests.push(typeof from === 'string' ? literal(reader, from) : from)
      continue
    }
    reader.at++
    const to = readMember(reader)
    if (typeof to !== 'string' || to.codePointAt(0)! < from.codePointAt(0)!)
      throw new Unreadable('has a range that goes nowhere')
    tests.push(range(reader, from.codePointAt(0)!, to.codePointAt(0)!))
  }
  if (tests.length > agentLimits.rules.patternChars) throw new Unreadable('lists too many characters')
  const isIn: CharTest = (char) => tests.some((test) => test(char))
  return isNegated ? (char) => !isIn(char) : isIn
}

function readMember(reader: Reader): CharTest | string {
  const char = reader.chars[reader.at++]
  if (char === undefined) throw new Unreadable('has a [ that is not closed')
  if (char !== '\\') return char
  if (take(reader, 'b')) return '\b'
  if (take(reader, '-')) return '-'
  return readEscaped(reader)
}

function literal({ options }: Reader, wanted: string): CharTest {
  if (!options.ignoreCase) return (char) => char === wanted
  const low = wanted.toLowerCase()
  return (char) => char === wanted || char.toLowerCase() === low
}

function range({ options }: Reader, from: number, to: number): CharTest {
  const isIn = (char: string) => {
    const code = char.codePointAt(0)!
    return code >= from && code <= to
  }
  return options.ignoreCase ? (char) => isIn(char) || isIn(char.toLowerCase()) || isIn(char.toUpperCase()) : isIn
}

function take(reader: Reader, char: string): boolean {
  if (reader.chars[reader.at] !== char) return false
  reader.at++
  return true
}
