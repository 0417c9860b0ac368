/** The payload of a native part: nobody here knows its shape, so it is held to being plain JSON of a bounded size. */
import { http, amf as limits } from '../limits.js'
import { hasBadCharacters } from './characters.js'
import { note, type Walk } from './walk.js'

/** The bytes that are left; every value takes at least one, which bounds the walk as well. */
interface Room {
  bytes: number
}

export function checkPayload(value: unknown, walk: Walk): boolean {
  const room = { bytes: limits.nativeBytes }
  const fault = faultOf(value, room, 0)
  if (fault) return note(walk, fault)
  return room.bytes >= 0 || note(walk, `must have at most ${limits.nativeBytes} bytes as JSON`, { code: 'tooLarge' })
}

function faultOf(value: unknown, room: Room, depth: number): string | undefined {
  if (room.bytes < 0) return
  switch (typeof value) {
    case 'string':
      return take(room, value)
    case 'number':
      room.bytes -= String(value).length
      return Number.isFinite(value) ? undefined : notJson
    case 'boolean':
      room.bytes -= value ? 4 : 5
      return
    case 'object':
      if (value === null) room.bytes -= 4
      else return faultInside(value, room, depth + 1)
      return
    default:
      return notJson
  }
}

const notJson = 'must be plain JSON'

function faultInside(value: object, room: Room, depth: number): string | undefined {
  if (depth > http.jsonDepth) return `must not be nested deeper than ${http.jsonDepth} levels`
  room.bytes -= 2
  if (Array.isArray(value)) {
    if (value.length > room.bytes) room.bytes = -1
    for (let place = 0; place < value.length && room.bytes >= 0; place++) {
      room.bytes -= place > 0 ? 1 : 0
      const fault = faultOf(value[place], room, depth)
      if (fault) return fault
    }
    return
  }
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== null && prototype !== Object.prototype) return notJson
  let first = true
  for (const key of Object.keys(value)) {
    if (room.bytes < 0) return
    room.bytes -= first ? 1 : 2
    first = false
    const fault = take(room, key) ?? faultOf((value as Record<string, unknown>)[key], room, depth)
    if (fault) return fault
  }
  return
}

function take(room: Room, text: string): string | undefined {
  if (text.length > room.bytes) room.bytes = -1
  if (room.bytes < 0) return
  room.bytes -= jsonBytes(text)
  return hasBadCharacters(text) ? 'must not hold NUL or half a surrogate pair' : undefined
}

function jsonBytes(text: string): number {
  let bytes = 2
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    if (code < 0x20) bytes += '\b\t\n\f\r'.includes(character) ? 2 : 6
    else if (code < 0x80) bytes += character === '"' || character === '\\' ? 2 : 1
    else bytes += code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
  }
  return bytes
}
