/** Bounds on JSON that are checked on its bytes before parsing: nesting depth and number of values. */

export interface JsonBounds {
  readonly depth: number
  /** Opening brackets, commas and colons outside of strings: the parser's time depends on them. */
  readonly tokens: number
}

const [quote, comma, colon, backslash] = [34, 44, 58, 92]
const [openBracket, closeBracket, openBrace, closeBrace] = [91, 93, 123, 125]

/** Walks the bytes once and stops at the first exceeded bound. Bytes that are no JSON may give either answer. */
export function isWithinJsonBounds(bytes: Uint8Array, { depth, tokens }: JsonBounds): boolean {
  let level = 0
  let tokenCount = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === quote) {
      for (at++; at < bytes.length && bytes[at] !== quote; at++) if (bytes[at] === backslash) at++
    } else if (byte === openBrace || byte === openBracket) {
      if (++level > depth || ++tokenCount > tokens) return false
    } else if (byte === closeBrace || byte === closeBracket) level--
    else if ((byte === comma || byte === colon) && ++tokenCount > tokens) return false
  }
  return true
}
