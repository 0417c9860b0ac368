/** The way to a provider: what the client library would fetch goes through the guard, within every limit. */
import { oauth as limits } from '../../core/limits/index.js'
import { readBody } from '../egress/body.js'
import { createEgressClient, type EgressClient, type EgressClientOptions, failureOf } from '../egress/client.js'

/** The provider gave no whole answer; why is told in words that name nothing of our side. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
}

/** As much of a request as the client library makes. */
export interface ProviderRequest {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: unknown
}

export interface ProviderHttpClient {
  /** Rejects with `Unreachable`; redirects are not followed. */
  call(url: string, request: ProviderRequest): Promise<Response>
  close(): Promise<void>
}

export function openProviderHttpClient(options: EgressClientOptions): ProviderHttpClient {
  const client: EgressClient = createEgressClient(options, limits)
  return {
    async call(url, { method, headers, body }) {
      const answer = await client.request(undefined, async (send) => {
        const response = await send({
          url,
          method: method === 'GET' ? 'GET' : 'POST',
          headers,
          ...(body !== undefined && body !== null && { body: Buffer.from(String(body)) }),
        })
        const bytes = await readBody(response, limits.answerBytes)
        if (typeof bytes === 'string') return failureOf(bytes)
        return {
          ok: true as const,
          status: response.statusCode,
          type: String(response.headers['content-type'] ?? ''),
          bytes,
        }
      })
      if (!answer.ok) throw new Unreachable(answer.message)
      const { status, type, bytes } = answer
      // A Response of these statuses takes no body, and no other header is of any use to whoever reads this one.
      const hasNoBody = [101, 204, 205, 304].includes(status)
      return new Response(hasNoBody ? null : new Uint8Array(bytes), {
        status,
        headers: type ? { 'content-type': type } : {},
      })
    },
    close: client.close,
  }
}
