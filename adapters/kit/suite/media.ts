/** Checks of provider media, which opens with a binding's credentials: reported media opens, and no secret leaks. */
import { isDeepStrictEqual } from 'node:util'
import type { NoResponse } from '../../../core/channel/adapter.js'
import { mediaAccessError } from '../../../core/channel/adaptervalidation.js'
import type { MediaAccess } from '../../../core/channel/providermedia.js'
import { callOf, receive } from './calls.js'
import { type Check, createStubProvider, leaksSecret, reachContext, runBounded, type Subject } from './harness.js'
import type { MediaSample, SampleAnswer } from './samples.js'

const opensMedia = ({ adapter }: Subject) => adapter.openMedia !== undefined
const timedOut: NoResponse = { kind: 'none', detail: 'No answer in time.', unsent: false }

/** Answers of every kind, with a secret in every place where one may stand. */
function answersWith(secret: string): readonly (SampleAnswer | NoResponse)[] {
  const bodies = ['', 'null', '[]', '{', secret, { error: { message: secret, code: 190 } }, { url: `ftp:${secret}` }]
  return [
    timedOut,
    ...[200, 204, 302, 400, 401, 404, 429, 500].flatMap((status) => bodies.map((body) => ({ status, body }))),
  ]
}

type OpenAttempt = { readonly access: MediaAccess } | { readonly failed: string }

async function tryOpenMedia(
  subject: Subject,
  mediaRef: string,
  answer: SampleAnswer | NoResponse,
): Promise<OpenAttempt> {
  const { adapter, samples } = subject
  const result = await runBounded(subject, () =>
    adapter.openMedia!(mediaRef, reachContext(subject, createStubProvider(samples, answer))),
  )
  if ('failed' in result) return { failed: `\`openMedia\` rejected: ${result.failed}` }
  const problem = mediaAccessError(result.value)
  return problem ? { failed: problem } : { access: result.value }
}

/** All media refs that the sample calls report. */
function mediaRefsIn(subject: Subject): readonly string[] {
  return subject.samples.calls.flatMap((sample) => {
    const result = receive(subject, callOf(subject, sample))
    if ('failed' in result || result.received.kind !== 'items') return []
    const contents = result.received.items.flatMap((item) =>
      'problem' in item || item.inbound.kind !== 'content' ? [] : [item.inbound.content],
    )
    return contents.flatMap(({ media = [] }) => media).flatMap((each) => ('mediaRef' in each ? [each.mediaRef] : []))
  })
}

export const mediaChecks: readonly Check[] = [
  {
    name: 'An adapter that reports provider media can open it',
    applies: (subject) => !opensMedia(subject) && subject.samples.calls.length > 0,
    *run(subject: Subject) {
      if (mediaRefsIn(subject).length > 0) yield 'a sample reports provider media, and there is no `openMedia`'
    },
  },
  {
    name: 'Held media opens by the request that its sample says',
    applies: opensMedia,
    async *run(subject: Subject) {
      const { media = [] } = subject.samples
      if (!media.some(({ becomes }) => becomes.kind === 'at')) yield 'no sample shows how media opens'
      for (const sample of media) {
        const attempt = await tryOpenMedia(subject, sample.mediaRef, sample.answer ?? timedOut)
        const problem = 'failed' in attempt ? attempt.failed : accessProblem(attempt.access, sample.becomes)
        if (problem) yield `${sample.name}: ${problem}`
        else if (
          'access' in attempt &&
          attempt.access.kind === 'at' &&
          leaksSecret(subject.secrets, attempt.access.url)
        )
          yield `${sample.name}: a secret stands in the address`
      }
    },
  },
  {
    name: 'Opening never rejects, whatever is held and whatever the provider answers, and no secret stands in a refusal',
    applies: opensMedia,
    async *run(subject: Subject) {
      const { media = [] } = subject.samples
      const mediaRefs = [
        ...new Set([...media.map((each) => each.mediaRef), ...mediaRefsIn(subject), 'x', '../..?#%', 'https://']),
      ]
      for (const each of mediaRefs) {
        for (const secret of ['', ...subject.secrets]) {
          for (const answer of answersWith(secret)) {
            const attempt = await tryOpenMedia(subject, each, answer)
            const answerName = 'kind' in answer ? 'no answer' : `an answer of ${answer.status}`
            if ('failed' in attempt) yield `${answerName}: ${attempt.failed}`
            else if (attempt.access.kind === 'refused' && leaksSecret(subject.secrets, attempt.access.detail))
              yield `${answerName}: a secret stands in the refusal`
          }
        }
      }
    },
  },
]

function accessProblem(access: MediaAccess, expected: MediaSample['becomes']): string | undefined {
  if (access.kind !== expected.kind) return `it is ${access.kind} and not ${expected.kind}`
  if (access.kind === 'refused' || expected.kind === 'refused') return undefined
  if (access.url !== expected.url) return 'it opens at another address'
  const lowercaseHeaders = ({ headers }: typeof access) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return isDeepStrictEqual(lowercaseHeaders(access), lowercaseHeaders(expected))
    ? undefined
    : 'it opens with other headers'
}
