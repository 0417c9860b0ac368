/** Checks of the optional methods `probe` and `revoke`. */
import type { NoResponse } from '../../../core/channel/adapter.js'
import { probeError } from '../../../core/channel/adaptervalidation.js'
import {
  type Check,
  createStubProvider,
  leaksSecret,
  reachContext,
  runBounded,
  type Subject,
  sendContext,
} from './harness.js'
import type { SampleAnswer } from './samples.js'

const answers: readonly (SampleAnswer | NoResponse)[] = [
  ...[200, 204, 301, 400, 401, 403, 404, 409, 429, 500, 503].flatMap((status) =>
    ['', '{}', '[]', 'null', '{"error":'].map((body) => ({ status, body })),
  ),
  { kind: 'none', detail: 'No answer in time.', unsent: false },
]

const describeAnswer = (answer: SampleAnswer | NoResponse) =>
  'kind' in answer ? 'no answer' : `${answer.status} with ${JSON.stringify(answer.body)}`

/** Answers that say nothing about a person. */
const isProviderFailure = (answer: SampleAnswer | NoResponse) =>
  'kind' in answer || answer.status === 429 || answer.status >= 500

export const optionalChecks: readonly Check[] = [
  {
    name: 'A probe never rejects, speaks only of those it was asked about, and knows nothing while the provider is in trouble',
    applies: ({ adapter }) => adapter.probe !== undefined,
    async *run(subject: Subject) {
      const { adapter, samples, secrets } = subject
      for (const addresses of [[samples.address], [samples.address, `${samples.address}0`]]) {
        for (const answer of answers) {
          const call = () => adapter.probe!(addresses, reachContext(subject, createStubProvider(samples, answer)))
          const result = await runBounded(subject, call)
          const problem =
            'failed' in result ? `\`probe\` rejected: ${result.failed}` : probeError(result.value, addresses)
          if (problem) yield `${describeAnswer(answer)}: ${problem}`
          if (problem || 'failed' in result) continue
          if (leaksSecret(secrets, result.value)) yield `${describeAnswer(answer)}: a secret stands in the answer`
          const claimed = [...result.value.reachable, ...result.value.unreachable]
          if (isProviderFailure(answer) && claimed.length > 0) yield `${describeAnswer(answer)}: it claims to know`
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
        const result = await runBounded(subject, () =>
          adapter.revoke!('provider_0sample', sendContext(subject, createStubProvider(samples, answer))),
        )
        if ('failed' in result) yield `${describeAnswer(answer)}: \`revoke\` rejected: ${result.failed}`
        else if (!['revoked', 'tooLate', 'unknown'].includes(result.value))
          yield `${describeAnswer(answer)}: an unknown outcome`
        else if (isProviderFailure(answer) && result.value === 'revoked')
          yield `${describeAnswer(answer)}: it counts as taken back`
      }
    },
  },
]
