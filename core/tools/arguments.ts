/** The arguments of a call against the schema of its tool. */
import { isRecord } from '../json.js'
import { tools as limits } from '../limits/index.js'
import { faultOf } from './jsonschema.js'

/** A sentence that names the field and what it must be; undefined for arguments that fit. */
export function argumentProblem(schema: unknown, given: unknown): string | undefined {
  if (!isRecord(given)) return 'The arguments must be an object.'
  if (!isWithinBounds(given)) return 'The arguments are too large or nested too deeply.'
  const fault = faultOf(schema, given)
  if (!fault) return undefined
  const message = fault.message.slice(0, limits.faultChars)
  return fault.path.length === 0 ? `What is given ${message}.` : `${fieldOf(fault.path)} ${message}.`
}

/** `['cells', 1, 'name']` is `cells[1].name`. */
function fieldOf(path: readonly (string | number)[]): string {
  const field = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('')
  return field.replace(/^\./, '').slice(0, limits.fieldChars)
}

/** Reads no more of a value than the bounds allow. */
function isWithinBounds(value: unknown): boolean {
  let charsLeft = limits.argumentsChars
  function fits(each: unknown, depth: number): boolean {
    if (depth > limits.argumentsDepth || charsLeft < 0) return false
    if (Array.isArray(each)) return take(each.length + 2) && each.every((item) => fits(item, depth + 1))
    if (isRecord(each)) {
      return Object.entries(each).every(([name, member]) => take(name.length + 4) && fits(member, depth + 1))
    }
    return take(typeof each === 'string' ? each.length + 2 : 4)
  }
  function take(chars: number): boolean {
    charsLeft -= chars
    return charsLeft >= 0
  }
  return fits(value, 0)
}
