/**
 * Checks of `send`: any answer of a provider becomes an outcome with a retry decision, and no outcome contains a
 * secret.
 */
import type { NoResponse, ProviderCache, ProviderRequest, SendOutcome } from '../../../core/channel/adapter.js'
import { outcomeError } from '../../../core/channel/adaptervalidation.js'
import { isRecord, parseJson } from '../../../core/json.js'
import { render } from '../../../core/render/index.js'
import {
  type Check,
  createStubProvider,
  createTestCache,
  leaksSecret,
  runBounded,
  type Subject,
  sendContext,
} from './harness.js'
import { addressedOf, messagesFor } from './render.js'
import type { SampleAnswer } from './samples.js'
import { stringsIn } from './texts.js'

const reader = { locale: 'en-US', zone: 'America/New_York' }
const maxPayloads = 8

const payloadCache = new WeakMap<Subject, readonly unknown[]>()

function payloadsOf(subject: Subject): readonly unknown[] {
  const payloads = payloadCache.get(subject) ?? collectPayloads(subject)
  payloadCache.set(subject, payloads)
  return payloads
}

/** One payload of each shape that the adapter renders, the plainest first. */
function collectPayloads(subject: Subject): readonly unknown[] {
  const { adapter } = subject
  const byShape = new Map<string, unknown>()
  const add = (payload: unknown) => {
    const shape = shapeOf(payload)
    if (payload !== undefined && !byShape.has(shape) && byShape.size < maxPayloads) byShape.set(shape, payload)
  }
  for (const [, message] of messagesFor(subject)) {
    try {
      adapter.render(render(message, adapter.descriptor.traits, reader).blocks, addressedOf(subject)).forEach(add)
    } catch {
      // Rendering has its own checks.
    }
  }
  add(adapter.signal?.('typing', addressedOf(subject)))
  return [...byShape.values()]
}

function shapeOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.length > 0 ? shapeOf(value[0]) : ''}]`
  if (!isRecord(value)) return typeof value
  const members = Object.entries(value).map(([name, inner]) => `${name}:${shapeOf(inner)}`)
  return `{${members.sort().join()}}`
}

type SendAttempt =
  | { readonly outcome: SendOutcome; readonly requests: readonly ProviderRequest[] }
  | { readonly failed: string }

async function trySend(
  subject: Subject,
  payload: unknown,
  answer: SampleAnswer | NoResponse,
  cache?: ProviderCache,
  follows?: SampleAnswer,
): Promise<SendAttempt> {
  const { adapter, samples, secrets } = subject
  const requests: ProviderRequest[] = []
  const call = () =>
    adapter.send(payload, sendContext(subject, createStubProvider(samples, answer, requests, follows), cache))
  const result = await runBounded(subject, call)
  if ('failed' in result) return { failed: `\`send\` rejected: ${result.failed}` }
  const problem = outcomeError(result.value)
  if (problem) return { failed: problem }
  if (leaksSecret(secrets, result.value)) return { failed: 'a secret stands in the outcome' }
  return { outcome: result.value, requests }
}

const isConnected = ({ adapter }: Subject) => adapter.connect !== undefined
const isCalled = (subject: Subject) => !isConnected(subject)

const bodies: readonly unknown[] = [
  '',
  '{}',
  '[]',
  'null',
  '<html>Bad gateway</html>',
  '{"error":',
  '\u0000\ufffd',
  '"x"',
]
/** HTTP statuses. Most of them are tried with the plainest payload only. */
const statuses = Array.from({ length: 500 }, (_, at) => at + 100)
const significantStatuses = [200, 201, 202, 204, 301, 400, 401, 403, 404, 409, 413, 422, 429, 500, 503, 599]

const noAnswers: readonly NoResponse[] = [
  { kind: 'none', detail: 'The name is not known.', unsent: true },
  { kind: 'none', detail: 'No answer in time.', unsent: false },
]

export const sendChecks: readonly Check[] = [
  {
    name: 'Sending never rejects and always has an outcome of the contract, whatever the provider answers',
    applies: isCalled,
    async *run(subject: Subject) {
      const sharedCache = createTestCache()
      for (const [at, payload] of payloadsOf(subject).entries()) {
        for (const status of at === 0 ? statuses : significantStatuses) {
          // Making a token may be slow, so a fresh cache is used only for the statuses where it may matter.
          const cache = significantStatuses.includes(status) && at === 0 ? undefined : sharedCache
          for (const body of bodies) {
            const attempt = await trySend(subject, payload, { status, body }, cache)
            if ('failed' in attempt) yield `${status} with ${JSON.stringify(body)}: ${attempt.failed}`
          }
        }
      }
    },
  },
  {
    name: 'What goes out goes to an address of the web, with the secret in no place where addresses are written down',
    applies: isCalled,
    async *run(subject: Subject) {
      for (const payload of payloadsOf(subject)) {
        const attempt = await trySend(subject, payload, { status: 500, body: '' })
        if ('failed' in attempt) continue
        if (attempt.requests.length === 0) yield 'a request is never made'
        for (const { url } of attempt.requests) {
          if (!/^https?:\/\/[^\s/]+/.test(url)) yield 'an address is not one of the web'
          if (leaksSecret(subject.secrets, ...stringsIn(url))) yield 'a secret stands in an address'
        }
      }
    },
  },
  {
    name: 'Too many calls, a provider in trouble and no answer at all are tried again later',
    applies: isCalled,
    async *run(subject: Subject) {
      const [payload] = payloadsOf(subject)
      const failures = [429, 500, 502, 503, 504, 599].flatMap((status) => bodies.map((body) => ({ status, body })))
      for (const answer of [...failures, ...noAnswers]) {
        const attempt = await trySend(subject, payload, answer)
        if ('failed' in attempt || isLater(attempt.outcome)) continue
        yield `${'kind' in answer ? answer.detail : answer.status}: it is ${describeOutcome(attempt.outcome)}`
      }
    },
  },
  {
    name: 'Nothing counts as sent that the provider sent elsewhere or refused',
    applies: isCalled,
    async *run(subject: Subject) {
      const [payload] = payloadsOf(subject)
      // A 409 may mean that the provider has this id already.
      const refusals = statuses.filter((status) => status < 200 || (status >= 300 && status !== 409))
      for (const status of refusals) {
        const attempt = await trySend(subject, payload, { status, body: '' })
        if ('outcome' in attempt && attempt.outcome.kind === 'sent') yield `${status} counts as sent`
      }
    },
  },
  {
    name: 'Credentials that the provider does not take are a matter for the operator, or renewed, and never the person’s',
    applies: isCalled,
    async *run(subject: Subject) {
      const [payload] = payloadsOf(subject)
      for (const body of ['', '{}']) {
        const attempt = await trySend(subject, payload, { status: 401, body })
        if ('failed' in attempt || attempt.outcome.kind === 'sent') continue
        const { retry, needsOperator } = attempt.outcome
        if (retry !== 'later' && needsOperator !== true)
          yield `401 with ${JSON.stringify(body)}: no operator is asked for`
        if (retry === 'never') yield `401 with ${JSON.stringify(body)}: another channel is not tried`
      }
    },
  },
  {
    name: 'Every sample answer becomes the outcome that it must become',
    applies: isCalled,
    async *run(subject: Subject) {
      const { samples } = subject
      const [payload] = payloadsOf(subject)
      if (!samples.answers.some(({ becomes }) => becomes.kind === 'sent')) yield 'no sample shows how a send succeeds'
      if (!samples.answers.some(({ becomes }) => becomes.kind === 'refused'))
        yield 'no sample shows how a send is refused'
      for (const { name, answer, follows, becomes } of samples.answers) {
        const attempt = await trySend(subject, payload, answer, undefined, follows)
        if ('failed' in attempt) yield `${name}: ${attempt.failed}`
        else if (!isSubset(becomes, attempt.outcome)) yield `${name}: it is ${describeOutcome(attempt.outcome)}`
        else if ('deviceCapabilities' in attempt.outcome && !subject.adapter.traitsForDevice)
          yield `${name}: it has device capabilities, and there is no \`traitsForDevice\``
      }
    },
  },
  {
    name: 'A provider that repeats a secret in its answer does not make the adapter repeat it',
    applies: isCalled,
    async *run(subject: Subject) {
      const [payload] = payloadsOf(subject)
      for (const { name, answer, follows, becomes } of subject.samples.answers) {
        // The provider may choose any id for a message that it accepted.
        if (becomes.kind === 'sent') continue
        for (const secret of subject.secrets) {
          const echoedAnswer = { ...answer, body: withEcho(answer.body, secret) }
          const attempt = await trySend(
            subject,
            payload,
            echoedAnswer,
            undefined,
            follows && { ...follows, body: withEcho(follows.body, secret) },
          )
          if ('failed' in attempt) yield `${name}: ${attempt.failed}`
        }
      }
    },
  },
  {
    name: 'Without its line nothing is sent, and it is tried again later',
    applies: isConnected,
    async *run(subject: Subject) {
      for (const payload of payloadsOf(subject)) {
        const attempt = await trySend(subject, payload, { kind: 'none', detail: 'Nobody is called.', unsent: true })
        if ('failed' in attempt) yield attempt.failed
        else if (!isLater(attempt.outcome)) yield `it is ${describeOutcome(attempt.outcome)}`
      }
    },
  },
]

const isLater = (outcome: SendOutcome) => outcome.kind === 'refused' && outcome.retry === 'later'

function describeOutcome(outcome: SendOutcome): string {
  if (outcome.kind === 'sent') return 'sent'
  const device = outcome.deviceCapabilities ? `, for a device with [${outcome.deviceCapabilities.join()}]` : ''
  return `refused for ${outcome.reason}, to be tried ${outcome.retry}${device}`
}

function isSubset(expected: object, outcome: SendOutcome): boolean {
  const actual = outcome as unknown as Readonly<Record<string, unknown>>
  return Object.entries(expected).every(([name, value]) => JSON.stringify(actual[name]) === JSON.stringify(value))
}

/** The answer with a secret added to each of its texts. */
function withEcho(body: unknown, secret: string): unknown {
  if (typeof body === 'string') return body === '' ? secret : (jsonWithEcho(body, secret) ?? `${body} ${secret}`)
  if (Array.isArray(body)) return body.map((each) => withEcho(each, secret))
  if (!isRecord(body)) return body
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, withEcho(value, secret)]))
}

function jsonWithEcho(text: string, secret: string): string | undefined {
  const body = /^\s*[[{]/.test(text) ? parseJson(text) : undefined
  return body === undefined ? undefined : JSON.stringify(withEcho(body, secret))
}
