/** The header lines of a request, read once, and whether two readers of its framing must agree where it ends. */
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

  /** The first value of that lower-case name; empty when there is none. */
  first(name: string): string {
    const at = this.names.indexOf(name)
    return at === -1 ? '' : this.values[at]!
  }

  all(name: string): string[] {
    return this.values.filter((_, at) => this.names[at] === name)
  }

  /** How often each name that decides the framing is given. */
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

/** `chunked`: the connection must end with the answer, since uWebSockets.js does not check how chunks end. */
export type Framing = 'plain' | 'chunked' | { readonly problem: string }

/**
 * uWebSockets.js takes the first Content-Length, and chunks whatever the transfer encoding says; a proxy before the node
 * may do otherwise. It refuses a Content-Length beside a Transfer-Encoding by itself.
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
  // A reader's answer may be a stream, after which uWebSockets.js cannot be told to end the connection.
  if (method === 'GET' || method === 'HEAD') return { problem: `Transfer-Encoding: is not for ${method}` }
  return 'chunked'
}

const mostDigits = 15

function isLength(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 48
    if (digit < 0 || digit > 9) return false
  }
  return text.length > 0 && text.length <= mostDigits
}
