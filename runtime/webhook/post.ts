/** Posts to a URL that a user supplied, through the guard and within every limit, and answers with a value. */
import { Agent, type Dispatcher } from 'undici'
import { egress } from '../../core/limits.js'
import { drain, readWhole } from './answer.js'
import { checkUrl, guardedConnector, type Resolve, type UrlPolicy } from './guard.js'
import { type FailureReason, reasonOf, sentences } from './reason.js'

export interface Outgoing {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Ends the request at once; nothing is sent after it fires. */
  readonly signal?: AbortSignal
  /** `status` for a caller who needs no body: the answer is given once the head is there. Default `whole`. */
  readonly answer?: 'status' | 'whole'
}

export type Posted =
  | {
      readonly ok: true
      readonly status: number
      readonly headers: Dispatcher.ResponseData['headers']
      readonly body: Buffer
    }
  | { readonly ok: false; readonly reason: FailureReason; readonly message: string }

export interface Poster {
  /** Never throws and never follows a redirect. What went wrong is told in words that name nothing of our side. */
  post(request: Outgoing): Promise<Posted>
  /** Cuts what is under way, which then answers `stopped`. */
  close(): Promise<void>
}

export interface PosterOptions extends UrlPolicy {
  readonly limits?: EgressLimits
  readonly resolve?: Resolve
  /** Certificates trusted in place of the well-known ones. */
  readonly ca?: string
}

export interface EgressLimits {
  readonly connectMs: number
  readonly headersMs: number
  readonly totalMs: number
  readonly answerBytes: number
}

const nothing = Buffer.alloc(0)

export function openPoster(options: PosterOptions): Poster {
  const limits: EgressLimits = options.limits ?? egress
  const agent = new Agent({
    connect: guardedConnector({ ...options, connectMs: limits.connectMs }),
    headersTimeout: limits.headersMs,
    bodyTimeout: limits.totalMs,
  })
  const underWay = new Set<Watch>()
  let closed = false

  async function post(request: Outgoing): Promise<Posted> {
    if (checkUrl(request.url, options) !== undefined) return failed('refused-address')
    if (closed) return failed('stopped')
    const watch = watchOver(request.signal, limits.totalMs)
    underWay.add(watch)
    try {
      return await Promise.race([exchange(request, watch.signal), watch.cut])
    } catch (error) {
      if (closed || request.signal?.aborted) return failed('stopped')
      return failed(watch.isLate() ? 'timeout' : reasonOf(error))
    } finally {
      underWay.delete(watch)
      watch.end()
    }
  }

  async function exchange(request: Outgoing, signal: AbortSignal): Promise<Posted> {
    const response = await agent.request({
      ...target(request.url),
      method: 'POST',
      headers: request.headers,
      body: request.body,
      signal,
    })
    const { statusCode: status, headers } = response
    if (request.answer === 'status') {
      drain(response.body)
      return { ok: true, status, headers, body: nothing }
    }
    const body = await readWhole(response, limits.answerBytes)
    return typeof body === 'string' ? failed(body) : { ok: true, status, headers, body }
  }

  return {
    post,
    async close() {
      closed = true
      for (const watch of underWay) watch.stop()
      await agent.destroy()
    },
  }
}

function failed(reason: FailureReason): Posted {
  return { ok: false, reason, message: sentences[reason] }
}

function target(url: string): { origin: string; path: string } {
  const { origin, pathname, search } = new URL(url)
  return { origin, path: pathname + search }
}

interface Watch {
  readonly signal: AbortSignal
  /** Rejects when the signal fires: a request that is still connecting looks at its signal only once connected. */
  readonly cut: Promise<never>
  isLate(): boolean
  stop(): void
  end(): void
}

/** One signal for the caller's wish to stop and for the end of the time allowed. */
function watchOver(wish: AbortSignal | undefined, totalMs: number): Watch {
  const controller = new AbortController()
  const { signal } = controller
  const cut = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  let late = false
  const stop = () => controller.abort()
  const timer = setTimeout(() => {
    late = true
    stop()
  }, totalMs)
  wish?.addEventListener('abort', stop, { once: true })
  if (wish?.aborted) stop()
  return {
    signal,
    cut,
    isLate: () => late,
    stop,
    end() {
      clearTimeout(timer)
      wish?.removeEventListener('abort', stop)
    },
  }
}
