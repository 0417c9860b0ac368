/** The browsers' requests for the widget: each from another address, since one address has a limited number. */
import { requestBytes } from '../../harness/load/generator.js'

export interface Downloads {
  readonly path: string
}

export function requests({ path }: Downloads): () => Buffer {
  let browser = 0
  return () => {
    browser = (browser + 1) % 2 ** 24
    const address = `10.${browser >> 16}.${(browser >> 8) & 255}.${browser & 255}`
    const headers = { 'accept-encoding': 'gzip', 'x-forwarded-for': address }
    return requestBytes({ method: 'GET', path, headers, body: '' })
  }
}

/** The request of a candidate behind a proxy. */
export function downloads(of: Downloads) {
  return { method: 'GET', path: of.path, headers: {}, body: '', made: { by: 'webchat/downloads', of } }
}
