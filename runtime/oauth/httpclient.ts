/** HTTP for the OAuth client library: its requests go through the URL guard, within all limits. */
import { oauth as limits } from '../../core/limits/index.js'
import { readBody } from '../egress/body.js'
import { createEgressClient, type EgressClient, type EgressClientOptions, failureOf } from '../egress/client.js'

/** The provider gave no complete answer; the message reveals nothing about Parley's side. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
}

/** The part of a request that the client library sets. */
export interface ProviderRequest {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: unknown
}

export interface ProviderHttpClient {
  /** Rejects with `Unreachable`; does not follow redirects. */
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
      // A Response with one of these statuses has no body; the client library reads no header but the content type.
      const hasNoBody = [101, 204, 205, 304].includes(status)
      return new Response(hasNoBody ? null : new Uint8Array(bytes), {
        status,
        headers: type ? { 'content-type': type } : {},
      })
    },
    close: client.close,
  }
}
