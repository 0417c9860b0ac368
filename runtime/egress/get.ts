/** GET of URLs that users supply: follows redirects, each through the URL guard. */
import type { Dispatcher } from 'undici'
import { parseUrl } from '../config/url.js'
import { drain } from './body.js'
import {
  createEgressClient,
  type EgressClientOptions,
  type EgressFailure,
  type EgressTimeouts,
  failureOf,
  type Send,
} from './client.js'

export interface GetResponse {
  readonly status: number
  /** The length that the endpoint announces; it may be wrong. */
  readonly contentLength?: number
  /** The body as sent, never decompressed. Throws when it ends early. */
  readonly body: AsyncIterable<Uint8Array>
}

export interface Getter {
  /**
   * Passes the final response to `handle` and resolves with the result. The deadline, the signal and `close` abort the
   * body while it is read. A problem of the endpoint is a failure; an error of `handle` is rethrown. A body that
   * `handle` does not read is destroyed.
   */
  get<T>(
    request: {
      readonly url: string
      readonly headers?: Readonly<Record<string, string>>
      /** Sent only to the origin of the URL and dropped at the first redirect to another origin. */
      readonly secretHeaders?: Readonly<Record<string, string>>
      readonly signal?: AbortSignal
    },
    handle: (answer: GetResponse) => Promise<T>,
  ): Promise<{ readonly ok: true; readonly value: T } | EgressFailure>
  close(): Promise<void>
}

export interface GetterOptions extends EgressClientOptions {
  readonly limits: EgressTimeouts & { readonly redirects: number }
}

export function openGetter(options: GetterOptions): Getter {
  const { limits } = options
  const client = createEgressClient(options, limits)
  return {
    async get({ url, headers = {}, secretHeaders = {}, signal }, handle) {
      const outcome = await client.request(signal, async (send) => {
        // Nothing is decompressed, so a few bytes cannot expand into gigabytes.
        const requestHeaders = { headers: { ...headers, 'accept-encoding': 'identity' }, secretHeaders }
        const answer = await followRedirects(send, url, requestHeaders, limits.redirects)
        return typeof answer === 'string' ? failureOf(answer) : handleResponse(answer, handle)
      })
      if ('threw' in outcome) throw outcome.threw
      return outcome
    },
    close: client.close,
  }
}

const redirectStatuses = new Set([301, 302, 303, 307, 308])

interface RequestHeaders {
  readonly headers: Readonly<Record<string, string>>
  readonly secretHeaders: Readonly<Record<string, string>>
}

async function followRedirects(
  send: Send,
  startUrl: string,
  { headers, secretHeaders }: RequestHeaders,
  redirects: number,
) {
  let url = startUrl
  let sent = { ...headers, ...secretHeaders }
  for (let redirectsLeft = redirects; ; redirectsLeft--) {
    const answer = await send({ url, method: 'GET', headers: sent })
    if (!redirectStatuses.has(answer.statusCode))
      return isIdentityEncoded(answer) ? answer : discard(answer, 'bad-answer')
    const { location } = answer.headers
    if (redirectsLeft === 0) return discard(answer, 'too-many-redirects')
    const next = typeof location === 'string' ? parseUrl(location, url) : undefined
    if (!next) return discard(answer, 'bad-answer')
    drain(answer.body)
    next.hash = ''
    if (next.origin !== parseUrl(startUrl)?.origin) sent = { ...headers }
    url = next.href
  }
}

function isIdentityEncoded({ headers }: Dispatcher.ResponseData): boolean {
  const coding = headers['content-encoding']
  return coding === undefined || String(coding).trim().toLowerCase() === 'identity'
}

function discard<R>({ body }: Dispatcher.ResponseData, reason: R): R {
  body.on('error', () => {}).destroy()
  return reason
}

async function handleResponse<T>(answer: Dispatcher.ResponseData, handle: (answer: GetResponse) => Promise<T>) {
  const { statusCode: status, headers, body } = answer
  const declaredLength = Number(headers['content-length'] ?? Number.NaN)
  const contentLength = Number.isSafeInteger(declaredLength) ? declaredLength : undefined
  let bodyFailed = false
  async function* trackedBody(): AsyncGenerator<Uint8Array> {
    try {
      yield* body as AsyncIterable<Buffer>
    } catch (error) {
      bodyFailed = true
      throw error
    }
  }
  try {
    return { ok: true as const, value: await handle({ status, contentLength, body: trackedBody() }) }
  } catch (error) {
    if (bodyFailed) throw error
    return { threw: error }
  } finally {
    discard(answer, undefined)
  }
}
