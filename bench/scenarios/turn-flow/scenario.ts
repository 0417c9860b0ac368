/** The turn-flow scenario: the cost of a managed turn of a flow, beside writing the same records. */
import { ownWork } from '../../harness/load/http.js'
import type { Scenario } from '../../harness/scenario.js'
import { untilAnswered } from './load.js'

const allowedMs = 5
const allowance = `a timer of ${allowedMs} ms`
const paced = 'ours, 100 a second'

export const turnFlow: Scenario = {
  name: 'turn-flow',
  purpose:
    'A text that answers a question of a flow, in a conversation that Parley plays, up to the reply on the phone.',
  unit: 'turns',
  seconds: 4,
  rounds: 5,
  // As in `messages`: commits are shared, as on a busy node.
  concurrency: 256,
  candidates: [
    {
      name: 'bare lmdb',
      role: 'limit',
      about: 'lmdb with the settings of our store: the same records in as many commits, each awaited until flushed.',
      program: 'turn-flow/limit-lmdb',
      load: ownWork,
    },
    {
      name: 'ours',
      role: 'ours',
      about:
        'A node with a managed agent on sms: the provider’s call verified, the text committed, the turn planned and ' +
        'committed, its reply rendered and handed over. As many people wait for replies as there are connections.',
      program: 'turn-flow/candidate',
      load: untilAnswered,
    },
    {
      name: allowance,
      role: 'limit',
      about: 'What a turn may take. A floor is a ratio, so a fixed time stands here as a timer.',
      program: 'roundtrip/timer',
      args: ['--ms', String(allowedMs)],
      load: ownWork,
    },
    {
      name: paced,
      role: 'ours',
      about:
        'The same node with 1,000 people who each write every ten seconds: latency is from the text’s commit to the ' +
        'reply on the phone.',
      program: 'turn-flow/candidate',
      args: ['--paced'],
      load: ownWork,
    },
  ],
  ratios: [
    { metric: 'rate', of: 'ours', over: 'bare lmdb', atLeast: 0.5 },
    { metric: 'p50', of: paced, over: allowance, atMost: 1 },
    { metric: 'p99', of: paced, overMetric: 'p50', over: paced },
    { metric: 'cpu', of: 'ours', over: 'bare lmdb' },
  ],
}
