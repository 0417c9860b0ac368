/** Keys as bytes whose plain order is the order of their parts: numbers by size, then strings by code point. */
import { Buffer } from 'node:buffer'
import type { Key, KeyPart, Table } from './contract.js'
import { store as limits } from './limits.js'

/**
 * A number is its tag and eight bytes; a string is its tag, its bytes and a zero. A zero inside a string is followed by
 * `nulEscape`, which sorts above every tag, so a shorter string always sorts before one that it begins.
 */
const numberTag = 0x10
const stringTag = 0x20
/** Before the owner, where the key begins with it: sorts after all keys that begin with a table. */
const ownerTag = 0x30
const stringEnd = 0x00
const nulEscape = 0xff

/** Room for the longest key, whose last part may take three bytes for each character. */
const reservedBytes = limits.keyBytes * 4 + 64
/** Keys share chunks of memory of this size; a full chunk is freed with its last key. */
const chunkBytes = 64 * 1024

let scratch = Buffer.allocUnsafeSlow(chunkBytes)
/** The memory before `start` belongs to keys that were returned. */
let start = 0

export type KeyedTable = Pick<Table<never, never>, 'name' | 'isByOwner'>

/**
 * The bytes of a key within its space; the table's name is its first part, or its second one where the owner is first.
 */
export function keyBytes(table: KeyedTable, parts: Key): Buffer {
  const bytes = temporaryKeyBytes(table, parts)
  start += bytes.length
  return bytes
}

/** The same bytes in memory that the next call overwrites: for reads that end before it. */
export function temporaryKeyBytes(table: KeyedTable, parts: Key): Buffer {
  if (chunkBytes - start < reservedBytes) {
    scratch = Buffer.allocUnsafeSlow(chunkBytes)
    start = 0
  }
  return scratch.subarray(start, writeParts(table, parts))
}

/** Above every key of any table, and below every other value of the file. */
export const afterAllTables = Buffer.from([nulEscape])

/** Above every key that begins with these bytes, and below every other key that sorts after them. */
export function afterPrefix(prefix: Buffer): Buffer {
  const end = Buffer.allocUnsafe(prefix.length + 1)
  end.set(prefix)
  end[prefix.length] = nulEscape
  return end
}

/** The parts of a stored key, without the table's name. */
export function keyParts(bytes: Buffer): KeyPart[] {
  const parts: KeyPart[] = []
  const first = bytes[0] === ownerTag ? afterString(bytes, 2) : 0
  if (first > 0) parts.push(readString(bytes, 2, first - 1))
  for (let at = afterString(bytes, first + 1); at < bytes.length; ) {
    if (bytes[at] === numberTag) {
      parts.push(readNumber(bytes, at + 1))
      at += 9
    } else {
      const next = afterString(bytes, at + 1)
      parts.push(readString(bytes, at + 1, next - 1))
      at = next
    }
  }
  return parts
}

/** The table's name of a stored key. */
export function tableOfKey(bytes: Buffer): string {
  const from = bytes[0] === ownerTag ? afterString(bytes, 2) : 0
  return readString(bytes, from + 1, afterString(bytes, from + 1) - 1)
}

function writeParts(table: KeyedTable, parts: Key): number {
  try {
    if (table.isByOwner) return writeOwned(table.name, parts)
    let at = writePart(table.name, start)
    for (let index = 0; index < parts.length; index++) at = writePart(parts[index]!, at)
    return at
  } catch (error) {
    throw new Error(`a key of table ${table.name.slice(0, 100)} cannot be stored: ${(error as Error).message}`)
  }
}

function writeOwned(table: string, parts: Key): number {
  if (typeof parts[0] !== 'string') throw new Error('it does not begin with an owner')
  scratch[start] = ownerTag
  let at = writePart(table, writePart(parts[0], start + 1))
  for (let index = 1; index < parts.length; index++) at = writePart(parts[index]!, at)
  return at
}

function writePart(part: KeyPart, from: number): number {
  if (typeof part === 'number') return withinLimit(writeNumber(part, from))
  if (typeof part !== 'string') throw new Error(`it is made of strings and numbers, not ${typeof part}`)
  withinLimit(from + part.length)
  return withinLimit(writeString(part, from))
}

function withinLimit(end: number): number {
  if (end - start > limits.keyBytes) throw new Error(`it is longer than ${limits.keyBytes} bytes`)
  return end
}

function writeNumber(value: number, from: number): number {
  if (Number.isNaN(value)) throw new Error('it holds NaN')
  scratch[from] = numberTag
  scratch.writeDoubleBE(value === 0 ? 0 : value, from + 1)
  // Flipped so that bytes sort as the numbers do: the sign bit of positive numbers, all bits of negative ones.
  if (scratch[from + 1]! < 0x80) scratch[from + 1]! |= 0x80
  else for (let at = from + 1; at < from + 9; at++) scratch[at]! ^= 0xff
  return from + 9
}

const truncatedMessage = 'a stored key is cut short'
const raw = Buffer.alloc(8)

function readNumber(bytes: Buffer, from: number): number {
  if (from + 8 > bytes.length) throw new Error(truncatedMessage)
  const flips = bytes[from]! >= 0x80 ? 0x00 : 0xff
  for (let at = 0; at < 8; at++) raw[at] = bytes[from + at]! ^ flips
  if (flips === 0) raw[0]! &= 0x7f
  return raw.readDoubleBE(0)
}

/**
 * UTF-8, with half a surrogate pair encoded as a character of its own, so that different strings have different bytes.
 */
function writeString(text: string, from: number): number {
  scratch[from] = stringTag
  let at = from + 1
  for (let i = 0; i < text.length; i++) {
    let code = text.charCodeAt(i)
    if (code < 0x80) {
      scratch[at++] = code
      if (code === 0) scratch[at++] = nulEscape
      continue
    }
    if (code >= 0xd800 && code < 0xdc00) {
      code = text.codePointAt(i)!
      if (code > 0xffff) i++
    }
    if (code < 0x800) scratch[at++] = 0xc0 | (code >> 6)
    else {
      if (code < 0x10000) scratch[at++] = 0xe0 | (code >> 12)
      else {
        scratch[at++] = 0xf0 | (code >> 18)
        scratch[at++] = 0x80 | ((code >> 12) & 0x3f)
      }
      scratch[at++] = 0x80 | ((code >> 6) & 0x3f)
    }
    scratch[at++] = 0x80 | (code & 0x3f)
  }
  scratch[at] = stringEnd
  return at + 1
}

/** Where the part after the string begins; `from` is the first character of the string. */
function afterString(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(stringEnd, from)
  while (at >= 0 && bytes[at + 1] === nulEscape) at = bytes.indexOf(stringEnd, at + 2)
  if (at < 0) throw new Error(truncatedMessage)
  return at + 1
}

function readString(bytes: Buffer, from: number, to: number): string {
  if (isPlain(bytes, from, to)) return bytes.toString('latin1', from, to)
  let text = ''
  for (let at = from; at < to; ) {
    const first = bytes[at]!
    if (first < 0x80) {
      text += String.fromCharCode(first)
      at += first === 0 ? 2 : 1
      continue
    }
    const size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
    let code = first & (0xff >> (size + 1))
    for (let i = 1; i < size; i++) code = (code << 6) | (bytes[at + i]! & 0x3f)
    text += String.fromCodePoint(code)
    at += size
  }
  return text
}

/** Whether all characters are ASCII other than NUL. */
function isPlain(bytes: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at]! >= 0x80 || bytes[at] === stringEnd) return false
  return true
}
