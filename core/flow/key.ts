/** The key of a call: the same for the same name and arguments, in whatever order the members stand. */
import { bodyHash } from '../agent/index.js'
import { isRecord } from '../json.js'
import type { ToolCall } from '../tools/contract.js'

export function keyOfCall({ name, arguments: values }: ToolCall): string {
  return bodyHash(`${name}\n${canonicalText(values, 0)}`)
}

/** Arguments may come from a language model: what is nested deeper than any schema asks for counts as equal. */
const deepest = 32

function canonicalText(value: unknown, depth: number): string {
  if (depth > deepest) return '"…"'
  if (Array.isArray(value)) return `[${value.map((each) => canonicalText(each, depth + 1)).join(',')}]`
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null'
  const members = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalText(value[name], depth + 1)}`)
  return `{${members.join(',')}}`
}
