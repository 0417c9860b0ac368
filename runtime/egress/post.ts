/** POST to URLs that users supply, through the URL guard and within all limits; failures are values. */
import { egress } from '../../core/limits/index.js'
import { drain } from './body.js'
import { createEgressClient, type EgressClientOptions, type EgressFailure, type EgressTimeouts } from './client.js'
import type { ResponseHeaders } from './fetchwhole.js'

export interface PostRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Aborts the request at once; nothing is sent after it fires. */
  readonly signal?: AbortSignal
  /** `status` returns once the response head has arrived, for callers that need no body. Default `whole`. */
  readonly answer?: 'status' | 'whole'
}

export type PostResult =
  | {
      readonly ok: true
      readonly status: number
      readonly headers: ResponseHeaders
      readonly body: Buffer
    }
  | EgressFailure

export interface Poster {
  /** Never throws and never follows a redirect. Failure messages reveal nothing about Parley's side. */
  post(request: PostRequest): Promise<PostResult>
  /** Aborts running requests, whose result is then `stopped`. */
  close(): Promise<void>
}

export interface PosterOptions extends EgressClientOptions {
  readonly limits?: EgressLimits
}

export interface EgressLimits extends EgressTimeouts {
  readonly answerBytes: number
}

const emptyBody = Buffer.alloc(0)

export function openPoster(options: PosterOptions): Poster {
  const limits: EgressLimits = options.limits ?? egress
  const client = createEgressClient(options, limits)
  return {
    post: ({ signal, answer, url, headers, body }) => {
      const request = { method: 'POST' as const, url, headers, body }
      if (answer !== 'status') return client.fetchWhole({ ...request, signal, maxBytes: limits.answerBytes })
      return client.request(signal, async (send): Promise<PostResult> => {
        const response = await send(request)
        drain(response.body)
        return { ok: true, status: response.statusCode, headers: response.headers, body: emptyBody }
      })
    },
    close: client.close,
  }
}
