/**
 * Writes plain data as MessagePack and validates it in the same walk: refuses values that are not plain data, and
 * detects values that MessagePack would change. The bytes are those of msgpackr, which reads them; a validating walk
 * before msgpackr would take twice the time for every record of every commit.
 */
import { store as limits } from './limits.js'

/**
 * Standard since 2024 and present in every Node version that Parley supports, but missing in the compiler's library.
 */
declare global {
  interface String {
    isWellFormed(): boolean
  }
}

/** Thrown for a value that is not plain data. */
export class UnsupportedValue extends Error {
  override readonly name = 'UnsupportedValue'
  /** `what` names the value, such as `a Map`. */
  constructor(readonly what: string) {
    super(`${what} is not plain data`)
  }
}

/**
 * Encodes an array of the version and the value. Undefined for a value that MessagePack would change: half a surrogate
 * pair, a key named `__proto__`, minus zero.
 */
export function pack(version: number, value: unknown): Buffer | undefined {
  start = at
  isLossy = false
  try {
    if (bytes.length - at < minFreeBytes) growBuffer(chunkBytes)
    bytes[at++] = 0x92
    writeNumber(version)
    writeValue(value, 0)
    if (!isLossy) return bytes.subarray(start, at)
  } catch (error) {
    at = start
    throw error
  }
  at = start
  return undefined
}

/** Records share chunks of memory of this size; a full chunk is freed with its last record. */
const chunkBytes = 64 * 1024
/** A chunk with less free space than this begins no record. */
const minFreeBytes = 8 * 1024

let bytes = Buffer.allocUnsafeSlow(chunkBytes)
let view = new DataView(bytes.buffer)
/** The memory before `at` belongs to earlier records. */
let at = 0
/** Of the record being written: its first byte, and whether it would be read back as another value. */
let start = 0
let isLossy = false

/** Allocates a larger chunk and copies the beginning of the record to it. */
function growBuffer(size: number): void {
  const larger = Buffer.allocUnsafeSlow(size)
  const copiedTo = bytes.copy(larger, 0, start, at)
  bytes = larger
  view = new DataView(larger.buffer)
  start = 0
  at = copiedTo
}

function reserve(more: number): void {
  if (at + more > bytes.length) growBuffer(Math.max(chunkBytes, 2 * (at - start + more)))
}

/** The longest head of a value: a tag and eight bytes. */
const headBytes = 9
/** The most UTF-8 bytes of one UTF-16 unit. */
const unitBytes = 3

/** Compares the types one by one: a switch would create a string of the type first. */
function writeValue(value: unknown, depth: number): void {
  if (typeof value === 'string') return writeText(value)
  reserve(headBytes)
  if (typeof value === 'number') return writeNumber(value)
  if (value === true || value === false) {
    bytes[at++] = value ? 0xc3 : 0xc2
  } else if (value === undefined) {
    // The extension with which msgpackr writes undefined; other readers do not know it.
    bytes[at++] = 0xd4
    bytes[at++] = 0
    bytes[at++] = 0
  } else if (value === null) {
    bytes[at++] = 0xc0
  } else if (typeof value === 'object') {
    writeMembers(value, depth)
  } else {
    throw new UnsupportedValue(`a ${typeof value}`)
  }
}

function writeMembers(value: object, depth: number): void {
  if (value instanceof Uint8Array) return writeBytes(value)
  if (depth >= limits.recordDepth)
    throw new UnsupportedValue(`something nested deeper than ${limits.recordDepth} levels`)
  if (Array.isArray(value)) {
    writeCount(value.length, 0x90, 0xdc)
    for (let index = 0; index < value.length; index++) writeValue(value[index], depth + 1)
    return
  }
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) throw new UnsupportedValue(`a ${value.constructor?.name}`)
  const record = value as Record<string, unknown>
  let count = 0
  for (const _ in record) count++
  writeCount(count, 0x80, 0xde)
  for (const key in record) {
    if (key === '__proto__') isLossy = true
    writeText(key)
    writeValue(record[key], depth + 1)
  }
}

/** A count of up to 15 is part of the tag. */
function writeCount(count: number, shortTag: number, longTag: number): void {
  if (count < 0x10) bytes[at++] = shortTag | count
  else writeWide(longTag, count)
}

/** One byte after the tag, or the wider forms of `tag + 1`. */
function writeSize(tag: number, size: number): void {
  if (size >= 0x100) return writeWide(tag + 1, size)
  bytes[at] = tag
  bytes[at + 1] = size
  at += 2
}

/** Two bytes after the tag, or four bytes after the next tag. */
function writeWide(tag: number, size: number): void {
  if (size < 0x10000) {
    bytes[at] = tag
    view.setUint16(at + 1, size)
    at += 3
  } else {
    bytes[at] = tag + 1
    view.setUint32(at + 1, size)
    at += 5
  }
}

function writeNumber(value: number): void {
  if (value >>> 0 === value) {
    if (Object.is(value, -0)) isLossy = true
    if (value < 0x80) bytes[at++] = value
    else writeSize(0xcc, value)
  } else if (value >> 0 === value) {
    writeNegative(value)
  } else {
    bytes[at] = 0xcb
    view.setFloat64(at + 1, value)
    at += 9
  }
}

function writeNegative(value: number): void {
  if (value >= -0x20) {
    bytes[at++] = 0x100 + value
  } else if (value >= -0x80) {
    bytes[at++] = 0xd0
    bytes[at++] = 0x100 + value
  } else if (value >= -0x8000) {
    bytes[at] = 0xd1
    view.setInt16(at + 1, value)
    at += 3
  } else {
    bytes[at] = 0xd2
    view.setInt32(at + 1, value)
    at += 5
  }
}

/** Up to this length writing here is faster than a call into native code. */
const shortChars = 64

function writeText(value: string): void {
  const { length } = value
  reserve(headBytes + length * unitBytes)
  if (length >= shortChars) return writeLongText(value)
  const target = bytes
  const from = at + textHead(length)
  for (let index = 0; index < length; index++) {
    const unit = value.charCodeAt(index)
    if (unit >= 0x80) return writeLongText(value)
    target[from + index] = unit
  }
  writeTextHead(length)
  at = from + length
}

function writeLongText(value: string): void {
  if (!value.isWellFormed()) isLossy = true
  // Guesses one byte for each unit, and moves the text when its size needs a longer head.
  const guessed = at + textHead(value.length)
  const length = bytes.write(value, guessed)
  const from = at + textHead(length)
  if (from !== guessed) bytes.copyWithin(from, guessed, guessed + length)
  writeTextHead(length)
  at = from + length
}

function writeTextHead(length: number): void {
  if (length < 0x20) bytes[at++] = 0xa0 | length
  else writeSize(0xd9, length)
}

/** The number of bytes before a text of that length. */
function textHead(length: number): number {
  return length < 0x20 ? 1 : length < 0x100 ? 2 : length < 0x10000 ? 3 : 5
}

function writeBytes(value: Uint8Array): void {
  reserve(headBytes + value.length)
  writeSize(0xc4, value.length)
  bytes.set(value, at)
  at += value.length
}
