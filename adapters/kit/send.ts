/** The checks of sending: whatever a provider answers becomes an outcome that says what to do, and tells no secret. */
import type { Memory, NoAnswer, ProviderRequest, SendOutcome } from '../../core/channel/adapter.js'
import { isRecord, parseJson } from '../../core/json.js'
import { render } from '../../core/render/index.js'
import { aboutOf, messagesFor } from './render.js'
import type { SampleAnswer } from './samples.js'
import { wrongOutcome } from './shapes.js'
import { answering, type Check, leaks, type Subject, sending, settled, shortMemory } from './subject.js'
import { stringsIn } from './tells.js'

const reader = { locale: 'en-US', zone: 'America/New_York' }
const wiresTried = 8

const known = new WeakMap<Subject, readonly unknown[]>()

function wiresOf(subject: Subject): readonly unknown[] {
  const wires = known.get(subject) ?? findWires(subject)
  known.set(subject, wires)
  return wires
}

/** One request of every build that the adapter makes, the plainest first. */
function findWires(subject: Subject): readonly unknown[] {
  const { adapter } = subject
  const found = new Map<string, unknown>()
  const keep = (wire: unknown) => {
    const build = buildOf(wire)
    if (wire !== undefined && !found.has(build) && found.size < wiresTried) found.set(build, wire)
  }
  for (const [, message] of messagesFor(subject)) {
    try {
      adapter.render(render(message, adapter.descriptor.traits, reader).blocks, aboutOf(subject)).forEach(keep)
    } catch {
      // Rendering has checks of its own.
    }
  }
  keep(adapter.signal?.('typing', aboutOf(subject)))
  return [...found.values()]
}

function buildOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.length > 0 ? buildOf(value[0]) : ''}]`
  if (!isRecord(value)) return typeof value
  const members = Object.entries(value).map(([name, inner]) => `${name}:${buildOf(inner)}`)
  return `{${members.sort().join()}}`
}

type Tried = { readonly outcome: SendOutcome; readonly asked: readonly ProviderRequest[] } | { readonly failed: string }

async function trySend(
  subject: Subject,
  wire: unknown,
  answer: SampleAnswer | NoAnswer,
  memory?: Memory,
  follows?: SampleAnswer,
): Promise<Tried> {
  const { adapter, samples, secrets } = subject
  const asked: ProviderRequest[] = []
  const work = () => adapter.send(wire, sending(subject, answering(samples, answer, asked, follows), memory))
  const done = await settled(subject, work)
  if ('failed' in done) return { failed: `\`send\` rejected: ${done.failed}` }
  const wrong = wrongOutcome(done.value)
  if (wrong) return { failed: wrong }
  if (leaks(secrets, done.value)) return { failed: 'a secret stands in the outcome' }
  return { outcome: done.value, asked }
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
/** Statuses whose meaning is not the provider's own. Most are tried with the plainest request alone. */
const statuses = Array.from({ length: 500 }, (_, at) => at + 100)
const telling = [200, 201, 202, 204, 301, 400, 401, 403, 404, 409, 413, 422, 429, 500, 503, 599]

const noAnswers: readonly NoAnswer[] = [
  { kind: 'none', detail: 'The name is not known.', unsent: true },
  { kind: 'none', detail: 'No answer in time.', unsent: false },
]

export const sendChecks: readonly Check[] = [
  {
    name: 'Sending never rejects and always has an outcome of the contract, whatever the provider answers',
    applies: isCalled,
    async *run(subject: Subject) {
      const held = shortMemory()
      for (const [at, wire] of wiresOf(subject).entries()) {
        for (const status of at === 0 ? statuses : telling) {
          // To make a token may be slow, so that it is made anew only where it may matter.
          const memory = telling.includes(status) && at === 0 ? undefined : held
          for (const body of bodies) {
            const tried = await trySend(subject, wire, { status, body }, memory)
            if ('failed' in tried) yield `${status} with ${JSON.stringify(body)}: ${tried.failed}`
          }
        }
      }
    },
  },
  {
    name: 'What goes out goes to an address of the web, with the secret in no place where addresses are written down',
    applies: isCalled,
    async *run(subject: Subject) {
      for (const wire of wiresOf(subject)) {
        const tried = await trySend(subject, wire, { status: 500, body: '' })
        if ('failed' in tried) continue
        if (tried.asked.length === 0) yield 'a request is never made'
        for (const { url } of tried.asked) {
          if (!/^https?:\/\/[^\s/]+/.test(url)) yield 'an address is not one of the web'
          if (leaks(subject.secrets, ...stringsIn(url))) yield 'a secret stands in an address'
        }
      }
    },
  },
  {
    name: 'Too many calls, a provider in trouble and no answer at all are tried again later',
    applies: isCalled,
    async *run(subject: Subject) {
      const [wire] = wiresOf(subject)
      const troubles = [429, 500, 502, 503, 504, 599].flatMap((status) => bodies.map((body) => ({ status, body })))
      for (const answer of [...troubles, ...noAnswers]) {
        const tried = await trySend(subject, wire, answer)
        if ('failed' in tried || isLater(tried.outcome)) continue
        yield `${'kind' in answer ? answer.detail : answer.status}: it is ${told(tried.outcome)}`
      }
    },
  },
  {
    name: 'Nothing counts as sent that the provider sent elsewhere or refused',
    applies: isCalled,
    async *run(subject: Subject) {
      const [wire] = wiresOf(subject)
      // A conflict may be the provider's way to say that it has this id already.
      const refusals = statuses.filter((status) => status < 200 || (status >= 300 && status !== 409))
      for (const status of refusals) {
        const tried = await trySend(subject, wire, { status, body: '' })
        if ('outcome' in tried && tried.outcome.kind === 'sent') yield `${status} counts as sent`
      }
    },
  },
  {
    name: 'Credentials that the provider does not take are a matter for the operator, or renewed, and never the person’s',
    applies: isCalled,
    async *run(subject: Subject) {
      const [wire] = wiresOf(subject)
      for (const body of ['', '{}']) {
        const tried = await trySend(subject, wire, { status: 401, body })
        if ('failed' in tried || tried.outcome.kind === 'sent') continue
        const { again, needsOperator } = tried.outcome
        if (again !== 'later' && needsOperator !== true)
          yield `401 with ${JSON.stringify(body)}: no operator is asked for`
        if (again === 'never') yield `401 with ${JSON.stringify(body)}: another channel is not tried`
      }
    },
  },
  {
    name: 'Every sample answer becomes the outcome that it must become',
    applies: isCalled,
    async *run(subject: Subject) {
      const { samples } = subject
      const [wire] = wiresOf(subject)
      if (!samples.answers.some(({ becomes }) => becomes.kind === 'sent')) yield 'no sample shows how a send succeeds'
      if (!samples.answers.some(({ becomes }) => becomes.kind === 'refused'))
        yield 'no sample shows how a send is refused'
      for (const { name, answer, follows, becomes } of samples.answers) {
        const tried = await trySend(subject, wire, answer, undefined, follows)
        if ('failed' in tried) yield `${name}: ${tried.failed}`
        else if (!isPart(becomes, tried.outcome)) yield `${name}: it is ${told(tried.outcome)}`
        else if ('abilities' in tried.outcome && !subject.adapter.traitsWith)
          yield `${name}: it tells what a device can do, and there is no \`traitsWith\` for it`
      }
    },
  },
  {
    name: 'A provider that repeats a secret in its answer does not make the adapter repeat it',
    applies: isCalled,
    async *run(subject: Subject) {
      const [wire] = wiresOf(subject)
      for (const { name, answer, follows, becomes } of subject.samples.answers) {
        // What it took it may call whatever it likes.
        if (becomes.kind === 'sent') continue
        for (const secret of subject.secrets) {
          const echoed = { ...answer, body: echoing(answer.body, secret) }
          const tried = await trySend(
            subject,
            wire,
            echoed,
            undefined,
            follows && { ...follows, body: echoing(follows.body, secret) },
          )
          if ('failed' in tried) yield `${name}: ${tried.failed}`
        }
      }
    },
  },
  {
    name: 'Without its line nothing is sent, and it is tried again later',
    applies: isConnected,
    async *run(subject: Subject) {
      for (const wire of wiresOf(subject)) {
        const tried = await trySend(subject, wire, { kind: 'none', detail: 'Nobody is called.', unsent: true })
        if ('failed' in tried) yield tried.failed
        else if (!isLater(tried.outcome)) yield `it is ${told(tried.outcome)}`
      }
    },
  },
]

const isLater = (outcome: SendOutcome) => outcome.kind === 'refused' && outcome.again === 'later'

function told(outcome: SendOutcome): string {
  if (outcome.kind === 'sent') return 'sent'
  const device = outcome.abilities ? `, for a device with [${outcome.abilities.join()}]` : ''
  return `refused for ${outcome.reason}, to be tried ${outcome.again}${device}`
}

function isPart(expected: object, outcome: SendOutcome): boolean {
  const found = outcome as unknown as Readonly<Record<string, unknown>>
  return Object.entries(expected).every(([name, value]) => JSON.stringify(found[name]) === JSON.stringify(value))
}

/** The same answer with a secret added to every text in it. */
function echoing(body: unknown, secret: string): unknown {
  if (typeof body === 'string') return body === '' ? secret : (echoedJson(body, secret) ?? `${body} ${secret}`)
  if (Array.isArray(body)) return body.map((each) => echoing(each, secret))
  if (!isRecord(body)) return body
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, echoing(value, secret)]))
}

function echoedJson(text: string, secret: string): string | undefined {
  const body = /^\s*[[{]/.test(text) ? parseJson(text) : undefined
  return body === undefined ? undefined : JSON.stringify(echoing(body, secret))
}
