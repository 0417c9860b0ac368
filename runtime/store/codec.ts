/** Plain data as bytes; records carry the version of their table that wrote them and are upgraded when read. */
import { deserialize, serialize } from 'node:v8'
import { Packr } from 'msgpackr'
import { store as limits } from '../../core/limits.js'
import type { Table } from './contract.js'

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
  return survivesMessagePack(value, 0, of) ? messagePack.pack(pair) : serialize(pair)
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

function survivesMessagePack(value: unknown, depth: number, of?: AnyTable): boolean {
  switch (typeof value) {
    case 'string':
      return value.isWellFormed()
    case 'number':
      return !Object.is(value, -0)
    case 'boolean':
    case 'undefined':
      return true
    case 'object':
      return value === null || value instanceof Uint8Array || childrenSurvive(value, depth, of)
  }
  throw notPlain(`a ${typeof value}`, of)
}

function childrenSurvive(value: object, depth: number, of?: AnyTable): boolean {
  if (depth >= limits.recordDepth) throw notPlain(`something nested deeper than ${limits.recordDepth} levels`, of)
  if (Array.isArray(value)) {
    let survives = true
    for (const item of value) if (!survivesMessagePack(item, depth + 1, of)) survives = false
    return survives
  }
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) throw notPlain(`a ${value.constructor?.name}`, of)
  let survives = true
  for (const key of Object.keys(value)) {
    if (key === '__proto__' || !key.isWellFormed()) survives = false
    if (!survivesMessagePack((value as Record<string, unknown>)[key], depth + 1, of)) survives = false
  }
  return survives
}

function notPlain(what: string, of?: AnyTable): Error {
  return new Error(`${nameOf(of)} holds ${what}, which is not plain data`)
}

function nameOf(of?: AnyTable): string {
  return of ? `a record of table ${of.name}` : 'a message'
}
