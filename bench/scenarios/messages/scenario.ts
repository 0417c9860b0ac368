/** The messages scenario: the cost to accept a message over HTTP and deliver it, beside writing the same records. */
import { ownWork } from '../../harness/load/http.js'
import type { Scenario } from '../../harness/scenario.js'
import { untilDelivered } from './load.js'

export const messages: Scenario = {
  name: 'messages',
  purpose: 'Sending one text with POST /v4/messages: accepted when durable, and handed to the emulated provider.',
  unit: 'messages',
  seconds: 2,
  rounds: 7,
  // As in `commit`: commits are shared, as on a busy node.
  concurrency: 256,
  candidates: [
    {
      name: 'bare lmdb',
      role: 'limit',
      about: 'lmdb with the settings of our store: the same records in as many commits, each awaited until flushed.',
      program: 'messages/limit-lmdb',
      load: ownWork,
    },
    {
      name: 'ours',
      role: 'ours',
      about:
        'A node with an agent on sms: token checked, message validated, decided, committed, rendered, handed over.',
      program: 'messages/candidate',
      load: untilDelivered,
    },
  ],
  ratios: [
    { metric: 'rate', of: 'ours', over: 'bare lmdb', atLeast: 0.5 },
    { metric: 'p99', of: 'ours', overMetric: 'p50', over: 'ours' },
    { metric: 'cpu', of: 'ours', over: 'bare lmdb' },
  ],
}
