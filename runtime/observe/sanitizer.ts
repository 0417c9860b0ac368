/** Converts the fields of a log call to plain data of bounded size. No function in this file throws. */
import { types } from 'node:util'
import { isRecord } from '../../core/json.js'
import { log } from '../../core/limits/index.js'

export type Fields = Readonly<Record<string, unknown>>
export type SanitizedFields = Record<string, unknown>

const hidden = '[redacted]'
/** Field names whose text is a secret in any form. */
const secretName =
  /(?:authorization|cookie|passw(?:or)?d|passphrase|secret|token|credential|(?:api|private|secret|model|bootstrap)[_-]?key(?:hex)?|signature)s?$/i
/** Field names for texts of people. */
const wordsName = /^(?:text|body|content|prompt)$/i
/** Names of the log line's own fields. */
const ownName = /^(?:level|time|event)$/

interface Walk {
  charsLeft: number
  readonly ancestors: Set<object>
}

export function sanitizeFields(fields: Fields | undefined): SanitizedFields {
  const walk: Walk = { charsLeft: log.lineChars, ancestors: new Set() }
  const plain = createFields()
  const sanitized = fields === undefined ? {} : sanitizeValue(fields, walk)
  if (!isRecord(sanitized)) return Object.assign(plain, { value: sanitized })
  for (const [name, value] of Object.entries(sanitized)) plain[ownName.test(name) ? `${name}_` : name] = value
  return plain
}

/** Without a prototype, so that a caller's field name has no special meaning. */
function createFields(): SanitizedFields {
  return Object.create(null) as SanitizedFields
}

function sanitizeValue(value: unknown, walk: Walk): unknown {
  try {
    return sanitizeByType(value, walk)
  } catch {
    return '[unreadable]'
  }
}

function sanitizeByType(value: unknown, walk: Walk): unknown {
  switch (typeof value) {
    case 'string':
      return sanitizeText(value, walk)
    case 'number':
      return sanitizeNumber(value, walk)
    case 'boolean':
      return value
    case 'bigint':
    case 'symbol':
      return sanitizeText(String(value), walk)
    case 'object':
      return value === null ? null : sanitizeObject(value, walk)
    default:
      return undefined
  }
}

function sanitizeText(text: string, walk: Walk): string {
  const cut = cutText(text, Math.min(log.fieldChars, Math.max(0, walk.charsLeft)))
  walk.charsLeft -= cut.length
  return cut
}

/** Six decimals are a microsecond of a second; numbers that JSON lacks are written as words. */
function sanitizeNumber(value: number, walk: Walk): number | string {
  walk.charsLeft -= 8
  if (!Number.isFinite(value)) return String(value)
  return Number.isInteger(value) ? value : Math.round(value * 1e6) / 1e6
}

function sanitizeObject(value: object, walk: Walk): unknown {
  if (walk.ancestors.has(value)) return '[circular]'
  if (walk.ancestors.size >= log.depthLevels) return '[too deep]'
  if (walk.charsLeft <= 0) return '[cut]'
  walk.ancestors.add(value)
  try {
    return sanitizeKnownObject(value, walk)
  } finally {
    walk.ancestors.delete(value)
  }
}

function sanitizeKnownObject(value: object, walk: Walk): unknown {
  if (types.isNativeError(value) || value instanceof Error) return sanitizeError(value, walk)
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString()
  if (value instanceof URL) return sanitizeText(value.href, walk)
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if (Array.isArray(value)) return sanitizeList(value, value.length, walk)
  if (value instanceof Set) return sanitizeList(value, value.size, walk)
  if (value instanceof Map) return sanitizeEntries(value, value.size, walk)
  const names = Object.keys(value)
  return sanitizeEntries(entriesOf(value, names), names.length, walk)
}

/** A member that throws on reading is written as `[unreadable]`; the line stays. */
function* entriesOf(value: object, names: readonly string[]): Generator<[string, unknown]> {
  for (const name of names) {
    let member: unknown
    try {
      member = (value as Fields)[name]
    } catch {
      member = '[unreadable]'
    }
    yield [name, member]
  }
}

/**
 * Only the members that identify the failure: errors of clients carry whole requests with their headers in other
 * members.
 */
function sanitizeError(error: Error & { code?: unknown; errors?: unknown }, walk: Walk): SanitizedFields {
  const parts = [
    ['message', String(error.message)],
    ['code', error.code],
    ['stack', error.stack],
    ['cause', error.cause],
    ['errors', error.errors],
  ] as const
  const present = parts.filter(([, part]) => part !== undefined)
  return sanitizeEntries(present, present.length, walk)
}

function sanitizeList(items: Iterable<unknown>, size: number, walk: Walk): unknown[] {
  const list: unknown[] = []
  for (const item of items) {
    if (list.length >= log.entriesPerObject || walk.charsLeft <= 0) return [...list, `[${size - list.length} more]`]
    list.push(sanitizeValue(item, walk) ?? null)
  }
  return list
}

function sanitizeEntries(entries: Iterable<readonly [unknown, unknown]>, size: number, walk: Walk): SanitizedFields {
  const plain = createFields()
  let count = 0
  for (const [key, value] of entries) {
    if (count >= log.entriesPerObject || walk.charsLeft <= 0) {
      plain.more = size - count
      break
    }
    count++
    const name = sanitizeText(typeof key === 'object' ? '[object]' : String(key), walk)
    const sanitized = isHidden(name, value) ? hidden : sanitizeValue(value, walk)
    if (sanitized !== undefined) plain[name] = sanitized
  }
  return plain
}

/** Counts and flags may have any name: `tokens: 512` is no secret. */
function isHidden(name: string, value: unknown): boolean {
  if (value === null || !['string', 'object', 'bigint'].includes(typeof value)) return false
  return secretName.test(name) || wordsName.test(name)
}

/**
 * Cuts a long text so that no half of a secret remains at the end, where no pattern would recognise it: the last word
 * is cut off too, and so are the digits before it.
 */
function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  const wordMaxChars = 320
  let end = maxChars
  while (end > 0 && maxChars - end < wordMaxChars && !/[\s"',;]/.test(text[end - 1]!)) end--
  while (end > 0 && /[\p{Nd}\p{Zs}\p{Pd}().+/"]/u.test(text[end - 1]!)) end--
  return `${text.slice(0, end)}[${text.length - end} more characters]`
}
