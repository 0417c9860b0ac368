/** A provider that answers as told, and the surroundings in which an adapter sends to it. */
import type { ProviderRequest, SendContext } from '../../../core/channel/adapter.js'

export interface ScriptedResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export const noon = Date.UTC(2026, 10, 20, 12)

export function createTestProvider<Auth>(auth: Auth, address: string, response: ScriptedResponse | 'silence') {
  const requests: ProviderRequest[] = []
  const sendContext: SendContext<Auth> = {
    auth,
    address,
    id: 'msg_1.0',
    isCancelled: () => false,
    bindingId: 'cb_1',
    ingressUrl: 'https://gateway.example/v4/ingress/cb_1',
    now: () => noon,
    signal: new AbortController().signal,
    cache: { get: async (_, make) => (await make())?.value, invalidate: () => undefined },
    async call(request) {
      requests.push(request)
      if (response === 'silence') return { kind: 'none', detail: 'No answer in time.', unsent: false }
      const { status, headers = {}, body = '' } = response
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      return { kind: 'answer', status, header: (name) => headers[name] ?? '', body: text }
    },
  }
  return { sendContext, requests }
}
