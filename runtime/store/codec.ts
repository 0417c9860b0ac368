/**
 * Encodes plain data as bytes; a record carries the version of its table that wrote it and is upgraded when it is read.
 */
import { deserialize, serialize } from 'node:v8'
import { Packr } from 'msgpackr'
import type { Table } from './contract.js'
import { pack, UnsupportedValue } from './messagepack.js'

type AnyTable = Pick<Table<never, unknown>, 'name' | 'version' | 'upgrades'>

/**
 * Reads the bytes that this file writes. Maps are written in full, without structures shared between records, so each
 * record stays readable on its own.
 */
const messagePack = new Packr({ useRecords: false, variableMapSize: true, copyBuffers: true, useToJSON: false })

/** The first byte of every MessagePack value here: an array of two. V8's own format begins with 0xff. */
const pairTag = 0x92

/** In place of a table's version, for values that belong to no table. */
const noVersion = 0

export function encodeRecord(table: AnyTable, value: unknown): Buffer {
  return encodePair(table.version, value, table)
}

/** `bytes` may be memory that the next read overwrites: the decoded value does not refer to it. */
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

/** Plain data that belongs to no table, such as a message between nodes; encoded as exactly as a record. */
export function encodePlain(value: unknown): Buffer {
  return encodePair(noVersion, value)
}

export function decodePlain(bytes: Uint8Array): unknown {
  return readPair(bytes)[1]
}

/**
 * MessagePack encodes almost every plain value exactly. Values that it would change (half a surrogate pair, a key named
 * `__proto__`, minus zero) are written in V8's own format instead, which is larger but exact.
 */
function encodePair(version: number, value: unknown, of?: AnyTable): Buffer {
  try {
    return pack(version, value) ?? serialize([version, value])
  } catch (error) {
    throw describeError(error, of)
  }
}

function readPair(bytes: Uint8Array, of?: AnyTable): [version: number, value: unknown] {
  try {
    const pair: unknown =
      bytes[0] === pairTag
        ? messagePack.unpack(bytes, { end: bytes.length })
        : deserialize(Uint8Array.prototype.slice.call(bytes, 0, bytes.length))
    if (Array.isArray(pair) && Number.isInteger(pair[0])) return pair as [number, unknown]
  } catch (cause) {
    throw new Error(`${subjectOf(of)} cannot be read`, { cause })
  }
  throw new Error(`${subjectOf(of)} cannot be read: its bytes are not those of plain data`)
}

/** Names the table of the record that cannot be written. */
function describeError(error: unknown, of?: AnyTable): unknown {
  return error instanceof UnsupportedValue
    ? new Error(`${subjectOf(of)} holds ${error.what}, which is not plain data`)
    : error
}

function subjectOf(of?: AnyTable): string {
  return of ? `a record of table ${of.name}` : 'a message'
}
