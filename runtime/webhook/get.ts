/** Gets what a URL that a user supplied leads to: redirects are followed, each hop through the guard like the first. */
import type { Dispatcher } from 'undici'
import { parsedUrl } from '../url.js'
import { drain } from './answer.js'
import { type DoorLimits, type DoorOptions, type Failed, failed, openDoor, type Send } from './door.js'

export interface Gotten {
  readonly status: number
  /** How many bytes the endpoint says there are; it need not be true. */
  readonly announcedBytes?: number
  /** The body as it is sent, never unpacked. It ends early by throwing, with whatever broke it. */
  readonly body: AsyncIterable<Uint8Array>
}

export interface Getter {
  /**
   * Hands the answer at the end of the redirects to `take` and resolves with what that makes of it. Time, the signal and
   * `close` cut the body while it is read. What goes wrong with the endpoint is a failure; what `take` throws by itself
   * is thrown on. A body that `take` leaves unread is cut.
   */
  get<T>(
    request: {
      readonly url: string
      readonly headers?: Readonly<Record<string, string>>
      /** For the origin of the URL alone: once a redirect has led away from it they are sent no more. */
      readonly secretHeaders?: Readonly<Record<string, string>>
      readonly signal?: AbortSignal
    },
    take: (answer: Gotten) => Promise<T>,
  ): Promise<{ readonly ok: true; readonly taken: T } | Failed>
  close(): Promise<void>
}

export interface GetterOptions extends DoorOptions {
  readonly limits: DoorLimits & { readonly redirects: number }
}

export function openGetter(options: GetterOptions): Getter {
  const { limits } = options
  const door = openDoor(options, limits)
  return {
    async get({ url, headers = {}, secretHeaders = {}, signal }, take) {
      const outcome = await door.exchange(signal, async (send) => {
        // Nothing is unpacked here, so that a few bytes cannot unfold into gigabytes.
        const told = { headers: { ...headers, 'accept-encoding': 'identity' }, secretHeaders }
        const answer = await arrive(send, url, told, limits.redirects)
        return typeof answer === 'string' ? failed(answer) : hand(answer, take)
      })
      if ('threw' in outcome) throw outcome.threw
      return outcome
    },
    close: door.close,
  }
}

const redirecting = new Set([301, 302, 303, 307, 308])

interface Told {
  readonly headers: Readonly<Record<string, string>>
  readonly secretHeaders: Readonly<Record<string, string>>
}

async function arrive(send: Send, first: string, { headers, secretHeaders }: Told, redirects: number) {
  let url = first
  let sent = { ...headers, ...secretHeaders }
  for (let left = redirects; ; left--) {
    const answer = await send({ url, method: 'GET', headers: sent })
    if (!redirecting.has(answer.statusCode)) return isPlain(answer) ? answer : leave(answer, 'bad-answer')
    const { location } = answer.headers
    if (left === 0) return leave(answer, 'too-many-redirects')
    const next = typeof location === 'string' ? parsedUrl(location, url) : undefined
    if (!next) return leave(answer, 'bad-answer')
    drain(answer.body)
    next.hash = ''
    if (next.origin !== parsedUrl(first)?.origin) sent = { ...headers }
    url = next.href
  }
}

function isPlain({ headers }: Dispatcher.ResponseData): boolean {
  const coding = headers['content-encoding']
  return coding === undefined || String(coding).trim().toLowerCase() === 'identity'
}

function leave<R>({ body }: Dispatcher.ResponseData, reason: R): R {
  body.on('error', () => {}).destroy()
  return reason
}

async function hand<T>(answer: Dispatcher.ResponseData, take: (answer: Gotten) => Promise<T>) {
  const { statusCode: status, headers, body } = answer
  const announced = Number(headers['content-length'] ?? Number.NaN)
  const announcedBytes = Number.isSafeInteger(announced) ? announced : undefined
  let broke = false
  async function* watched(): AsyncGenerator<Uint8Array> {
    try {
      yield* body as AsyncIterable<Buffer>
    } catch (error) {
      broke = true
      throw error
    }
  }
  try {
    return { ok: true as const, taken: await take({ status, announcedBytes, body: watched() }) }
  } catch (error) {
    if (broke) throw error
    return { threw: error }
  } finally {
    leave(answer, undefined)
  }
}
