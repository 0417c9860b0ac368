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
  readonly sending: SendContext<Auth>
  /** What was asked, oldest first. */
  readonly asked: ProviderRequest[]
  /** The time of the clock, which stands still otherwise. */
  setNow(at: number): void
}

export function testProvider<Auth>(
  auth: Auth,
  reply: (request: ProviderRequest, place: number) => Scripted | NoResponse | Promise<ProviderResponse | NoResponse>,
  about: Partial<SendContext<Auth>> = {},
): TestProvider<Auth> {
  const asked: ProviderRequest[] = []
  let at = Date.UTC(2026, 10, 20, 12)
  return {
    asked,
    setNow: (to) => {
      at = to
    },
    sending: {
      auth,
      bindingId: 'cb_1',
      ingressUrl: 'https://gateway.example/v4/ingress/cb_1',
      address: '+15550100',
      id: 'msg_1.0',
      isCancelled: () => false,
      cache: testMemory(() => at),
      now: () => at,
      signal: new AbortController().signal,
      async call(request) {
        asked.push(request)
        const said = await reply(request, asked.length - 1)
        return 'kind' in said ? said : answer(said)
      },
      ...about,
    },
  }
}

const patienceMs = 2_000

/** A provider that is really called, with little patience. */
export async function called({ method, url, headers, body }: ProviderRequest): Promise<ProviderResponse | NoResponse> {
  try {
    const signal = AbortSignal.timeout(patienceMs)
    const given = await fetch(url, { method, signal, ...(headers && { headers }), ...(body !== undefined && { body }) })
    const text = await given.text()
    return { kind: 'answer', status: given.status, header: (name) => given.headers.get(name) ?? '', body: text }
  } catch {
    return silence
  }
}

interface Kept {
  readonly value: unknown
  readonly until: number
}

function testMemory(now: () => number): ProviderCache {
  const kept = new Map<string, Promise<Kept | undefined>>()
  return {
    async get<T>(name: string, make: () => PromiseLike<{ readonly value: T; readonly until: number } | undefined>) {
      const before = await kept.get(name)
      if (before && before.until > now()) return before.value as T
      const making = Promise.resolve(make())
      kept.set(name, making)
      const made = await making
      if (!made) kept.delete(name)
      return made?.value
    },
    invalidate: (name) => {
      kept.delete(name)
    },
  }
}
