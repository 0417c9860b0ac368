/** HTTP for the OAuth client library: its requests go through the URL guard, within all limits. */
import { oauth as limits } from '../../core/limits/index.js'
import { createEgressClient, type EgressClient, type EgressClientOptions } from '../egress/client.js'

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
      const response = await client.fetchWhole({
        url,
        method: method === 'GET' ? 'GET' : 'POST',
        headers,
        signal: undefined,
        maxBytes: limits.answerBytes,
        ...(body !== undefined && body !== null && { body: Buffer.from(String(body)) }),
      })
      if (!response.ok) throw new Unreachable(response.message)
      const { status, body: bytes } = response
      const type = String(response.headers['content-type'] ?? '')
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
