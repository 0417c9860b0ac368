/** Plain data as bytes; records carry the version of their table that wrote them and are upgraded when read. */
import { deserialize, serialize } from 'node:v8'
import { Packr } from 'msgpackr'
import { store as limits } from '../../core/limits.js'
import type { Table, Write } from './contract.js'

/** Standard since 2024, present in every Node that Parley runs on, and not yet in the library our compiler reads. */
declare global {
  interface String {
    isWellFormed(): boolean
  }
}

type AnyTable = Pick<Table<never, unknown>, 'name' | 'version' | 'upgrades'>

/** Maps spelled out in full: no structures shared between records, so each record can be read on its own for ever. */
const messagePack = new Packr({ useRecords: false, variableMapSize: true, copyBuffers: true, useToJSON: false })

/** What everything in MessagePack begins with: an array of two. V8's own format begins with 0xff. */
const pairTag = 0x92

/** Stands where a record has its version in what belongs to no table. */
const noVersion = 0

export function encodeRecord(table: AnyTable, value: unknown): Buffer {
  return encodePair(table.version, value, table)
}

/**
 * Bytes that are enough for the value of a write; nothing is written. Throws as encoding it would, so what it measures can
 * be encoded.
 */
export function roomFor({ table, value }: Write): number {
  if (value === undefined) return 0
  const room = roomInMessagePack(value, 0, table)
  return Number.isNaN(room) ? serialize(value).length : room
}

/** `bytes` may be memory that the next read overwrites: nothing of it is kept. */
export function decodeRecord(table: AnyTable, bytes: Uint8Array): unknown {
  let [version, value] = readPair(bytes, table)
  if (version > table.version) {
    throw new Error(
      `a record of table ${table.name} has version ${version}, but this program knows it only up to ${table.version}: ` +
        'the data was written by a newer Parley',
    )
  }
  for (; version < table.version; version++) value = table.upgrades[version]!(value as never)
  return value
}

/** Plain data that belongs to no table, such as a message between nodes, kept as exactly as a record. */
export function encodePlain(value: unknown): Buffer {
  return encodePair(noVersion, value)
}

export function decodePlain(bytes: Uint8Array): unknown {
  return readPair(bytes)[1]
}

/**
 * MessagePack keeps almost every plain value as it is. The few that it would bend (half a surrogate pair, a key named
 * `__proto__`, minus zero) are written in V8's own format instead, which is larger but bends nothing.
 */
function encodePair(version: number, value: unknown, of?: AnyTable): Buffer {
  const pair = [version, value]
  return Number.isNaN(roomInMessagePack(value, 0, of)) ? serialize(pair) : messagePack.pack(pair)
}

function readPair(bytes: Uint8Array, of?: AnyTable): [version: number, value: unknown] {
  try {
    const pair: unknown =
      bytes[0] === pairTag
        ? messagePack.unpack(bytes, { end: bytes.length })
        : deserialize(Uint8Array.prototype.slice.call(bytes, 0, bytes.length))
    if (Array.isArray(pair) && Number.isInteger(pair[0])) return pair as [number, unknown]
  } catch (cause) {
    throw new Error(`${nameOf(of)} cannot be read`, { cause })
  }
  throw new Error(`${nameOf(of)} cannot be read: its bytes are not those of plain data`)
}

/** The most that MessagePack puts before or in place of a value: a tag and eight bytes. */
const headBytes = 9
/** UTF-8 of one unit of a text, at most. */
const unitBytes = 3

/** At most how many bytes a value takes. Not a number for one that MessagePack would bend, or that holds such a one. */
function roomInMessagePack(value: unknown, depth: number, of?: AnyTable): number {
  switch (typeof value) {
    case 'string':
      return value.isWellFormed() ? headBytes + value.length * unitBytes : Number.NaN
    case 'number':
      return Object.is(value, -0) ? Number.NaN : headBytes
    case 'boolean':
    case 'undefined':
      return headBytes
    case 'object':
      if (value === null) return headBytes
      return value instanceof Uint8Array ? headBytes + value.length : roomForMembers(value, depth, of)
  }
  throw notPlain(`a ${typeof value}`, of)
}

function roomForMembers(value: object, depth: number, of?: AnyTable): number {
  if (depth >= limits.recordDepth) throw notPlain(`something nested deeper than ${limits.recordDepth} levels`, of)
  let room = headBytes
  if (Array.isArray(value)) {
    for (const item of value) room += roomInMessagePack(item, depth + 1, of)
    return room
  }
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) throw notPlain(`a ${value.constructor?.name}`, of)
  for (const key of Object.keys(value)) {
    room += key === '__proto__' ? Number.NaN : roomInMessagePack(key, depth, of)
    room += roomInMessagePack((value as Record<string, unknown>)[key], depth + 1, of)
  }
  return room
}

function notPlain(what: string, of?: AnyTable): Error {
  return new Error(`${nameOf(of)} holds ${what}, which is not plain data`)
}

function nameOf(of?: AnyTable): string {
  return of ? `a record of table ${of.name}` : 'a message'
}
