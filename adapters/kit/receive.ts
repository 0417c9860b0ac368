/** The checks of receiving: what is the provider's is read item by item, and what is not is refused. */
import { isDeepStrictEqual } from 'node:util'
import type { Elsewhere, Item } from '../../core/channel/adapter.js'
import { bytesOf, type Call, callOf, hear } from './calls.js'
import { bruised, drawsFrom, flipped, randomBytes, spoiltJson } from './mutate.js'
import type { CallSample, ExpectedItem } from './samples.js'
import { type Check, now, type Subject } from './subject.js'

const isCalled = ({ adapter, samples }: Subject) => adapter.connect === undefined || samples.calls.length > 0

const good = ({ samples }: Subject) => samples.calls.filter(({ becomes }) => becomes.kind !== 'refused')
const signed = (subject: Subject) => good(subject).filter(({ proves }) => proves !== 'nothing')

/** Tries of each sample with an altered body; the seed is the place of the sample, so that a finding is found again. */
const spoiltTries = 150
const randomTries = 300

export const receiveChecks: readonly Check[] = [
  {
    name: 'Every sample is read as what it must become',
    applies: isCalled,
    *run(subject: Subject) {
      for (const sample of subject.samples.calls) {
        const wrong = wrongReading(subject, sample)
        if (wrong) yield `${sample.name}: ${wrong}`
      }
    },
  },
  {
    name: 'Only declared headers are read',
    applies: isCalled,
    *run(subject: Subject) {
      for (const sample of subject.samples.calls) {
        const heard = hear(subject, callOf(subject, sample))
        if ('failed' in heard) continue
        for (const header of heard.undeclared) yield `${sample.name}: ${header} is read and not declared`
      }
    },
  },
  {
    name: 'A call with one byte of its body or signature altered is refused',
    applies: isCalled,
    *run(subject: Subject) {
      for (const sample of signed(subject)) {
        const call = callOf(subject, sample)
        const altered = [...alteredProofs(call), ...(sample.proves === 'caller' ? [] : alteredBodies(call))]
        for (const { what, ...other } of altered) {
          const heard = hear(subject, other)
          if ('failed' in heard) yield `${sample.name}, ${what}: ${heard.failed}`
          else if (heard.received.kind !== 'refused') yield `${sample.name}, ${what}: it is taken`
        }
      }
    },
  },
  {
    name: 'A call without its signature is refused',
    applies: isCalled,
    *run(subject: Subject) {
      for (const sample of signed(subject)) {
        const call = callOf(subject, sample)
        for (const name of call.proof) {
          for (const value of [undefined, '', ' ', 'sha256=', 'Bearer ', 'x'.repeat(10_000), '\u00ff']) {
            const { [name]: _gone, ...rest } = call.headers
            const heard = hear(subject, { ...call, headers: value === undefined ? rest : { ...rest, [name]: value } })
            if ('failed' in heard) yield `${sample.name} without ${name}: ${heard.failed}`
            else if (heard.received.kind !== 'refused') yield `${sample.name} without ${name}: it is taken`
          }
        }
      }
    },
  },
  {
    name: 'No bytes that anybody could send make receiving throw, signed or not',
    *run(subject: Subject) {
      const { samples } = subject
      const draw = drawsFrom(1)
      const plain: CallSample = { name: 'random bytes', becomes: { kind: 'refused' } }
      for (let tried = 0; tried < randomTries; tried += 1) {
        const call = callOf(subject, plain, now, randomBytes(draw, 64))
        for (const headers of [call.headers, {}]) {
          const heard = hear(subject, { ...call, headers })
          if ('failed' in heard) yield `random bytes: ${heard.failed}`
        }
      }
      for (const [at, sample] of samples.calls.entries()) yield* wrongAboutSpoilt(subject, sample, at + 1)
    },
  },
  {
    name: 'One item that cannot be read does not lose the others',
    applies: (subject) => isCalled(subject) && subject.samples.oneByOne === undefined,
    *run({ samples }: Subject) {
      const isMixed = ({ becomes }: CallSample) =>
        becomes.kind === 'items' &&
        becomes.items.some((item) => 'problem' in item) &&
        becomes.items.some((item) => !('problem' in item))
      if (!samples.calls.some(isMixed)) yield 'no sample has an item that cannot be read beside one that can'
    },
  },
]

function* wrongAboutSpoilt(subject: Subject, sample: CallSample, seed: number): Generator<string> {
  const draw = drawsFrom(seed)
  const bytes = bytesOf(sample.body)
  for (let tried = 0; tried < spoiltTries; tried += 1) {
    const body = (tried % 3 > 0 && spoiltJson(draw, bytes)) || bruised(draw, bytes)
    const heard = hear(subject, callOf(subject, sample, now, body))
    if ('failed' in heard)
      yield `${sample.name} as ${JSON.stringify(Buffer.from(body).toString().slice(0, 200))}: ${heard.failed}`
  }
}

function wrongReading(subject: Subject, sample: CallSample): string | undefined {
  const heard = hear(subject, callOf(subject, sample))
  if ('failed' in heard) return heard.failed
  const { received } = heard
  const { becomes } = sample
  if (received.kind !== becomes.kind) return `it is read as ${received.kind} and not as ${becomes.kind}`
  if (received.kind === 'answer' && becomes.kind === 'answer') {
    const isSame = received.status === becomes.status && received.body === becomes.body
    return isSame ? undefined : 'another answer is given'
  }
  if (received.kind !== 'items' || becomes.kind !== 'items') return undefined
  return wrongItems(received.items, becomes.items) ?? wrongElsewhere(received.elsewhere ?? [], becomes.elsewhere ?? [])
}

function wrongItems(items: readonly Item[], expected: readonly ExpectedItem[]): string | undefined {
  if (items.length !== expected.length) return `it is read as ${items.length} items and not as ${expected.length}`
  const wrong = expected.findIndex((each, at) => !isAs(each, items[at]))
  return wrong < 0 ? undefined : `item ${wrong + 1} is read as ${JSON.stringify(items[wrong])}`
}

type ExpectedParts = NonNullable<Extract<CallSample['becomes'], { readonly kind: 'items' }>['elsewhere']>

function wrongElsewhere(parts: readonly Elsewhere[], expected: ExpectedParts): string | undefined {
  const isSame = isDeepStrictEqual(
    parts.map(({ account, items }) => [account, items === undefined]),
    expected.map(({ account, items }) => [account, items === undefined]),
  )
  if (!isSame) return `it is about the accounts ${parts.map(({ account }) => account).join(', ')}`
  return parts
    .map(({ items = [] }, at) => wrongItems(items, expected[at]?.items ?? []))
    .find((wrong) => wrong !== undefined)
}

function isAs(expected: ExpectedItem, item: unknown): boolean {
  if ('problem' in expected) return typeof item === 'object' && item !== null && 'problem' in item
  return isDeepStrictEqual(JSON.parse(JSON.stringify(item)), JSON.parse(JSON.stringify(expected)))
}

type Altered = Call & { readonly what: string }

/** A few places are enough for bodies that are signed whole, and few of them are long. */
function* alteredBodies(call: Call): Generator<Altered> {
  const { length } = call.body
  const step = Math.max(1, Math.floor(length / 40))
  for (let at = 0; at < length; at += step)
    yield { ...call, what: `byte ${at} of its body`, body: flipped(call.body, at) }
  yield { ...call, what: 'one byte more', body: Buffer.concat([call.body, Buffer.from(' ')]) }
}

function* alteredProofs(call: Call): Generator<Altered> {
  for (const name of call.proof) {
    const value = call.headers[name]!
    // The last character of what is written in base64 may hold bits that mean nothing.
    for (let at = 0; at < value.length - 2; at += 1) {
      const other = value[at] === '0' ? '1' : '0'
      const headers = { ...call.headers, [name]: `${value.slice(0, at)}${other}${value.slice(at + 1)}` }
      yield { ...call, what: `character ${at} of ${name}`, headers }
    }
  }
}
