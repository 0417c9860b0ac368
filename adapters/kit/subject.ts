/** What a check of the suite works on, and the surroundings in which it puts an adapter: a provider that answers as told. */
import type {
  Adapter,
  CallProvider,
  Memory,
  NoAnswer,
  ProviderAnswer,
  ProviderRequest,
  Reaching,
  Sending,
} from '../../core/channel/adapter.js'
import type { SampleAnswer, Samples } from './samples.js'
import { scrubbed } from './secrets.js'
import { withTimeout } from './timeout.js'

export interface Subject {
  readonly adapter: Adapter
  readonly samples: Samples
  readonly secrets: readonly string[]
}

export interface Check {
  /** A sentence of the contract. */
  readonly name: string
  readonly applies?: (subject: Subject) => boolean
  /** Tells everything that speaks against it. */
  readonly run: (subject: Subject) => Iterable<string> | AsyncIterable<string>
}

export const bindingId = 'cb_sample'
export const ingressUrl = `https://gateway.example/v4/ingress/${bindingId}`
export const messageId = 'msg_0sample'
/** The time in which samples are signed and sent: the suite reads no clock. */
export const now = Date.UTC(2026, 10, 20, 12)

/** An exception in words, without what must not stand in it. */
export function thrown({ secrets }: Pick<Subject, 'secrets'>, error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  const isLeak = leaks(secrets, text, error instanceof Error ? error.stack : '')
  return `${isLeak ? 'a secret stands in an exception: ' : ''}${scrubbed(text, secrets)}`
}

export function leaks(secrets: readonly string[], ...told: readonly unknown[]): boolean {
  const texts = told.map((each) => (typeof each === 'string' ? each : (JSON.stringify(each) ?? '')))
  return secrets.some((secret) => {
    const written = JSON.stringify(secret).slice(1, -1)
    return texts.some((text) => text.includes(secret) || text.includes(written))
  })
}

export function answered({ status, headers = {}, body = '' }: SampleAnswer): ProviderAnswer {
  const found = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return {
    kind: 'answer',
    status,
    header: (name) => found.get(name.toLowerCase()) ?? '',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  }
}

/** A provider that gives this answer to a send, another to what follows it, and the usual ones to what is asked before. */
export function answering(
  { before }: Pick<Samples, 'before'>,
  answer: SampleAnswer | NoAnswer,
  asked: ProviderRequest[] = [],
  follows = answer,
): CallProvider {
  return async (request) => {
    const early = before?.(request)
    if (early) return answered(early)
    const given = asked.push(request) > 1 ? follows : answer
    return 'kind' in given ? given : answered(given)
  }
}

/** Remembers as a node does, for as long as a check wants it to. */
export function shortMemory(): Memory {
  const kept = new Map<string, Promise<unknown>>()
  return {
    async get<T>(name: string, make: () => PromiseLike<{ readonly value: T; readonly until: number } | undefined>) {
      const made = kept.get(name) ?? Promise.resolve(make()).then((found) => found?.value)
      kept.set(name, made)
      const value = (await made) as T | undefined
      if (value === undefined) kept.delete(name)
      return value
    },
    forget: (name) => {
      kept.delete(name)
    },
  }
}

export function reaching(
  { samples }: Pick<Subject, 'samples'>,
  call: CallProvider,
  memory = shortMemory(),
): Reaching<unknown> {
  const { signal } = new AbortController()
  return { auth: samples.auth, bindingId, ingressUrl, call, memory, now: () => now, signal }
}

export function sending(subject: Pick<Subject, 'samples'>, call: CallProvider, memory?: Memory): Sending<unknown> {
  return {
    ...reaching(subject, call, memory),
    address: subject.samples.address,
    id: `${messageId}.0`,
    isWithheld: () => false,
  }
}

/** What comes of it within the time that a check allows; an exception is told as one. */
export async function settled<T>(
  subject: Pick<Subject, 'secrets'>,
  work: () => PromiseLike<T>,
): Promise<{ readonly value: T } | { readonly failed: string }> {
  try {
    const value = await withTimeout(patienceMs, work(), late)
    if (value === late) throw new Error('no outcome, although the provider had answered at once')
    return { value }
  } catch (error) {
    return { failed: thrown(subject, error) }
  }
}

const patienceMs = 5_000
const late = Symbol('late')
