/** Records as bytes, each with the version of its table that wrote it, and their upgrade when an older one is read. */
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

/** What every record in MessagePack begins with: an array of two. V8's own format begins with 0xff. */
const pairTag = 0x92

/**
 * MessagePack keeps almost every plain value as it is. The few that it would bend (half a surrogate pair, a key named
 * `__proto__`, minus zero) are written in V8's own format instead, which is larger but bends nothing.
 */
export function encodeRecord(table: AnyTable, value: unknown): Buffer {
  const record = [table.version, value]
  return survivesMessagePack(table, value, 0) ? messagePack.pack(record) : serialize(record)
}

/** `bytes` may be memory that the next read overwrites: nothing of it is kept. */
export function decodeRecord(table: AnyTable, bytes: Uint8Array): unknown {
  let [version, value] = readPair(table, bytes)
  if (version > table.version) {
    throw new Error(
      `a record of table ${table.name} has version ${version}, but this program knows it only up to ${table.version}: ` +
        'the data was written by a newer Parley',
    )
  }
  for (; version < table.version; version++) value = table.upgrades[version]!(value as never)
  return value
}

function readPair(table: AnyTable, bytes: Uint8Array): [version: number, value: unknown] {
  try {
    const pair: unknown =
      bytes[0] === pairTag
        ? messagePack.unpack(bytes, { end: bytes.length })
        : deserialize(Uint8Array.prototype.slice.call(bytes, 0, bytes.length))
    if (Array.isArray(pair) && Number.isInteger(pair[0])) return pair as [number, unknown]
  } catch (cause) {
    throw new Error(`a record of table ${table.name} cannot be read`, { cause })
  }
  throw new Error(`a record of table ${table.name} cannot be read: its bytes are not a record`)
}

function survivesMessagePack(table: AnyTable, value: unknown, depth: number): boolean {
  switch (typeof value) {
    case 'string':
      return value.isWellFormed()
    case 'number':
      return !Object.is(value, -0)
    case 'boolean':
    case 'undefined':
      return true
    case 'object':
      return value === null || value instanceof Uint8Array || childrenSurvive(table, value, depth)
  }
  throw notPlain(table, `a ${typeof value}`)
}

function childrenSurvive(table: AnyTable, value: object, depth: number): boolean {
  if (depth >= limits.recordDepth) throw notPlain(table, `something nested deeper than ${limits.recordDepth} levels`)
  if (Array.isArray(value)) {
    let survives = true
    for (const item of value) if (!survivesMessagePack(table, item, depth + 1)) survives = false
    return survives
  }
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) throw notPlain(table, `a ${value.constructor?.name}`)
  let survives = true
  for (const key of Object.keys(value)) {
    if (key === '__proto__' || !key.isWellFormed()) survives = false
    if (!survivesMessagePack(table, (value as Record<string, unknown>)[key], depth + 1)) survives = false
  }
  return survives
}

function notPlain(table: AnyTable, what: string): Error {
  return new Error(`a record of table ${table.name} holds ${what}, which is not plain data`)
}
