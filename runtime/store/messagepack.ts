/**
 * Writes plain data as MessagePack in one walk that also judges it: what is not plain is refused, what MessagePack would
 * bend is noticed. Byte for byte what msgpackr writes, which reads it, and which would need a walk of its own before it;
 * every record of every commit goes through here, and this takes half as long.
 */
import { store as limits } from '../../core/limits/index.js'

/** Standard since 2024, present in every Node that Parley runs on, and not yet in the library our compiler reads. */
declare global {
  interface String {
    isWellFormed(): boolean
  }
}

/** Thrown for something that is not plain data. */
export class UnsupportedValue extends Error {
  override readonly name = 'UnsupportedValue'
  /** `what` it is, such as `a Map`. */
  constructor(readonly what: string) {
    super(`${what} is not plain data`)
  }
}

/**
 * The bytes of a value behind its version, as an array of two. Undefined for a value that holds something MessagePack
 * would bend: half a surrogate pair, a key named `__proto__`, minus zero.
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

/** Records are written behind each other in pieces of memory of this size; one that is full is left to its records. */
const chunkBytes = 64 * 1024
/** Less than this is left over rather than begun with. */
const minFreeBytes = 8 * 1024

let bytes = Buffer.allocUnsafeSlow(chunkBytes)
let view = new DataView(bytes.buffer)
/** What lies before it belongs to others. */
let at = 0
/** Of the record that is being written: where it begins, and whether it would come back as something else. */
let start = 0
let isLossy = false

/** Another piece of memory, with what there is of the record at its beginning. */
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

/** The most that stands before or in place of a value: a tag and eight bytes. */
const headBytes = 9
/** UTF-8 of one unit of a text, at most. */
const unitBytes = 3

/** Asked one by one, since a switch would first make a text of the type. */
function writeValue(value: unknown, depth: number): void {
  if (typeof value === 'string') return writeText(value)
  reserve(headBytes)
  if (typeof value === 'number') return writeNumber(value)
  if (value === true || value === false) {
    bytes[at++] = value ? 0xc3 : 0xc2
  } else if (value === undefined) {
    // An extension of no meaning to others.
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

/** Up to 15 in the tag itself. */
function writeCount(count: number, shortTag: number, longTag: number): void {
  if (count < 0x10) bytes[at++] = shortTag | count
  else writeWide(longTag, count)
}

/** Behind its tag in one byte, or wider behind those that follow it. */
function writeSize(tag: number, size: number): void {
  if (size >= 0x100) return writeWide(tag + 1, size)
  bytes[at] = tag
  bytes[at + 1] = size
  at += 2
}

/** Behind its tag in two bytes, or behind the next one in four. */
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

/** Up to this length a text is faster written here than by a call out of the language. */
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
  // As long as it has units, unless some of them take more than a byte: then it is moved.
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

/** How many bytes stand before a text of so many. */
function textHead(length: number): number {
  return length < 0x20 ? 1 : length < 0x100 ? 2 : length < 0x10000 ? 3 : 5
}

function writeBytes(value: Uint8Array): void {
  reserve(headBytes + value.length)
  writeSize(0xc4, value.length)
  bytes.set(value, at)
  at += value.length
}
