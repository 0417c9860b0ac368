/** The header lines of a request, read once, and its framing: whether all HTTP parsers agree where it ends. */
import type { RequestHead } from './uws.js'

export class HeadLines {
  private readonly names: string[] = []
  private readonly values: string[] = []

  constructor(head: RequestHead) {
    head.forEach((name, value) => {
      this.names.push(name)
      this.values.push(value)
    })
  }

  /** The first header of that name, in lower case; empty when there is none. */
  first(name: string): string {
    const index = this.names.indexOf(name)
    return index === -1 ? '' : this.values[index]!
  }

  all(name: string): string[] {
    return this.values.filter((_, index) => this.names[index] === name)
  }

  /** How often each header occurs that decides the framing. */
  framing(): { hosts: number; lengths: number; codings: number } {
    let [hosts, lengths, codings] = [0, 0, 0]
    for (const name of this.names) {
      if (name === 'host') hosts++
      else if (name === 'content-length') lengths++
      else if (name === 'transfer-encoding') codings++
    }
    return { hosts, lengths, codings }
  }
}

/** `chunked`: the connection must end with the reply, since uWebSockets.js does not check how chunks end. */
export type Framing = 'plain' | 'chunked' | { readonly problem: string }

/**
 * uWebSockets.js uses the first Content-Length, and reads chunks whatever the Transfer-Encoding says; a proxy before
 * the node may read either otherwise. uWebSockets.js itself refuses a Content-Length beside a Transfer-Encoding.
 */
export function framingOf(method: string, lines: HeadLines): Framing {
  const { hosts, lengths, codings } = lines.framing()
  if (hosts > 1) return { problem: 'Host: is given twice' }
  if (lengths > 1) return { problem: 'Content-Length: is given twice' }
  if (lengths === 1 && !isLength(lines.first('content-length'))) {
    return { problem: 'Content-Length: must be a whole number' }
  }
  if (codings === 0) return 'plain'
  if (codings > 1 || lines.first('transfer-encoding').toLowerCase() !== 'chunked') {
    return { problem: 'Transfer-Encoding: must be chunked, once and alone' }
  }
  // The answer to a GET may be a stream, and uWebSockets.js cannot end the connection after one.
  if (method === 'GET' || method === 'HEAD') return { problem: `Transfer-Encoding: is not for ${method}` }
  return 'chunked'
}

const maxDigits = 15

function isLength(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 48
    if (digit < 0 || digit > 9) return false
  }
  return text.length > 0 && text.length <= maxDigits
}
