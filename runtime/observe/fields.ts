/** Turns whatever a caller hands to the log into plain data of bounded size. Nothing in here throws. */
import { types } from 'node:util'
import { isRecord } from '../../core/json.js'
import { log } from '../../core/limits.js'

export type Fields = Readonly<Record<string, unknown>>
export type PlainFields = Record<string, unknown>

const hidden = '[redacted]'
/** Names whose text is a secret whatever it looks like. */
const secretName =
  /(?:authorization|cookie|passw(?:or)?d|passphrase|secret|token|credential|(?:api|private|secret|model|bootstrap)[_-]?key(?:hex)?|signature)s?$/i
/** Names under which people's own words travel. */
const wordsName = /^(?:text|body|content|prompt)$/i
/** Names that the line itself uses. */
const ownName = /^(?:level|time|event)$/

interface Walk {
  charsLeft: number
  readonly ancestors: Set<object>
}

export function plainFields(fields: Fields | undefined): PlainFields {
  const walk: Walk = { charsLeft: log.lineChars, ancestors: new Set() }
  const plain = emptyFields()
  const walked = fields === undefined ? {} : plainValue(fields, walk)
  if (!isRecord(walked)) return Object.assign(plain, { value: walked })
  for (const [name, value] of Object.entries(walked)) plain[ownName.test(name) ? `${name}_` : name] = value
  return plain
}

/** Without a prototype, so that no name a caller chose can mean anything. */
function emptyFields(): PlainFields {
  return Object.create(null) as PlainFields
}

function plainValue(value: unknown, walk: Walk): unknown {
  try {
    return plainKind(value, walk)
  } catch {
    return '[unreadable]'
  }
}

function plainKind(value: unknown, walk: Walk): unknown {
  switch (typeof value) {
    case 'string':
      return plainText(value, walk)
    case 'number':
      return plainNumber(value, walk)
    case 'boolean':
      return value
    case 'bigint':
    case 'symbol':
      return plainText(String(value), walk)
    case 'object':
      return value === null ? null : plainObject(value, walk)
    default:
      return undefined
  }
}

function plainText(text: string, walk: Walk): string {
  const cut = cutText(text, Math.min(log.fieldChars, Math.max(0, walk.charsLeft)))
  walk.charsLeft -= cut.length
  return cut
}

/** Six decimals are a microsecond of a second; what JSON cannot say is said in words. */
function plainNumber(value: number, walk: Walk): number | string {
  walk.charsLeft -= 8
  if (!Number.isFinite(value)) return String(value)
  return Number.isInteger(value) ? value : Math.round(value * 1e6) / 1e6
}

function plainObject(value: object, walk: Walk): unknown {
  if (walk.ancestors.has(value)) return '[circular]'
  if (walk.ancestors.size >= log.depthLevels) return '[too deep]'
  if (walk.charsLeft <= 0) return '[cut]'
  walk.ancestors.add(value)
  try {
    return plainKnown(value, walk)
  } finally {
    walk.ancestors.delete(value)
  }
}

function plainKnown(value: object, walk: Walk): unknown {
  if (types.isNativeError(value) || value instanceof Error) return plainError(value, walk)
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString()
  if (value instanceof URL) return plainText(value.href, walk)
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if (Array.isArray(value)) return plainList(value, value.length, walk)
  if (value instanceof Set) return plainList(value, value.size, walk)
  if (value instanceof Map) return plainEntries(value, value.size, walk)
  const names = Object.keys(value)
  return plainEntries(entriesOf(value, names), names.length, walk)
}

/** A member that throws when it is read costs that member, not the line. */
function* entriesOf(value: object, names: readonly string[]): Generator<[string, unknown]> {
  for (const name of names) {
    let held: unknown
    try {
      held = (value as Fields)[name]
    } catch {
      held = '[unreadable]'
    }
    yield [name, held]
  }
}

/** Only what names the failure: errors of clients carry whole requests, headers and all, in their other members. */
function plainError(error: Error & { code?: unknown; errors?: unknown }, walk: Walk): PlainFields {
  const parts = [
    ['message', String(error.message)],
    ['code', error.code],
    ['stack', error.stack],
    ['cause', error.cause],
    ['errors', error.errors],
  ] as const
  const present = parts.filter(([, part]) => part !== undefined)
  return plainEntries(present, present.length, walk)
}

function plainList(items: Iterable<unknown>, size: number, walk: Walk): unknown[] {
  const list: unknown[] = []
  for (const item of items) {
    if (list.length >= log.entriesPerObject || walk.charsLeft <= 0) return [...list, `[${size - list.length} more]`]
    list.push(plainValue(item, walk) ?? null)
  }
  return list
}

function plainEntries(entries: Iterable<readonly [unknown, unknown]>, size: number, walk: Walk): PlainFields {
  const plain = emptyFields()
  let taken = 0
  for (const [key, value] of entries) {
    if (taken >= log.entriesPerObject || walk.charsLeft <= 0) {
      plain.more = size - taken
      break
    }
    taken++
    const name = plainText(typeof key === 'object' ? '[object]' : String(key), walk)
    const said = hides(name, value) ? hidden : plainValue(value, walk)
    if (said !== undefined) plain[name] = said
  }
  return plain
}

/** Counts and flags may go by any name: `tokens: 512` is no secret. */
function hides(name: string, value: unknown): boolean {
  if (value === null || !['string', 'object', 'bigint'].includes(typeof value)) return false
  return secretName.test(name) || wordsName.test(name)
}

/**
 * Cuts a long text so that no half of a secret is left at the end, where nothing would recognise it any more: the last
 * word goes with the cut, and so do the digits before it.
 */
function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  const wordMaxChars = 320
  let end = maxChars
  while (end > 0 && maxChars - end < wordMaxChars && !/[\s"',;]/.test(text[end - 1]!)) end--
  while (end > 0 && /[\p{Nd}\p{Zs}\p{Pd}().+/"]/u.test(text[end - 1]!)) end--
  return `${text.slice(0, end)}[${text.length - end} more characters]`
}
