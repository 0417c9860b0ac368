/** What calendar and contact files have in common (RFC 5545, RFC 6350): texts escaped, long lines folded, one property a line. */

const foldOctets = 75

export type Property = readonly [name: string, value: string | undefined]

/** What has no value is left out. */
export function propertyLines(properties: readonly Property[]): string {
  return properties
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${foldLine(`${name}:${value}`)}\r\n`)
    .join('')
}

/** Characters that mean something in a text value; other controls have no place in one. */
export function escapeText(text: string): string {
  return (
    text
      .replace(/\r\n?/g, '\n')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a text value must not have
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '')
      .replace(/[\\;,]/g, '\\$&')
      .replace(/\n/g, '\\n')
  )
}

/** No line has more than 75 octets; one that goes on begins with a space. Characters are never divided. */
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
