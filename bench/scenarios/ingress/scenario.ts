/** The ingress scenario: the cost of one inbound message from a provider, beside writing the same records. */
import { httpLoad, ownWork } from '../../harness/load/http.js'
import type { Scenario } from '../../harness/scenario.js'

export const ingress: Scenario = {
  name: 'ingress',
  purpose:
    'Calls of a provider, each with one message: signature verified, parsed, applied, durable, then acknowledged.',
  unit: 'calls',
  seconds: 2,
  rounds: 7,
  concurrency: 256,
  candidates: [
    {
      name: 'bare lmdb',
      role: 'limit',
      about: 'lmdb with the settings of our store: the same records, each message awaited until flushed.',
      program: 'ingress/limit-lmdb',
      load: ownWork,
    },
    {
      name: 'ours',
      role: 'ours',
      about: 'A node with an agent on sms, called by the twilio provider with signed forms.',
      program: 'ingress/candidate',
      load: httpLoad,
    },
  ],
  ratios: [
    { metric: 'rate', of: 'ours', over: 'bare lmdb', atLeast: 0.5 },
    { metric: 'p99', of: 'ours', overMetric: 'p50', over: 'ours' },
    { metric: 'cpu', of: 'ours', over: 'bare lmdb' },
  ],
}
