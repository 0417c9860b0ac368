/** A provider that answers as a test scripts it, and remembers what it was asked. */
import type {
  NoResponse,
  ProviderCache,
  ProviderRequest,
  ProviderResponse,
  SendContext,
} from '../../../../core/channel/adapter.js'

export interface Scripted {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export function answer({ status, body = {}, headers = {} }: Scripted): ProviderResponse {
  return {
    kind: 'answer',
    status,
    header: (name) => headers[name.toLowerCase()] ?? '',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  }
}

export const silence: NoResponse = { kind: 'none', detail: 'It did not answer in time.', unsent: false }

export interface TestProvider<Auth> {
  readonly sendContext: SendContext<Auth>
  /** What was asked, oldest first. */
  readonly requests: ProviderRequest[]
  /** The time of the clock, which stands still otherwise. */
  setNow(at: number): void
}

export function testProvider<Auth>(
  auth: Auth,
  reply: (request: ProviderRequest, index: number) => Scripted | NoResponse | Promise<ProviderResponse | NoResponse>,
  overrides: Partial<SendContext<Auth>> = {},
): TestProvider<Auth> {
  const requests: ProviderRequest[] = []
  let at = Date.UTC(2026, 10, 20, 12)
  return {
    requests,
    setNow: (to) => {
      at = to
    },
    sendContext: {
      auth,
      bindingId: 'cb_1',
      ingressUrl: 'https://gateway.example/v4/ingress/cb_1',
      address: '+15550100',
      id: 'msg_1.0',
      isCancelled: () => false,
      cache: createTestCache(() => at),
      now: () => at,
      signal: new AbortController().signal,
      async call(request) {
        requests.push(request)
        const outcome = await reply(request, requests.length - 1)
        return 'kind' in outcome ? outcome : answer(outcome)
      },
      ...overrides,
    },
  }
}

const patienceMs = 2_000

/** A provider that is really called, with little patience. */
export async function callProvider({
  method,
  url,
  headers,
  body,
}: ProviderRequest): Promise<ProviderResponse | NoResponse> {
  try {
    const signal = AbortSignal.timeout(patienceMs)
    const response = await fetch(url, {
      method,
      signal,
      ...(headers && { headers }),
      ...(body !== undefined && { body }),
    })
    const text = await response.text()
    return { kind: 'answer', status: response.status, header: (name) => response.headers.get(name) ?? '', body: text }
  } catch {
    return silence
  }
}

interface CachedValue {
  readonly value: unknown
  readonly until: number
}

function createTestCache(now: () => number): ProviderCache {
  const entries = new Map<string, Promise<CachedValue | undefined>>()
  return {
    async get<T>(name: string, make: () => PromiseLike<{ readonly value: T; readonly until: number } | undefined>) {
      const before = await entries.get(name)
      if (before && before.until > now()) return before.value as T
      const making = Promise.resolve(make())
      entries.set(name, making)
      const made = await making
      if (!made) entries.delete(name)
      return made?.value
    },
    invalidate: (name) => {
      entries.delete(name)
    },
  }
}
