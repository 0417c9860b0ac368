/** The checks of media that opens with the credentials of a binding only: who tells of it opens it, and gives nothing away. */
import { isDeepStrictEqual } from 'node:util'
import type { NoAnswer } from '../../core/channel/adapter.js'
import type { MediaOpening } from '../../core/channel/held.js'
import { callOf, hear } from './calls.js'
import type { MediaSample, SampleAnswer } from './samples.js'
import { wrongOpening } from './shapes.js'
import { answering, type Check, leaks, reaching, type Subject, settled } from './subject.js'

const opens = ({ adapter }: Subject) => adapter.openMedia !== undefined
const nobody: NoAnswer = { kind: 'none', detail: 'No answer in time.', unsent: false }

/** Whatever a provider may answer, with a secret wherever it may stand. */
function answersWith(secret: string): readonly (SampleAnswer | NoAnswer)[] {
  const bodies = ['', 'null', '[]', '{', secret, { error: { message: secret, code: 190 } }, { url: `ftp:${secret}` }]
  return [
    nobody,
    ...[200, 204, 302, 400, 401, 404, 429, 500].flatMap((status) => bodies.map((body) => ({ status, body }))),
  ]
}

type Tried = { readonly opening: MediaOpening } | { readonly failed: string }

async function tryOpening(subject: Subject, held: string, answer: SampleAnswer | NoAnswer): Promise<Tried> {
  const { adapter, samples } = subject
  const done = await settled(subject, () => adapter.openMedia!(held, reaching(subject, answering(samples, answer))))
  if ('failed' in done) return { failed: `\`openMedia\` rejected: ${done.failed}` }
  const wrong = wrongOpening(done.value)
  return wrong ? { failed: wrong } : { opening: done.value }
}

/** Everything that the calls of the samples tell as held. */
function heldIn(subject: Subject): readonly string[] {
  return subject.samples.calls.flatMap((sample) => {
    const heard = hear(subject, callOf(subject, sample))
    if ('failed' in heard || heard.received.kind !== 'items') return []
    const contents = heard.received.items.flatMap((item) =>
      'problem' in item || item.inbound.kind !== 'content' ? [] : [item.inbound.content],
    )
    return contents.flatMap(({ media = [] }) => media).flatMap((each) => ('held' in each ? [each.held] : []))
  })
}

export const mediaChecks: readonly Check[] = [
  {
    name: 'Who tells of media that opens with credentials only can open it',
    applies: (subject) => !opens(subject) && subject.samples.calls.length > 0,
    *run(subject: Subject) {
      if (heldIn(subject).length > 0) yield 'a sample is told as held, and there is no `openMedia`'
    },
  },
  {
    name: 'Held media opens by the request that its sample says',
    applies: opens,
    async *run(subject: Subject) {
      const { media = [] } = subject.samples
      if (!media.some(({ becomes }) => becomes.kind === 'at')) yield 'no sample shows how media opens'
      for (const sample of media) {
        const tried = await tryOpening(subject, sample.held, sample.answer ?? nobody)
        const wrong = 'failed' in tried ? tried.failed : unlike(tried.opening, sample.becomes)
        if (wrong) yield `${sample.name}: ${wrong}`
        else if ('opening' in tried && tried.opening.kind === 'at' && leaks(subject.secrets, tried.opening.url))
          yield `${sample.name}: a secret stands in the address`
      }
    },
  },
  {
    name: 'Opening never rejects, whatever is held and whatever the provider answers, and no secret stands in a refusal',
    applies: opens,
    async *run(subject: Subject) {
      const { media = [] } = subject.samples
      const held = [...new Set([...media.map((each) => each.held), ...heldIn(subject), 'x', '../..?#%', 'https://'])]
      for (const each of held) {
        for (const secret of ['', ...subject.secrets]) {
          for (const answer of answersWith(secret)) {
            const tried = await tryOpening(subject, each, answer)
            const what = 'kind' in answer ? 'no answer' : `an answer of ${answer.status}`
            if ('failed' in tried) yield `${what}: ${tried.failed}`
            else if (tried.opening.kind === 'refused' && leaks(subject.secrets, tried.opening.detail))
              yield `${what}: a secret stands in the refusal`
          }
        }
      }
    },
  },
]

function unlike(opening: MediaOpening, expected: MediaSample['becomes']): string | undefined {
  if (opening.kind !== expected.kind) return `it is ${opening.kind} and not ${expected.kind}`
  if (opening.kind === 'refused' || expected.kind === 'refused') return undefined
  if (opening.url !== expected.url) return 'it opens at another address'
  const lowered = ({ headers }: typeof opening) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return isDeepStrictEqual(lowered(opening), lowered(expected)) ? undefined : 'it opens with other headers'
}
