/** Gets a page that an operator named as a source: through the guard, within every limit, and only if it is another one. */
import type { Page, PageRequest, PageVersion } from '../../core/knowledge/page.js'
import { knowledge as defaults } from '../../core/limits.js'
import { parsedUrl } from '../url.js'
import { drain, readWhole } from '../webhook/answer.js'
import { type DoorOptions, openDoor, type Send } from '../webhook/door.js'
import { sentences } from '../webhook/reason.js'

export interface PageReader {
  /** Never throws. `stopped` is the answer to the signal, and to `close`. */
  get(request: PageRequest): Promise<Page>
  close(): Promise<void>
}

type Limits = { readonly [K in keyof typeof defaults]: number }

export function openPageReader(options: DoorOptions & { readonly limits?: Partial<Limits> }): PageReader {
  const limits = { ...defaults, ...options.limits }
  const door = openDoor(options, limits)
  return {
    async get({ url, version, signal }) {
      const found = await door.exchange(signal, (send) => arrive(send, url, headersOf(version), limits))
      if ('kind' in found) return found
      return found.reason === 'stopped' ? { kind: 'stopped' } : { kind: 'failed', reason: found.message }
    },
    close: door.close,
  }
}

function headersOf({ etag, lastModified }: PageVersion): Record<string, string> {
  return {
    accept: 'text/html, text/markdown, text/plain;q=0.9, text/csv;q=0.8, */*;q=0.1',
    'accept-encoding': 'gzip, br',
    'user-agent': 'Parley-Knowledge/1',
    ...(etag !== undefined && { 'if-none-match': etag }),
    ...(lastModified !== undefined && { 'if-modified-since': lastModified }),
  }
}

const redirecting = new Set([301, 302, 303, 307, 308])
const failed = (reason: string): Page => ({ kind: 'failed', reason })

async function arrive(send: Send, first: string, headers: Record<string, string>, limits: Limits): Promise<Page> {
  let url = first
  for (let left = limits.redirects; ; left--) {
    const answer = await send({ url, method: 'GET', headers })
    const { statusCode: status, headers: told } = answer
    const header = (name: string) => (typeof told[name] === 'string' ? told[name] : undefined)
    if (status === 200) {
      const bytes = await readWhole(answer, limits.bytes)
      if (typeof bytes === 'string') return failed(sentences[bytes])
      return { kind: 'page', contentType: header('content-type') ?? '', bytes, version: versionOf(header, limits) }
    }
    drain(answer.body)
    const isKnown = 'if-none-match' in headers || 'if-modified-since' in headers
    if (status === 304 && isKnown) return { kind: 'unchanged' }
    if (!redirecting.has(status)) return failed(`The page answered with status ${status}.`)
    const location = header('location')
    const next = location === undefined ? undefined : parsedUrl(location, url)
    if (!next) return failed(sentences['bad-answer'])
    if (left === 0) return failed(sentences['too-many-redirects'])
    next.hash = ''
    url = next.href
  }
}

function versionOf(header: (name: string) => string | undefined, { validatorChars }: Limits): PageVersion {
  const short = (value: string | undefined) =>
    value !== undefined && value.length <= validatorChars ? value : undefined
  const [etag, lastModified] = [short(header('etag')), short(header('last-modified'))]
  return { ...(etag !== undefined && { etag }), ...(lastModified !== undefined && { lastModified }) }
}
