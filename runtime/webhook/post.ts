/** Posts to a URL that a user supplied, through the guard and within every limit, and answers with a value. */
import type { Dispatcher } from 'undici'
import { egress } from '../../core/limits.js'
import { drain, readWhole } from './answer.js'
import { type DoorLimits, type DoorOptions, type Failed, failed, openDoor } from './door.js'

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
  | Failed

export interface Poster {
  /** Never throws and never follows a redirect. What went wrong is told in words that name nothing of our side. */
  post(request: Outgoing): Promise<Posted>
  /** Cuts what is under way, which then answers `stopped`. */
  close(): Promise<void>
}

export interface PosterOptions extends DoorOptions {
  readonly limits?: EgressLimits
}

export interface EgressLimits extends DoorLimits {
  readonly answerBytes: number
}

const nothing = Buffer.alloc(0)

export function openPoster(options: PosterOptions): Poster {
  const limits: EgressLimits = options.limits ?? egress
  const door = openDoor(options, limits)
  return {
    post: ({ signal, answer, ...request }) =>
      door.exchange(signal, async (send): Promise<Posted> => {
        const response = await send({ ...request, method: 'POST' as const })
        const { statusCode: status, headers } = response
        if (answer === 'status') {
          drain(response.body)
          return { ok: true, status, headers, body: nothing }
        }
        const body = await readWhole(response, limits.answerBytes)
        return typeof body === 'string' ? failed(body) : { ok: true, status, headers, body }
      }),
    close: door.close,
  }
}
