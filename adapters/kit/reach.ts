/** The checks of powers that not every adapter has: to ask whom a channel reaches, and to take back what was sent. */
import type { NoAnswer } from '../../core/channel/adapter.js'
import type { SampleAnswer } from './samples.js'
import { wrongProbed } from './shapes.js'
import { answering, type Check, leaks, reaching, type Subject, sending, settled } from './subject.js'

const answers: readonly (SampleAnswer | NoAnswer)[] = [
  ...[200, 204, 301, 400, 401, 403, 404, 409, 429, 500, 503].flatMap((status) =>
    ['', '{}', '[]', 'null', '{"error":'].map((body) => ({ status, body })),
  ),
  { kind: 'none', detail: 'No answer in time.', unsent: false },
]

const shown = (answer: SampleAnswer | NoAnswer) =>
  'kind' in answer ? 'no answer' : `${answer.status} with ${JSON.stringify(answer.body)}`

/** Answers that tell nothing of anybody. */
const isTrouble = (answer: SampleAnswer | NoAnswer) => 'kind' in answer || answer.status === 429 || answer.status >= 500

export const reachChecks: readonly Check[] = [
  {
    name: 'A probe never rejects, speaks only of those it was asked about, and knows nothing while the provider is in trouble',
    applies: ({ adapter }) => adapter.probe !== undefined,
    async *run(subject: Subject) {
      const { adapter, samples, secrets } = subject
      for (const asked of [[samples.address], [samples.address, `${samples.address}0`]]) {
        for (const answer of answers) {
          const work = () => adapter.probe!(asked, reaching(subject, answering(samples, answer)))
          const done = await settled(subject, work)
          const wrong = 'failed' in done ? `\`probe\` rejected: ${done.failed}` : wrongProbed(done.value, asked)
          if (wrong) yield `${shown(answer)}: ${wrong}`
          if (wrong || 'failed' in done) continue
          if (leaks(secrets, done.value)) yield `${shown(answer)}: a secret stands in the answer`
          const known = [...done.value.reachable, ...done.value.unreachable]
          if (isTrouble(answer) && known.length > 0) yield `${shown(answer)}: it claims to know`
        }
      }
    },
  },
  {
    name: 'Taking back never rejects, and claims nothing while the provider is in trouble',
    applies: ({ adapter }) => adapter.revoke !== undefined,
    async *run(subject: Subject) {
      const { adapter, samples } = subject
      for (const answer of answers) {
        const done = await settled(subject, () =>
          adapter.revoke!('provider_0sample', sending(subject, answering(samples, answer))),
        )
        if ('failed' in done) yield `${shown(answer)}: \`revoke\` rejected: ${done.failed}`
        else if (!['revoked', 'tooLate', 'unknown'].includes(done.value)) yield `${shown(answer)}: an unknown outcome`
        else if (isTrouble(answer) && done.value === 'revoked') yield `${shown(answer)}: it counts as taken back`
      }
    },
  },
]
