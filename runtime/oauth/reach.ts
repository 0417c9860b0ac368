/** The way to a provider: what the client library would fetch goes through the guard, within every limit. */
import { oauth as limits } from '../../core/limits.js'
import { readWhole } from '../webhook/answer.js'
import { type Door, type DoorOptions, failed, openDoor } from '../webhook/door.js'

/** The provider gave no whole answer; why is told in words that name nothing of our side. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
}

/** As much of a request as the client library makes. */
export interface Wanted {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: unknown
}

export interface Reach {
  /** Rejects with `Unreachable`; redirects are not followed. */
  call(url: string, wanted: Wanted): Promise<Response>
  close(): Promise<void>
}

export function openReach(options: DoorOptions): Reach {
  const door: Door = openDoor(options, limits)
  return {
    async call(url, { method, headers, body }) {
      const answer = await door.exchange(undefined, async (send) => {
        const sent = await send({
          url,
          method: method === 'GET' ? 'GET' : 'POST',
          headers,
          ...(body !== undefined && body !== null && { body: Buffer.from(String(body)) }),
        })
        const whole = await readWhole(sent, limits.answerBytes)
        if (typeof whole === 'string') return failed(whole)
        return { ok: true as const, status: sent.statusCode, type: String(sent.headers['content-type'] ?? ''), whole }
      })
      if (!answer.ok) throw new Unreachable(answer.message)
      const { status, type, whole } = answer
      // A Response of these statuses takes no body, and no other header is of any use to whoever reads this one.
      const bare = [101, 204, 205, 304].includes(status)
      return new Response(bare ? null : new Uint8Array(whole), {
        status,
        headers: type ? { 'content-type': type } : {},
      })
    },
    close: door.close,
  }
}
