/**
 * Shared syntax of calendar and contact files (RFC 5545, RFC 6350): escaping, line folding, one property on each line.
 */

const foldOctets = 75

export type Property = readonly [name: string, value: string | undefined]

/** Skips properties without a value. */
export function propertyLines(properties: readonly Property[]): string {
  return properties
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${foldLine(`${name}:${value}`)}\r\n`)
    .join('')
}

/** Escapes special characters of a text value and removes control characters. */
export function escapeText(text: string): string {
  return (
    text
      .replace(/\r\n?/g, '\n')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '')
      .replace(/[\\;,]/g, '\\$&')
      .replace(/\n/g, '\\n')
  )
}

/** A line has at most 75 octets; a continuation begins with a space. Characters are never split. */
export function foldLine(line: string): string {
  let octets = 0
  let result = ''
  for (const character of line) {
    const size = octetsOf(character)
    if (octets + size > foldOctets) {
      result += '\r\n '
      octets = 1
    }
    result += character
    octets += size
  }
  return result
}

function octetsOf(character: string): number {
  const code = character.codePointAt(0)!
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
}
