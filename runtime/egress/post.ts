/** Posts to a URL that a user supplied, through the guard and within every limit, and answers with a value. */
import type { Dispatcher } from 'undici'
import { egress } from '../../core/limits/index.js'
import { drain, readBody } from './body.js'
import {
  createEgressClient,
  type EgressClientOptions,
  type EgressFailure,
  type EgressTimeouts,
  failureOf,
} from './client.js'

export interface PostRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Ends the request at once; nothing is sent after it fires. */
  readonly signal?: AbortSignal
  /** `status` for a caller who needs no body: the answer is given once the head is there. Default `whole`. */
  readonly answer?: 'status' | 'whole'
}

export type PostResult =
  | {
      readonly ok: true
      readonly status: number
      readonly headers: Dispatcher.ResponseData['headers']
      readonly body: Buffer
    }
  | EgressFailure

export interface Poster {
  /** Never throws and never follows a redirect. What went wrong is told in words that name nothing of our side. */
  post(request: PostRequest): Promise<PostResult>
  /** Cuts what is under way, which then answers `stopped`. */
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
    post: ({ signal, answer, ...request }) =>
      client.request(signal, async (send): Promise<PostResult> => {
        const response = await send({ ...request, method: 'POST' as const })
        const { statusCode: status, headers } = response
        if (answer === 'status') {
          drain(response.body)
          return { ok: true, status, headers, body: emptyBody }
        }
        const body = await readBody(response, limits.answerBytes)
        return typeof body === 'string' ? failureOf(body) : { ok: true, status, headers, body }
      }),
    close: client.close,
  }
}
