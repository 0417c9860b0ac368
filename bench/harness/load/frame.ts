/** Finds the end of one HTTP response by its Content-Length alone. */

const headEnd = Buffer.from('\r\n\r\n')
const lengthTail = Buffer.from('ength:')
const lengthName = 'content-length:'
const digit0 = 48
const digit9 = 57
const space = 32

export interface ResponseHead {
  readonly status: number
  readonly headBytes: number
  readonly bodyBytes: number
}

/**
 * Reads the head at the start of `bytes`, of which `used` are valid; undefined when the head is incomplete. A response
 * without a length cannot be framed and counts as one without a body.
 */
export function parseHead(bytes: Buffer, used: number): ResponseHead | undefined {
  const end = bytes.indexOf(headEnd)
  if (end < 0 || end + headEnd.length > used) return undefined
  const status = (bytes[9]! - digit0) * 100 + (bytes[10]! - digit0) * 10 + (bytes[11]! - digit0)
  return { status, headBytes: end + headEnd.length, bodyBytes: contentLength(bytes, end) }
}

/** Matches the end of the header name first: every server spells it alike, so the full comparison is rare. */
function contentLength(bytes: Buffer, end: number): number {
  for (let tail = bytes.indexOf(lengthTail); tail > 0 && tail < end; tail = bytes.indexOf(lengthTail, tail + 1)) {
    const colon = tail + lengthTail.length
    const name = bytes.toString('latin1', colon - lengthName.length, colon)
    if (name.toLowerCase() !== lengthName) continue
    let at = colon
    while (bytes[at] === space) at++
    let length = 0
    for (let byte = bytes[at]!; byte >= digit0 && byte <= digit9; byte = bytes[++at]!)
      length = length * 10 + byte - digit0
    return length
  }
  return 0
}
