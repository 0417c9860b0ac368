/**
 * Checks the payload of a native part: its schema is the channel's, so it only has to be plain JSON of a bounded size.
 */
import { http, amf as limits } from '../limits/index.js'
import { hasBadCharacters } from './characters.js'
import { addFinding, type ValidationContext } from './findings.js'

/** The bytes that remain; every value takes at least one, which bounds the walk as well. */
interface ByteBudget {
  bytes: number
}

export function checkPayload(value: unknown, context: ValidationContext): boolean {
  const budget = { bytes: limits.nativeBytes }
  const fault = faultOf(value, budget, 0)
  if (fault) return addFinding(context, fault)
  return (
    budget.bytes >= 0 ||
    addFinding(context, `must have at most ${limits.nativeBytes} bytes as JSON`, { code: 'tooLarge' })
  )
}

function faultOf(value: unknown, budget: ByteBudget, depth: number): string | undefined {
  if (budget.bytes < 0) return
  switch (typeof value) {
    case 'string':
      return charge(budget, value)
    case 'number':
      budget.bytes -= String(value).length
      return Number.isFinite(value) ? undefined : notJson
    case 'boolean':
      budget.bytes -= value ? 4 : 5
      return
    case 'object':
      if (value === null) budget.bytes -= 4
      else return containerFault(value, budget, depth + 1)
      return
    default:
      return notJson
  }
}

const notJson = 'must be plain JSON'

function containerFault(value: object, budget: ByteBudget, depth: number): string | undefined {
  if (depth > http.jsonDepth) return `must not be nested deeper than ${http.jsonDepth} levels`
  budget.bytes -= 2
  if (Array.isArray(value)) {
    if (value.length > budget.bytes) budget.bytes = -1
    for (let index = 0; index < value.length && budget.bytes >= 0; index++) {
      budget.bytes -= index > 0 ? 1 : 0
      const fault = faultOf(value[index], budget, depth)
      if (fault) return fault
    }
    return
  }
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== null && prototype !== Object.prototype) return notJson
  let first = true
  for (const key of Object.keys(value)) {
    if (budget.bytes < 0) return
    budget.bytes -= first ? 1 : 2
    first = false
    const fault = charge(budget, key) ?? faultOf((value as Record<string, unknown>)[key], budget, depth)
    if (fault) return fault
  }
  return
}

function charge(budget: ByteBudget, text: string): string | undefined {
  if (text.length > budget.bytes) budget.bytes = -1
  if (budget.bytes < 0) return
  budget.bytes -= jsonBytes(text)
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
