/** Reads a JSON body strictly: what JSON.parse lets pass silently (repeated keys, depth, stray halves) is refused here. */
import { isAscii, isUtf8 } from 'node:buffer'
import type { FieldError } from '../../core/errors.js'
import { http } from '../../core/limits.js'

export type JsonRead = { readonly value: unknown } | { readonly problem: FieldError }

export function readJson(bytes: Buffer): JsonRead {
  if (bytes.length === 0) return problem('body', 'is required')
  const plain = isAscii(bytes)
  if (!plain && !isUtf8(bytes)) return problem('body', 'is not valid UTF-8')
  const text = plain ? bytes.toString('latin1') : bytes.toString()
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return problem('body', 'is not valid JSON')
  }
  if (isPlain(value, text)) return { value }
  const found = inspect(text)
  return found ? { problem: found } : { value }
}

/**
 * True when there is nothing to refuse: as many keys came out as the text has, none of them reserved, none too deep, and
 * no escape could hide half a character. Only where this says no is the text walked for what is wrong and where.
 */
function isPlain(value: unknown, text: string): boolean {
  const keys = countKeys(value, 0)
  return keys >= 0 && keys === keysInText(text) && !text.includes('\\u')
}

/** Keys of a value and all it holds; -1 when it is too deep or uses a reserved name. */
function countKeys(value: unknown, depth: number): number {
  if (typeof value !== 'object' || value === null) return 0
  if (depth >= http.jsonDepth) return -1
  let keys = 0
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const inner = countKeys(value[index], depth + 1)
      if (inner < 0) return -1
      keys += inner
    }
    return keys
  }
  for (const key in value) {
    const inner = key === '__proto__' ? -1 : countKeys((value as Record<string, unknown>)[key], depth + 1)
    if (inner < 0) return -1
    keys += 1 + inner
  }
  return keys
}

/** Strings that stand before a colon. */
function keysInText(text: string): number {
  let keys = 0
  let at = text.indexOf('"')
  while (at !== -1) {
    let next = endOfString(text, at) + 1
    while (text.charCodeAt(next) <= 32) next++
    if (text.charCodeAt(next) === 58) keys++
    at = text.indexOf('"', next)
  }
  return keys
}

function problem(field: string, message: string): { problem: FieldError } {
  return { problem: { field, message } }
}

interface Frame {
  /** Keys seen so far; absent in an array. */
  readonly keys?: Set<string>
  /** Where we are inside: the current key, or the current index. */
  at: string | number
}

/** Walks text already known to be JSON, so every bracket and quote is where it should be. */
function inspect(text: string): FieldError | undefined {
  const frames: Frame[] = []
  let frame: Frame | undefined
  let keyNext = false
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case 123: // {
      case 91: // [
        keyNext = text.charCodeAt(index) === 123
        frame = keyNext ? { keys: new Set(), at: '' } : { at: 0 }
        frames.push(frame)
        if (frames.length > http.jsonDepth) {
          return { field: 'body', message: `is nested more than ${http.jsonDepth} levels deep` }
        }
        break
      case 125: // }
      case 93: // ]
        frames.pop()
        frame = frames.at(-1)
        keyNext = false
        break
      case 44: // ,
        if (frame?.keys) keyNext = true
        else if (frame) frame.at = (frame.at as number) + 1
        break
      case 34: {
        const end = endOfString(text, index)
        const raw = text.slice(index + 1, end)
        const value = raw.includes('\\') ? (JSON.parse(text.slice(index, end + 1)) as string) : raw
        if (keyNext && frame?.keys) {
          frame.at = value
          if (frame.keys.has(value)) return { field: pathOf(frames), message: 'is given twice' }
          if (value === '__proto__') return { field: pathOf(frames), message: 'is not a name that can be used' }
          frame.keys.add(value)
          keyNext = false
        }
        if (value !== raw && /\p{Surrogate}/u.test(value)) {
          return { field: pathOf(frames), message: 'holds half of a character (a lone surrogate)' }
        }
        index = end
        break
      }
    }
  }
  return undefined
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text.charCodeAt(at - 1 - slashes) === 92) slashes++
  return slashes % 2 === 1
}

function pathOf(frames: readonly Frame[]): string {
  const path = frames.map(({ at }) => (typeof at === 'number' ? `[${at}]` : `.${at}`)).join('')
  return path.replace(/^\./, '') || 'body'
}
