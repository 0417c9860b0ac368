/** Reader of knowledge pages: conditional GET through the URL guard and within all limits. */
import type { Page, PageRequest, PageVersion } from '../../core/knowledge/page.js'
import { knowledge as defaults } from '../../core/limits/index.js'
import { parseUrl } from '../config/url.js'
import { drain, readBody } from '../egress/body.js'
import { createEgressClient, type EgressClientOptions, type Send } from '../egress/client.js'
import { failureMessages } from '../egress/reason.js'

export interface PageReader {
  /** Never throws. The result is `stopped` after the signal fired or `close` was called. */
  get(request: PageRequest): Promise<Page>
  close(): Promise<void>
}

type Limits = { readonly [K in keyof typeof defaults]: number }

export function openPageReader(options: EgressClientOptions & { readonly limits?: Partial<Limits> }): PageReader {
  const limits = { ...defaults, ...options.limits }
  const client = createEgressClient(options, limits)
  return {
    async get({ url, version, signal }) {
      const result = await client.request(signal, (send) => fetchPage(send, url, headersOf(version), limits))
      if ('kind' in result) return result
      return result.reason === 'stopped' ? { kind: 'stopped' } : { kind: 'failed', reason: result.message }
    },
    close: client.close,
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

const redirectStatuses = new Set([301, 302, 303, 307, 308])
const failed = (reason: string): Page => ({ kind: 'failed', reason })

async function fetchPage(send: Send, startUrl: string, headers: Record<string, string>, limits: Limits): Promise<Page> {
  let url = startUrl
  for (let redirectsLeft = limits.redirects; ; redirectsLeft--) {
    const answer = await send({ url, method: 'GET', headers })
    const { statusCode: status, headers: responseHeaders } = answer
    const header = (name: string) => (typeof responseHeaders[name] === 'string' ? responseHeaders[name] : undefined)
    if (status === 200) {
      const bytes = await readBody(answer, limits.bytes)
      if (typeof bytes === 'string') return failed(failureMessages[bytes])
      return { kind: 'page', contentType: header('content-type') ?? '', bytes, version: versionOf(header, limits) }
    }
    drain(answer.body)
    const isConditional = 'if-none-match' in headers || 'if-modified-since' in headers
    if (status === 304 && isConditional) return { kind: 'unchanged' }
    if (!redirectStatuses.has(status)) return failed(`The page answered with status ${status}.`)
    const location = header('location')
    const next = location === undefined ? undefined : parseUrl(location, url)
    if (!next) return failed(failureMessages['bad-answer'])
    if (redirectsLeft === 0) return failed(failureMessages['too-many-redirects'])
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
