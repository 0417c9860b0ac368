/** Bounds of a JSON text that are checked on its bytes before a parser sees it: how deep it nests, and how many values it has. */

export interface JsonBounds {
  readonly depth: number
  /** Brackets that open, commas and colons outside of texts: what a parser takes its time for. */
  readonly tokens: number
}

const [quote, comma, colon, backslash] = [34, 44, 58, 92]
const [openBracket, closeBracket, openBrace, closeBrace] = [91, 93, 123, 125]

/** One walk over the bytes, which ends at the first bound that is passed. Bytes that are no JSON may give either answer. */
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
