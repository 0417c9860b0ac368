/** Reads forms of both content types: every value of each name, in order. */

export type Form = Readonly<Record<string, readonly string[]>>

/** Undefined for a body of any other content type, and for a broken one. */
export function readForm(contentType: string, body: Buffer): Form | undefined {
  if (contentType.startsWith('application/x-www-form-urlencoded')) {
    return collect([...new URLSearchParams(body.toString())])
  }
  const [, quoted, plain = quoted] = /^multipart\/form-data;.*boundary=(?:"([^"]+)"|([^;\s]+))/.exec(contentType) ?? []
  return plain === undefined ? undefined : readMultipart(plain, body.toString('latin1'))
}

function readMultipart(boundary: string, text: string): Form | undefined {
  const parts = `\r\n${text}`.split(`\r\n--${boundary}`).slice(1)
  if (!parts.pop()?.startsWith('--')) return undefined
  const fields: [string, string][] = []
  for (const part of parts) {
    const end = part.indexOf('\r\n\r\n')
    const name = /\bname="([^"]*)"/.exec(part.slice(0, Math.max(0, end)))?.[1]
    if (end < 0 || name === undefined) return undefined
    fields.push([name, Buffer.from(part.slice(end + 4), 'latin1').toString()])
  }
  return collect(fields)
}

function collect(fields: readonly [string, string][]): Form {
  const names = [...new Set(fields.map(([name]) => name))]
  return Object.fromEntries(
    names.map((name) => [name, fields.filter(([each]) => each === name).map(([, value]) => value)]),
  )
}
