/** The harness of the checks: their subject, and stub contexts with a provider that gives prepared answers. */
import type {
  Adapter,
  CallProvider,
  NoResponse,
  ProviderCache,
  ProviderContext,
  ProviderRequest,
  ProviderResponse,
  SendContext,
} from '../../../core/channel/adapter.js'
import { redactSecrets } from '../../../core/channel/credentialsecrets.js'
import { withTimeout } from '../timeout.js'
import type { SampleAnswer, Samples } from './samples.js'

export interface Subject {
  readonly adapter: Adapter
  readonly samples: Samples
  readonly secrets: readonly string[]
}

export interface Check {
  /** A sentence of the contract. */
  readonly name: string
  readonly applies?: (subject: Subject) => boolean
  /** Yields every problem found. */
  readonly run: (subject: Subject) => Iterable<string> | AsyncIterable<string>
}

export const bindingId = 'cb_sample'
export const ingressUrl = `https://gateway.example/v4/ingress/${bindingId}`
export const messageId = 'msg_0sample'
/** The time at which samples are signed and sent: the suite reads no clock. */
export const now = Date.UTC(2026, 10, 20, 12)

/** The exception as text, with secrets redacted. */
export function describeError({ secrets }: Pick<Subject, 'secrets'>, error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  const isLeak = leaksSecret(secrets, text, error instanceof Error ? error.stack : '')
  return `${isLeak ? 'a secret stands in an exception: ' : ''}${redactSecrets(text, secrets)}`
}

export function leaksSecret(secrets: readonly string[], ...values: readonly unknown[]): boolean {
  const texts = values.map((each) => (typeof each === 'string' ? each : (JSON.stringify(each) ?? '')))
  return secrets.some((secret) => {
    const escaped = JSON.stringify(secret).slice(1, -1)
    return texts.some((text) => text.includes(secret) || text.includes(escaped))
  })
}

function toProviderAnswer({ status, headers = {}, body = '' }: SampleAnswer): ProviderResponse {
  const headerMap = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return {
    kind: 'answer',
    status,
    header: (name) => headerMap.get(name.toLowerCase()) ?? '',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  }
}

/** A stub provider: one answer to the send, another to later requests, and `before` for requests ahead of the send. */
export function createStubProvider(
  { before }: Pick<Samples, 'before'>,
  answer: SampleAnswer | NoResponse,
  requests: ProviderRequest[] = [],
  follows = answer,
): CallProvider {
  return async (request) => {
    const setupAnswer = before?.(request)
    if (setupAnswer) return toProviderAnswer(setupAnswer)
    const reply = requests.push(request) > 1 ? follows : answer
    return 'kind' in reply ? reply : toProviderAnswer(reply)
  }
}

/** A cache with the behaviour of a node's, for the duration of a check. */
export function createTestCache(): ProviderCache {
  const cached = new Map<string, Promise<unknown>>()
  return {
    async get<T>(name: string, make: () => PromiseLike<{ readonly value: T; readonly until: number } | undefined>) {
      const pending = cached.get(name) ?? Promise.resolve(make()).then((loaded) => loaded?.value)
      cached.set(name, pending)
      const value = (await pending) as T | undefined
      if (value === undefined) cached.delete(name)
      return value
    },
    invalidate: (name) => {
      cached.delete(name)
    },
  }
}

export function reachContext(
  { samples }: Pick<Subject, 'samples'>,
  call: CallProvider,
  cache = createTestCache(),
): ProviderContext<unknown> {
  const { signal } = new AbortController()
  return { auth: samples.auth, bindingId, ingressUrl, call, cache, now: () => now, signal }
}

export function sendContext(
  subject: Pick<Subject, 'samples'>,
  call: CallProvider,
  cache?: ProviderCache,
): SendContext<unknown> {
  return {
    ...reachContext(subject, call, cache),
    address: subject.samples.address,
    id: `${messageId}.0`,
    isCancelled: () => false,
  }
}

/** Resolves with the result within the time limit of a check; an exception becomes a problem. */
export async function runBounded<T>(
  subject: Pick<Subject, 'secrets'>,
  call: () => PromiseLike<T>,
): Promise<{ readonly value: T } | { readonly failed: string }> {
  try {
    const value = await withTimeout(timeoutMs, call(), timedOut)
    if (value === timedOut) throw new Error('no outcome, although the provider had answered at once')
    return { value }
  } catch (error) {
    return { failed: describeError(subject, error) }
  }
}

const timeoutMs = 5_000
const timedOut = Symbol('late')
