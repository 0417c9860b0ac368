/** The render scenario: the cost to render a message for one channel, for each kind of part. */
import { partTypes } from '../../../core/amf/index.js'
import { ownWork } from '../../harness/load/http.js'
import type { Candidate, Scenario } from '../../harness/scenario.js'
import { formattedText } from './messages.js'

const written = 'JSON.stringify'

const kinds = partTypes.flatMap((part) => (part === 'text' ? [part, formattedText] : [part]))

export const render: Scenario = {
  name: 'render',
  purpose: 'Rendering a message of one part to each of the nine channels in turn; one message to one channel counts.',
  unit: 'messages',
  seconds: 0.5,
  rounds: 5,
  candidates: [
    {
      name: written,
      role: 'limit',
      about: 'The text message written as JSON, and nothing else done with it.',
      program: 'render/limit-json',
      load: ownWork,
    },
    ...kinds.map(
      (part): Candidate => ({
        name: part,
        role: 'ours',
        about:
          part === formattedText
            ? 'Text with bold, italic, a list and a link.'
            : `A message of one ${part}. From p50 to max: channels, not chance, make the difference.`,
        program: 'render/candidate',
        args: ['--part', part],
        load: ownWork,
      }),
    ),
  ],
  ratios: [
    { metric: 'rate', of: 'text', over: written, atLeast: 1 / 3 },
    ...kinds.slice(1).map((part) => ({ metric: 'rate', of: part, over: 'text' }) as const),
  ],
}
