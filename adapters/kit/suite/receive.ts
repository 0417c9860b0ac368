/** Checks of `receive`: genuine calls are read item by item, forged ones are refused. */
import { isDeepStrictEqual } from 'node:util'
import type { Item, OtherAccountItems } from '../../../core/channel/adapter.js'
import { createRandom } from '../random.js'
import { bytesOf, type Call, callOf, receive } from './calls.js'
import { type Check, now, type Subject } from './harness.js'
import { flipBit, mutateBytes, mutateJson, randomBytes } from './mutations.js'
import type { CallSample, ExpectedItem } from './samples.js'

const isCalled = ({ adapter, samples }: Subject) => adapter.connect === undefined || samples.calls.length > 0

const acceptedSamples = ({ samples }: Subject) => samples.calls.filter(({ becomes }) => becomes.kind !== 'refused')
const signedSamples = (subject: Subject) => acceptedSamples(subject).filter(({ proves }) => proves !== 'nothing')

/** Altered bodies for each sample; the index of the sample is the seed, so that a finding can be reproduced. */
const mutatedTries = 150
const randomTries = 300

export const receiveChecks: readonly Check[] = [
  {
    name: 'Every sample is read as what it must become',
    applies: isCalled,
    *run(subject: Subject) {
      for (const sample of subject.samples.calls) {
        const problem = readingProblem(subject, sample)
        if (problem) yield `${sample.name}: ${problem}`
      }
    },
  },
  {
    name: 'Only declared headers are read',
    applies: isCalled,
    *run(subject: Subject) {
      for (const sample of subject.samples.calls) {
        const result = receive(subject, callOf(subject, sample))
        if ('failed' in result) continue
        for (const header of result.undeclared) yield `${sample.name}: ${header} is read and not declared`
      }
    },
  },
  {
    name: 'A call with one byte of its body or signature altered is refused',
    applies: isCalled,
    *run(subject: Subject) {
      for (const sample of signedSamples(subject)) {
        const call = callOf(subject, sample)
        const altered = [...alteredProofs(call), ...(sample.proves === 'caller' ? [] : alteredBodies(call))]
        for (const { description, ...other } of altered) {
          const result = receive(subject, other)
          if ('failed' in result) yield `${sample.name}, ${description}: ${result.failed}`
          else if (result.received.kind !== 'refused') yield `${sample.name}, ${description}: it is taken`
        }
      }
    },
  },
  {
    name: 'A call without its signature is refused',
    applies: isCalled,
    *run(subject: Subject) {
      for (const sample of signedSamples(subject)) {
        const call = callOf(subject, sample)
        for (const name of call.proof) {
          for (const value of [undefined, '', ' ', 'sha256=', 'Bearer ', 'x'.repeat(10_000), '\u00ff']) {
            const { [name]: _removed, ...rest } = call.headers
            const result = receive(subject, {
              ...call,
              headers: value === undefined ? rest : { ...rest, [name]: value },
            })
            if ('failed' in result) yield `${sample.name} without ${name}: ${result.failed}`
            else if (result.received.kind !== 'refused') yield `${sample.name} without ${name}: it is taken`
          }
        }
      }
    },
  },
  {
    name: 'No bytes that anybody could send make receiving throw, signed or not',
    *run(subject: Subject) {
      const { samples } = subject
      const random = createRandom(1)
      const plain: CallSample = { name: 'random bytes', becomes: { kind: 'refused' } }
      for (let attempt = 0; attempt < randomTries; attempt += 1) {
        const call = callOf(subject, plain, now, randomBytes(random, 64))
        for (const headers of [call.headers, {}]) {
          const result = receive(subject, { ...call, headers })
          if ('failed' in result) yield `random bytes: ${result.failed}`
        }
      }
      for (const [at, sample] of samples.calls.entries()) yield* mutatedBodyProblems(subject, sample, at + 1)
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

function* mutatedBodyProblems(subject: Subject, sample: CallSample, seed: number): Generator<string> {
  const random = createRandom(seed)
  const bytes = bytesOf(sample.body)
  for (let attempt = 0; attempt < mutatedTries; attempt += 1) {
    const body = (attempt % 3 > 0 && mutateJson(random, bytes)) || mutateBytes(random, bytes)
    const result = receive(subject, callOf(subject, sample, now, body))
    if ('failed' in result)
      yield `${sample.name} as ${JSON.stringify(Buffer.from(body).toString().slice(0, 200))}: ${result.failed}`
  }
}

function readingProblem(subject: Subject, sample: CallSample): string | undefined {
  const result = receive(subject, callOf(subject, sample))
  if ('failed' in result) return result.failed
  const { received } = result
  const { becomes } = sample
  if (received.kind !== becomes.kind) return `it is read as ${received.kind} and not as ${becomes.kind}`
  if (received.kind === 'answer' && becomes.kind === 'answer') {
    const isSame = received.status === becomes.status && received.body === becomes.body
    return isSame ? undefined : 'another answer is given'
  }
  if (received.kind !== 'items' || becomes.kind !== 'items') return undefined
  return (
    itemsProblem(received.items, becomes.items) ??
    otherAccountsProblem(received.otherAccounts ?? [], becomes.otherAccounts ?? [])
  )
}

function itemsProblem(items: readonly Item[], expected: readonly ExpectedItem[]): string | undefined {
  if (items.length !== expected.length) return `it is read as ${items.length} items and not as ${expected.length}`
  const problem = expected.findIndex((each, at) => !matchesExpected(each, items[at]))
  return problem < 0 ? undefined : `item ${problem + 1} is read as ${JSON.stringify(items[problem])}`
}

type ExpectedAccounts = NonNullable<Extract<CallSample['becomes'], { readonly kind: 'items' }>['otherAccounts']>

function otherAccountsProblem(accounts: readonly OtherAccountItems[], expected: ExpectedAccounts): string | undefined {
  const isSame = isDeepStrictEqual(
    accounts.map(({ account, items }) => [account, items === undefined]),
    expected.map(({ account, items }) => [account, items === undefined]),
  )
  if (!isSame) return `it is about the accounts ${accounts.map(({ account }) => account).join(', ')}`
  return accounts
    .map(({ items = [] }, at) => itemsProblem(items, expected[at]?.items ?? []))
    .find((problem) => problem !== undefined)
}

function matchesExpected(expected: ExpectedItem, item: unknown): boolean {
  if ('problem' in expected) return typeof item === 'object' && item !== null && 'problem' in item
  return isDeepStrictEqual(JSON.parse(JSON.stringify(item)), JSON.parse(JSON.stringify(expected)))
}

type Altered = Call & { readonly description: string }

/** About 40 altered positions are enough, since a signature covers the whole body. */
function* alteredBodies(call: Call): Generator<Altered> {
  const { length } = call.body
  const step = Math.max(1, Math.floor(length / 40))
  for (let at = 0; at < length; at += step)
    yield { ...call, description: `byte ${at} of its body`, body: flipBit(call.body, at) }
  yield { ...call, description: 'one byte more', body: Buffer.concat([call.body, Buffer.from(' ')]) }
}

function* alteredProofs(call: Call): Generator<Altered> {
  for (const name of call.proof) {
    const value = call.headers[name]!
    // The last character of base64 may hold bits that are ignored.
    for (let at = 0; at < value.length - 2; at += 1) {
      const other = value[at] === '0' ? '1' : '0'
      const headers = { ...call.headers, [name]: `${value.slice(0, at)}${other}${value.slice(at + 1)}` }
      yield { ...call, description: `character ${at} of ${name}`, headers }
    }
  }
}
