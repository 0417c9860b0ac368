/** The parameters of a form, as they stand in a body. */
import { Buffer } from 'node:buffer'

export interface Parameter {
  readonly name: string
  readonly value: string
}

export type Form = readonly Parameter[]

const [and, equals, plus, percent, space] = [0x26, 0x3d, 0x2b, 0x25, 0x20]

/** Zero for bytes that stand for themselves. */
const means = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 || [and, equals, plus, percent].includes(byte) ? 1 : 0,
)
/** What a hexadecimal digit stands for; negative for what is none. */
const digits = Int8Array.from({ length: 256 }, (_, byte) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(byte).toLowerCase()),
)

/** Over with each call. */
const scratch = Buffer.allocUnsafeSlow(16 * 1024)

/**
 * Reads what the platform's `URLSearchParams` reads from behind a question mark, with a fraction of its objects: a call
 * of the provider has two dozen parameters, and each is looked at once or twice. Mostly all of it is ASCII, and then it
 * is decoded in one walk and cut from one text.
 */
export function readForm(body: Uint8Array): Form {
  const { length } = body
  const decoded = length <= scratch.length ? scratch : Buffer.allocUnsafe(length)
  /** Where each name ends, and its value. */
  const ends: number[] = []
  let size = 0
  let began = 0
  let nameEnd = -1
  for (let at = 0; at < length; at++) {
    let byte = body[at]!
    if (means[byte] !== 0) {
      if (byte === and) {
        if (at > began) ends.push(nameEnd < 0 ? size : nameEnd, size)
        began = at + 1
        nameEnd = -1
        continue
      }
      if (byte === equals && nameEnd < 0) {
        nameEnd = size
        continue
      }
      if (byte === plus) byte = space
      else if (byte === percent && at + 2 < length) {
        const code = (digits[body[at + 1]!]! << 4) | digits[body[at + 2]!]!
        if (code >= 0) {
          byte = code
          at += 2
        }
      }
      if (byte >= 0x80) return readText(Buffer.from(body.buffer, body.byteOffset, length).toString())
    }
    decoded[size++] = byte
  }
  if (length > began) ends.push(nameEnd < 0 ? size : nameEnd, size)
  return cutAt(ends, decoded.toString('latin1', 0, size))
}

function cutAt(ends: readonly number[], text: string): Form {
  const form: Parameter[] = []
  for (let at = 0, from = 0; at < ends.length; at += 2) {
    const [nameEnd, end] = [ends[at]!, ends[at + 1]!]
    form.push({ name: text.slice(from, nameEnd), value: text.slice(nameEnd, end) })
    from = end
  }
  return form
}

/** The same from a text in which anything may stand. */
function readText(text: string): Form {
  const form: Parameter[] = []
  for (const piece of text.split('&')) {
    if (piece === '') continue
    const equals = piece.indexOf('=')
    const name = equals < 0 ? piece : piece.slice(0, equals)
    form.push({ name: decodedText(name), value: equals < 0 ? '' : decodedText(piece.slice(equals + 1)) })
  }
  return form
}

function decodedText(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    // No text in UTF-8: the platform knows what stands for the rest.
    return new URLSearchParams(`=${text}`).get('') ?? ''
  }
}

/** The first value under that name; undefined where there is none. */
export function valueIn(form: Form, name: string): string | undefined {
  for (const parameter of form) if (parameter.name === name) return parameter.value
  return undefined
}
