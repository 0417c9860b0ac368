/** The cluster scenario: what our commits to a log on JetStream cost beside bare publishing of as much. */
import { ownWork } from '../load/http.js'
import type { Scenario } from '../scenario.js'
import { natsMissing } from './server.js'

/** How much more is on its way where commands share their commits. */
const busy = { times: 16, args: ['--times', '16'] }

export const cluster: Scenario = {
  name: 'cluster',
  purpose: 'The commands of `commit` through the cluster engine with one node and one nats-server.',
  unit: 'commands',
  seconds: 2,
  rounds: 7,
  // One for each shard: a commit holds one command, and what it costs is what the log costs.
  concurrency: 16,
  missing: natsMissing,
  candidates: [
    {
      name: 'bare JetStream',
      role: 'limit',
      about: 'The NATS client publishing with acknowledgement, one message on its way for each of 16 streams.',
      program: 'cluster/limit-jetstream',
      load: ownWork,
    },
    {
      name: 'ours',
      role: 'ours',
      about:
        'Decided, appended to the log of its shard, applied to this node’s copy, answered; then its effect is settled.',
      program: 'cluster/ours',
      load: ownWork,
    },
    {
      name: `bare JetStream, ${busy.times} a message`,
      role: 'limit',
      about: `The same with ${busy.times} commands in each message.`,
      program: 'cluster/limit-jetstream',
      args: busy.args,
      load: ownWork,
    },
    {
      name: `ours, ${busy.times} a commit`,
      role: 'ours',
      about: `The same with ${busy.times} times as many on their way. Deciding, not the log, is what it costs.`,
      program: 'cluster/ours',
      args: busy.args,
      load: ownWork,
    },
  ],
  ratios: [
    { metric: 'rate', of: 'ours', over: 'bare JetStream', atLeast: 0.5 },
    // With larger commits than the limit has messages, the ratio above would say nothing.
    { metric: 'batch', of: 'ours', over: 'bare JetStream', atMost: 1.1 },
    { metric: 'bytes', of: 'ours', over: 'bare JetStream' },
    { metric: 'p99', of: 'ours', overMetric: 'p50', over: 'ours' },
    { metric: 'cpu', of: 'ours', over: 'bare JetStream' },
    { metric: 'rate', of: `ours, ${busy.times} a commit`, over: `bare JetStream, ${busy.times} a message` },
    { metric: 'batch', of: `ours, ${busy.times} a commit`, over: `bare JetStream, ${busy.times} a message` },
  ],
}
