/** The strict reader of JSON bodies: refuses repeated keys, excessive size, lone surrogates and infinite numbers. */
import { isAscii, isUtf8 } from 'node:buffer'
import { randomInt } from 'node:crypto'
import type { FieldError } from '../../core/errors.js'
import { agentDocument, http } from '../../core/limits/index.js'

/** Methods of Node's Buffer that its declared types lack. */
declare global {
  interface Buffer<TArrayBuffer extends ArrayBufferLike = ArrayBufferLike> {
    latin1Slice(): string
    utf8Slice(): string
  }
}

export type JsonRead = { readonly value: unknown } | { readonly problem: FieldError }

/** The most that one body may hold; a body that is parsed in a worker may hold more. */
export interface JsonLimits {
  readonly jsonValues: number
  readonly jsonNames: number
  /** At most `importDepth`, that of imported agents. */
  readonly jsonDepth: number
}

/** `keepsSurrogates`: the caller itself judges lone surrogates and NUL. */
export function readJson(bytes: Buffer, limits: JsonLimits = http, keepsSurrogates = false): JsonRead {
  if (bytes.length === 0) return problem('body', 'is required')
  const scan = prescan(bytes, limits)
  if (scan in excesses) return problem('body', excesses[scan as keyof typeof excesses](limits))
  if (scan !== 'ascii' && !isUtf8(bytes)) return problem('body', 'is not valid UTF-8')
  const text = scan === 'ascii' ? bytes.latin1Slice() : bytes.utf8Slice()
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return problem('body', 'is not valid JSON')
  }
  const match = scan === 'suspect' ? inspect(text, keepsSurrogates) : undefined
  return match ? { problem: match } : { value }
}

function problem(field: string, message: string): { problem: FieldError } {
  return { problem: { field, message } }
}

/** Excesses that are refused before the body is parsed, because parsing it would block the event loop. */
const excesses = {
  depth: ({ jsonDepth }: JsonLimits) => `is nested more than ${jsonDepth} levels deep`,
  values: ({ jsonValues }: JsonLimits) => `holds more than ${jsonValues} values`,
  names: ({ jsonNames }: JsonLimits) => `uses more than ${jsonNames} names`,
} as const

/**
 * Scans the bytes once, and bounds the input of JSON.parse: depth, values, and different names. For valid JSON the
 * result is `suspect` whenever the body holds, or may hold, something to refuse: two keys of one fingerprint in an
 * object, an escape in a key, an escape that may be NUL or a lone surrogate, or a number that may be too large. Only
 * then `inspect` walks the text to find the error and its path. For any other text the result means nothing; the scan
 * never throws.
 */
function prescan(
  bytes: Buffer,
  { jsonValues, jsonNames, jsonDepth }: JsonLimits,
): 'ascii' | 'utf8' | 'suspect' | keyof typeof excesses {
  const end = bytes.length
  // Few bodies have a backslash, and this search is fast: the others skip the checks of escapes.
  const hasBackslash = bytes.includes(backslash)
  let isSuspect = hasBackslash && refusedEscape.test(bytes.latin1Slice())
  let depth = 0
  let used = 0
  /** Start and end of the last string; the start is negative once the string was used as a key. */
  let from = -1
  let to = 0
  let values = 0
  let keys = 0
  for (let at = 0; at < end; at++) {
    const byte = bytes[at]!
    if (byte === quote) {
      from = at + 1
      to = endOfString(bytes, from)
      at = to
    } else if (byte === colon) {
      // A colon without a key is no JSON, and JSON.parse fails when it reaches this character.
      if (from < 0) return 'suspect'
      const fingerprint = fingerprintOf(bytes, from, to)
      if (++keys > jsonNames && hasTooManyNames(fingerprint, keys, jsonNames)) return 'names'
      if (!isSuspect) {
        for (let other = starts[depth]!; other < used; other++)
          if (fingerprints[other] === fingerprint) isSuspect = true
        if (
          fingerprint === protoFingerprint ||
          used === fingerprints.length ||
          (hasBackslash && hasEscape(bytes, from, to))
        )
          isSuspect = true
        else fingerprints[used++] = fingerprint
      }
      from = -1
    } else if (byte === comma) {
      if (++values > jsonValues) return 'values'
    } else if (byte === openBrace || byte === openBracket) {
      if (++values > jsonValues) return 'values'
      if (++depth > jsonDepth) return 'depth'
      starts[depth] = used
    } else if (byte === closeBrace || byte === closeBracket) {
      used = starts[depth]!
      if (depth > 0) depth--
    } else if (byte >= digit0 && byte <= digit9) {
      const from = at
      while (bytes[at + 1]! >= digit0 && bytes[at + 1]! <= digit9) at++
      if (at - from >= digitsOfLargest || (bytes[at + 1]! | lowerCase) === letterE) isSuspect = true
    }
  }
  if (isSuspect) return 'suspect'
  return isAscii(bytes) ? 'ascii' : 'utf8'
}

/** An escape of NUL or of a surrogate, or text that looks like one. */
const refusedEscape = /\\u(?:0000|[dD])/

/** Most strings are shorter. `indexOf` finds the end of a longer one: it costs less per byte and more per call. */
const shortBytes = 64

/** The index of the quote that ends a string, or the end of the bytes without one. Reads each byte twice at most. */
function endOfString(bytes: Buffer, from: number): number {
  const end = bytes.length
  for (let at = from; at < end; ) {
    for (const near = Math.min(end, at + shortBytes); at < near; at++) {
      const byte = bytes[at]!
      if (byte === quote) return at
      if (byte === backslash) at++
    }
    const match = bytes.indexOf(quote, at)
    if (match < 0) return end
    let first = match
    while (first > at && bytes[first - 1] === backslash) first--
    if ((match - first) % 2 === 0) return match
    at = match + 1
  }
  return end
}

/** A rolling hash. */
function fingerprintOf(bytes: Buffer, from: number, to: number): number {
  let fingerprint = 0
  for (let at = from; at < to; at++) fingerprint = (Math.imul(fingerprint, hashFactor) + bytes[at]!) | 0
  return fingerprint
}

function hasEscape(bytes: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at] === backslash) return true
  return false
}

/**
 * Whether another different name is one too many. JSON.parse takes about ten times as long for a new name as for one
 * that it has seen (`npm run bench -- neighbours` has such a body). Counting begins with the first key that could
 * exceed the limit, so ordinary bodies pay nothing.
 */
function hasTooManyNames(fingerprint: number, keys: number, jsonNames: number): boolean {
  if (keys === jsonNames + 1) {
    nameBits.fill(0)
    nameCount = 0
  }
  const bit = mixBits(fingerprint) >>> 12
  const bits = nameBits[bit >>> 5]!
  if ((bits >>> (bit & 31)) & 1) return false
  nameBits[bit >>> 5] = bits | (1 << (bit & 31))
  return ++nameCount > jsonNames
}

/** Names that are alike have fingerprints close to each other, so the last step of MurmurHash3 mixes all bits. */
function mixBits(fingerprint: number): number {
  let bits = Math.imul(fingerprint ^ (fingerprint >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return bits ^ (bits >>> 16)
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
/** A number of fewer digits is finite. */
const digitsOfLargest = 308
/** Fingerprints of the keys of every open object, and the index at which each object's begin. */
const fingerprints = new Int32Array(256)
const starts = new Int32Array(agentDocument.importDepth + 1)
/**
 * Random for each process, so that no caller can write names of one fingerprint; five more than a multiple of eight, so
 * that its powers differ.
 */
const hashFactor = (randomInt(2 ** 29) * 8) | 5
const proto = Buffer.from('__proto__')
const protoFingerprint = fingerprintOf(proto, 0, proto.length)
/** One bit for each name, by twenty bits of its fingerprint. */
const nameBits = new Int32Array(2 ** 15)
let nameCount = 0

interface Frame {
  /** The keys so far; absent for an array. */
  readonly keys?: Set<string>
  /** The current key, or the current index. */
  at: string | number
}

/** Without the sign. */
const number = /\d[\d.eE+-]*/y

/** Finds the error in valid JSON, and the path of its field. */
function inspect(text: string, keepsSurrogates: boolean): FieldError | undefined {
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
        const end = closingQuote(text, index)
        const raw = text.slice(index + 1, end)
        const value = raw.includes('\\') ? (JSON.parse(text.slice(index, end + 1)) as string) : raw
        if (keyNext && frame?.keys) {
          frame.at = value
          if (frame.keys.has(value)) return { field: pathOf(frames), message: 'is given twice' }
          if (value === '__proto__') return { field: pathOf(frames), message: 'is not a name that can be used' }
          frame.keys.add(value)
          keyNext = false
        }
        if (!keepsSurrogates && value !== raw && !value.isWellFormed()) {
          return { field: pathOf(frames), message: 'holds half of a character (a lone surrogate)' }
        }
        if (!keepsSurrogates && value !== raw && value.includes('\0')) {
          return { field: pathOf(frames), message: 'must not hold a NUL character' }
        }
        index = end
        break
      }
      default: {
        const code = text.charCodeAt(index)
        if (code < digit0 || code > digit9) break
        number.lastIndex = index
        const [match] = number.exec(text)!
        if (!Number.isFinite(Number(match))) return { field: pathOf(frames), message: 'is too large a number' }
        index = number.lastIndex - 1
      }
    }
  }
  return undefined
}

function closingQuote(text: string, start: number): number {
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
