/** The commit scenario: a command from its call to its durable answer, beside lmdb writing the same records. */
import { ownWork } from '../../harness/load/http.js'
import type { Scenario } from '../../harness/scenario.js'

export const commit: Scenario = {
  name: 'commit',
  purpose:
    'Commands through one embedded engine, each writing five small records and an outbox row, durable when answered.',
  unit: 'commands',
  seconds: 2,
  rounds: 7,
  // Sixteen workers per shard: every commit is shared, as on a busy node, and no mailbox grows.
  concurrency: 256,
  candidates: [
    {
      name: 'bare lmdb',
      role: 'limit',
      about:
        'lmdb with the settings of our store and the same writes: six puts in one batch for a command, awaited until ' +
        'flushed, and the outbox row removed by a later transaction.',
      program: 'commit/limit-lmdb',
      load: ownWork,
    },
    {
      name: 'bare lmdb, six puts',
      role: 'limit',
      about: 'The same without the removal: the rows of the outbox stay, and the data grows by them.',
      program: 'commit/limit-lmdb',
      args: ['--unsettled'],
      load: ownWork,
    },
    {
      name: 'ours',
      role: 'ours',
      about:
        'A command reads one record, writes five and owes an effect, which is performed at once and taken off the record.',
      program: 'commit/candidate',
      load: ownWork,
    },
  ],
  ratios: [
    { metric: 'rate', of: 'ours', over: 'bare lmdb', atLeast: 0.7 },
    { metric: 'p99', of: 'ours', overMetric: 'p50', over: 'ours', atMost: 10 },
    { metric: 'rate', of: 'ours', over: 'bare lmdb, six puts' },
    { metric: 'p99', of: 'ours', over: 'bare lmdb' },
    { metric: 'cpu', of: 'ours', over: 'bare lmdb' },
  ],
}
