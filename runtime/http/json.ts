/** Reads a JSON body strictly: what JSON.parse lets pass silently (repeated keys, depth, halves, infinities) is refused here. */
import { isAscii, isUtf8 } from 'node:buffer'
import { randomInt } from 'node:crypto'
import type { FieldError } from '../../core/errors.js'
import { agentDocument, http } from '../../core/limits.js'

/** Node's own reading of bytes as text, not in its declared types. */
declare global {
  interface Buffer<TArrayBuffer extends ArrayBufferLike = ArrayBufferLike> {
    latin1Slice(): string
    utf8Slice(): string
  }
}

export type JsonRead = { readonly value: unknown } | { readonly problem: FieldError }

/** How much one body may hold; what is parsed off the event loop may hold more. */
export interface Bounds {
  readonly jsonValues: number
  readonly jsonNames: number
  /** At most that of imports. */
  readonly jsonDepth: number
}

/** `keepsHalves`: half of a character (a lone surrogate) and NUL are left for the caller to judge. */
export function readJson(bytes: Buffer, most: Bounds = http, keepsHalves = false): JsonRead {
  if (bytes.length === 0) return problem('body', 'is required')
  const glance = glanceAt(bytes, most)
  if (glance in bounds) return problem('body', bounds[glance as keyof typeof bounds](most))
  if (glance !== 'ascii' && !isUtf8(bytes)) return problem('body', 'is not valid UTF-8')
  const text = glance === 'ascii' ? bytes.latin1Slice() : bytes.utf8Slice()
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return problem('body', 'is not valid JSON')
  }
  const found = glance === 'doubtful' ? inspect(text, keepsHalves) : undefined
  return found ? { problem: found } : { value }
}

function problem(field: string, message: string): { problem: FieldError } {
  return { problem: { field, message } }
}

/** What is refused by the glance, before the body is parsed: parsing it would hold the event loop. */
const bounds = {
  deep: ({ jsonDepth }: Bounds) => `is nested more than ${jsonDepth} levels deep`,
  long: ({ jsonValues }: Bounds) => `holds more than ${jsonValues} values`,
  wide: ({ jsonNames }: Bounds) => `uses more than ${jsonNames} names`,
} as const

/**
 * One quick look at the bytes, which bounds what JSON.parse is given: depth, values, and different names. Of text that is
 * JSON it says `doubtful` whenever there is, or merely might be, something to refuse: a key whose mark stands twice in an
 * object, an escape in a key or one that may hide NUL or half a character, a number that may be larger than any that is kept.
 * Only then is the text walked for what is wrong and where. Of text that is not JSON it says anything, and never fails.
 */
function glanceAt(
  bytes: Buffer,
  { jsonValues, jsonNames, jsonDepth }: Bounds,
): 'ascii' | 'utf8' | 'doubtful' | keyof typeof bounds {
  const end = bytes.length
  // Most bodies have none, and this search is fast, so they skip the checks of escapes.
  const hasBackslash = bytes.includes(backslash)
  let isDoubtful = hasBackslash && refusedEscape.test(bytes.latin1Slice())
  let depth = 0
  let used = 0
  /** Start and end of the last text; the start is negative once the text was used as a key. */
  let from = -1
  let to = 0
  let values = 0
  let keys = 0
  for (let at = 0; at < end; at++) {
    const byte = bytes[at]!
    if (byte === quote) {
      from = at + 1
      to = endOfText(bytes, from)
      at = to
    } else if (byte === colon) {
      // A colon without a key is no JSON, and JSON.parse says so as soon as it gets here.
      if (from < 0) return 'doubtful'
      const mark = markOf(bytes, from, to)
      if (++keys > jsonNames && isCrowded(mark, keys, jsonNames)) return 'wide'
      if (!isDoubtful) {
        for (let other = starts[depth]!; other < used; other++) if (marks[other] === mark) isDoubtful = true
        if (mark === protoMark || used === marks.length || (hasBackslash && hasEscape(bytes, from, to)))
          isDoubtful = true
        else marks[used++] = mark
      }
      from = -1
    } else if (byte === comma) {
      if (++values > jsonValues) return 'long'
    } else if (byte === openBrace || byte === openBracket) {
      if (++values > jsonValues) return 'long'
      if (++depth > jsonDepth) return 'deep'
      starts[depth] = used
    } else if (byte === closeBrace || byte === closeBracket) {
      used = starts[depth]!
      if (depth > 0) depth--
    } else if (byte >= digit0 && byte <= digit9) {
      const from = at
      while (bytes[at + 1]! >= digit0 && bytes[at + 1]! <= digit9) at++
      if (at - from >= digitsOfLargest || (bytes[at + 1]! | lowerCase) === letterE) isDoubtful = true
    }
  }
  if (isDoubtful) return 'doubtful'
  return isAscii(bytes) ? 'ascii' : 'utf8'
}

/** An escape of NUL or of half a character, or merely what looks like one. */
const refusedEscape = /\\u(?:0000|[dD])/

/** Most texts are shorter. The end of a longer one is found with `indexOf`, which is faster by the byte and slower by the call. */
const nearBytes = 64

/** Where the quote stands that ends a text; the end of the bytes if there is none. Each byte is looked at twice at most. */
function endOfText(bytes: Buffer, from: number): number {
  const end = bytes.length
  for (let at = from; at < end; ) {
    for (const near = Math.min(end, at + nearBytes); at < near; at++) {
      const byte = bytes[at]!
      if (byte === quote) return at
      if (byte === backslash) at++
    }
    const found = bytes.indexOf(quote, at)
    if (found < 0) return end
    let first = found
    while (first > at && bytes[first - 1] === backslash) first--
    if ((found - first) % 2 === 0) return found
    at = found + 1
  }
  return end
}

function markOf(bytes: Buffer, from: number, to: number): number {
  let mark = 0
  for (let at = from; at < to; at++) mark = (Math.imul(mark, factor) + bytes[at]!) | 0
  return mark
}

function hasEscape(bytes: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at] === backslash) return true
  return false
}

/**
 * Whether another different name is one too many. JSON.parse spends ten times as long on a name it has not seen as on one
 * that it has. Names are counted from the first key that could exceed the limit, so ordinary bodies pay nothing.
 */
function isCrowded(mark: number, keys: number, jsonNames: number): boolean {
  if (keys === jsonNames + 1) {
    seenMarks.fill(0)
    namesSeen = 0
  }
  const bit = scattered(mark) >>> 12
  const seen = seenMarks[bit >>> 5]!
  if ((seen >>> (bit & 31)) & 1) return false
  seenMarks[bit >>> 5] = seen | (1 << (bit & 31))
  return ++namesSeen > jsonNames
}

/** Marks of names that are alike are close to each other, so all of their bits are mixed (the last step of MurmurHash3). */
function scattered(mark: number): number {
  let mixed = Math.imul(mark ^ (mark >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}

const quote = 34
const comma = 44
const digit0 = 48
const digit9 = 57
const colon = 58
const openBracket = 91
const backslash = 92
const closeBracket = 93
const letterE = 101
const lowerCase = 32
const openBrace = 123
const closeBrace = 125
/** A number of fewer digits is one that is kept. */
const digitsOfLargest = 308
/** Marks of the keys of every object that is open, and where in them each object's begin. */
const marks = new Int32Array(256)
const starts = new Int32Array(agentDocument.importDepth + 1)
/**
 * Of this process alone, so that no caller can write names that all have one mark; five more than a multiple of eight, so
 * that its powers differ.
 */
const factor = (randomInt(2 ** 29) * 8) | 5
const protoMark = [...Buffer.from('__proto__')].reduce((mark, byte) => (Math.imul(mark, factor) + byte) | 0, 0)
/** A bit for each name, by twenty bits of its mark. */
const seenMarks = new Int32Array(2 ** 15)
let namesSeen = 0

interface Frame {
  /** Keys seen so far; absent in an array. */
  readonly keys?: Set<string>
  /** Where we are inside: the current key, or the current index. */
  at: string | number
}

/** Without its sign, which makes it no larger. */
const number = /\d[\d.eE+-]*/y

/** Walks text already known to be JSON, so every bracket and quote is where it should be. */
function inspect(text: string, keepsHalves: boolean): FieldError | undefined {
  const frames: Frame[] = []
  let frame: Frame | undefined
  let keyNext = false
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case 123: // {
      case 91: // [
        keyNext = text.charCodeAt(index) === 123
        frame = keyNext ? { keys: new Set(), at: '' } : { at: 0 }
        frames.push(frame)
        break
      case 125: // }
      case 93: // ]
        frames.pop()
        frame = frames.at(-1)
        keyNext = false
        break
      case 44: // ,
        if (frame?.keys) keyNext = true
        else if (frame) frame.at = (frame.at as number) + 1
        break
      case 34: {
        const end = endOfString(text, index)
        const raw = text.slice(index + 1, end)
        const value = raw.includes('\\') ? (JSON.parse(text.slice(index, end + 1)) as string) : raw
        if (keyNext && frame?.keys) {
          frame.at = value
          if (frame.keys.has(value)) return { field: pathOf(frames), message: 'is given twice' }
          if (value === '__proto__') return { field: pathOf(frames), message: 'is not a name that can be used' }
          frame.keys.add(value)
          keyNext = false
        }
        if (!keepsHalves && value !== raw && !value.isWellFormed()) {
          return { field: pathOf(frames), message: 'holds half of a character (a lone surrogate)' }
        }
        if (!keepsHalves && value !== raw && value.includes('\0')) {
          return { field: pathOf(frames), message: 'must not hold a NUL character' }
        }
        index = end
        break
      }
      default: {
        const code = text.charCodeAt(index)
        if (code < digit0 || code > digit9) break
        number.lastIndex = index
        const [found] = number.exec(text)!
        if (!Number.isFinite(Number(found))) return { field: pathOf(frames), message: 'is too large a number' }
        index = number.lastIndex - 1
      }
    }
  }
  return undefined
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text.charCodeAt(at - 1 - slashes) === 92) slashes++
  return slashes % 2 === 1
}

function pathOf(frames: readonly Frame[]): string {
  const path = frames.map(({ at }) => (typeof at === 'number' ? `[${at}]` : `.${at}`)).join('')
  return path.replace(/^\./, '') || 'body'
}
