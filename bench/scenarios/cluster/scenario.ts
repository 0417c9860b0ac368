/** The cluster scenario: the cost of commits to a log on JetStream beside bare publishing of as many bytes. */
import { ownWork } from '../../harness/load/http.js'
import type { Candidate, Scenario } from '../../harness/scenario.js'
import { natsMissing } from './server.js'

/** Factor on the concurrency where commands share their commits. */
const times = 16
const shared = { limit: `bare JetStream, ${times} a message`, ours: `ours, ${times} a commit` }
const alone = { limit: 'bare JetStream, one server', ours: 'ours, one server' }

function pair(
  names: { limit: string; ours: string },
  descriptions: { limit: string; ours: string },
  args: string[] = [],
): readonly Candidate[] {
  const limit: Candidate = {
    name: names.limit,
    role: 'limit',
    about: descriptions.limit,
    program: 'cluster/limit-jetstream',
    args,
    load: ownWork,
  }
  return [
    limit,
    {
      ...limit,
      name: names.ours,
      role: 'ours',
      about: descriptions.ours,
      program: 'cluster/candidate',
    },
  ]
}

export const cluster: Scenario = {
  name: 'cluster',
  purpose: 'The commands of `commit` through a node of a cluster, with three nats-servers that each keep every log.',
  unit: 'commands',
  seconds: 2,
  rounds: 7,
  // One worker per shard: a commit holds one command, so the figure is the cost of the log.
  concurrency: 16,
  missing: natsMissing,
  candidates: [
    ...pair(
      { limit: 'bare JetStream', ours: 'ours' },
      {
        limit: 'The NATS client publishing with acknowledgement, one message on its way for each of 16 streams.',
        ours: 'Decided, appended to the log of its shard, seen in this node’s copy, answered; then its effect is settled.',
      },
    ),
    ...pair(
      shared,
      {
        limit: `The same with ${times} commands in each message.`,
        ours: `The same with ${times} times as many on their way. Deciding, not the log, is what it costs.`,
      },
      ['--times', String(times)],
    ),
    ...pair(
      alone,
      { limit: 'The same with one server, which waits for no other.', ours: 'The same with one server.' },
      ['--servers', '1'],
    ),
  ],
  ratios: [
    { metric: 'rate', of: 'ours', over: 'bare JetStream', atLeast: 0.5 },
    // With commits larger than the limit's messages, the ratio above would mean nothing.
    { metric: 'batch', of: 'ours', over: 'bare JetStream', atMost: 1.1 },
    { metric: 'bytes', of: 'ours', over: 'bare JetStream' },
    { metric: 'p99', of: 'ours', overMetric: 'p50', over: 'ours' },
    { metric: 'cpu', of: 'ours', over: 'bare JetStream' },
    { metric: 'rate', of: shared.ours, over: shared.limit },
    { metric: 'batch', of: shared.ours, over: shared.limit },
    { metric: 'rate', of: alone.ours, over: alone.limit },
  ],
}
